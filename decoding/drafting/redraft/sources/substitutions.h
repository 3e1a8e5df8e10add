#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// Texts that the output wrote in place of the original's, such as a renamed identifier or a deeper
// indentation. They are expected wherever the original has the same text again. A replaced word is
// known in every spelling that tokens give it (" count", ".count", "(count").
class Substitutions {
 public:
  // `tokenizer` outlives this. Null: a word is only known in the spelling that was replaced.
  explicit Substitutions(const Tokenizer* tokenizer) : tokenizer_(tokenizer) {}

  // The output wrote `to` in place of `from`. Learns only the parts that differ.
  void learn(std::span<const TokenId> from, std::span<const TokenId> to);

  // Expects a replacement of a word that the request announces, in any spelling. Does nothing
  // without a tokenizer.
  void expect(std::string_view from, std::string_view to);

  // The longest substitution that applies where the original continues with `rest`, or -1.
  int applicable(std::span<const TokenId> rest) const;
  std::span<const TokenId> from(int substitution) const { return rule(substitution).from; }
  std::span<const TokenId> to(int substitution) const { return rule(substitution).to; }
  // How often it was made where it applied, minus how often it was not; 0 if it was made once and
  // then not.
  int strength(int substitution) const;
  void confirm(int substitution) { ++evidence_of(substitution).made; }
  void contradict(int substitution) { ++evidence_of(substitution).not_made; }

 private:
  struct Rule {
    std::vector<TokenId> from, to;
    std::size_t evidence;
  };
  // Shared by all spellings of one replacement.
  struct Evidence {
    int made = 1;
    int not_made = 0;
  };

  const Rule& rule(int idx) const { return rules_[static_cast<std::size_t>(idx)]; }
  Evidence& evidence_of(int idx) { return evidence_[rule(idx).evidence]; }
  void learn_replacement(std::span<const TokenId> from, std::span<const TokenId> to);
  void add_spellings(std::string_view from, std::string_view to, std::size_t evidence);
  void add(std::span<const TokenId> from, std::span<const TokenId> to, std::size_t evidence);

  const Tokenizer* tokenizer_;
  std::vector<Rule> rules_;
  std::vector<Evidence> evidence_;
  std::unordered_map<TokenId, std::vector<int>> beginning_with_;
};

}  // namespace redraft
