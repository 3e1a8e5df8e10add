#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/region_chain.h"
#include "languages/container_types.h"
#include "languages/definition_types.h"
#include "support/byte_range.h"

struct TSTree;

namespace redraft {

struct Grammar;
struct Language;      // languages/language.h
struct Imports;       // indexing/syntax/imports.h
struct NameMeanings;  // indexing/syntax/name_uses.h
struct Call;          // indexing/syntax/signatures.h
struct CallStyle;     // languages/signature_types.h
struct Signature;
struct ResultMismatch;

// A named, coherent piece of a file.
struct Definition {
  DefinitionKind kind = DefinitionKind::kFunction;
  ByteRange name;   // empty if it has none
  ByteRange range;  // with decorators, attributes and comments directly above it
  int depth = 0;    // how many definitions enclose it
  // A function that is the value of a key or of an assignment: others may well have that name.
  bool is_value = false;
  friend bool operator==(const Definition&, const Definition&) = default;
};

struct SyntaxError {
  ByteRange range;       // the text that makes no sense
  bool missing = false;  // empty range: something is expected there
  friend bool operator==(const SyntaxError&, const SyntaxError&) = default;
};

// Parsing stops when a text would exceed these.
struct ParseLimits {
  std::size_t text_bytes = std::size_t{4} << 20;
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::chrono::milliseconds time{2000};  // the processor's, however long the thread waits for it
  std::stop_token stop = {};
};

// The syntax tree of a text, by tree-sitter. Any text in a known language has a tree: errors are
// part of it. Immutable and cheap to copy; threads may share it. All positions are bytes of text().
//
// Nothing here recurses over the tree: a text of a million brackets is handled like any other.
class SyntaxTree {
 public:
  // By LSP's language ids ("cpp", "typescriptreact"), and other names that editors use.
  static bool knows(std::string_view language_id);

  // None if the language is unknown or the text is beyond the limits: treat it as lines then.
  static std::optional<SyntaxTree> parse(std::shared_ptr<const std::string> text,
                                         std::string_view language_id,
                                         const ParseLimits& limits = {});
  // The tree of a changed text: the common beginning and end are not parsed again.
  std::optional<SyntaxTree> edited(std::shared_ptr<const std::string> text,
                                   const ParseLimits& limits = {}) const;

  const std::string& text() const { return *text_; }
  const Language& language() const;

  // The smallest definition at `offset`. Blanks before or after a line's text count as that text; a
  // comment or decorator directly above a definition counts as part of it.
  std::optional<Definition> enclosing_definition(std::size_t offset) const;
  // In the order in which they begin.
  std::vector<Definition> definitions() const;
  // The regions around `offset`, in whole lines; the chosen one has at most `max_bytes`, unless a
  // single line has more.
  RegionChain regions_around(std::size_t offset, std::size_t max_bytes) const;
  // The whole lines of what an instruction that adds such a part adds it to, for a cursor at
  // `offset`: the switch of a case, the class of a field. Nothing: there is none around.
  std::optional<ByteRange> container_around(std::size_t offset, AddedPart part) const;
  // What is done otherwise: the `else` and `elif` branches, in the order in which they begin.
  std::vector<ByteRange> other_branches() const;
  // The names within `range`, in order.
  std::vector<ByteRange> identifiers(const ByteRange& range) const;
  Imports imports() const;
  // What `name` means where it stands; none if names of the language are not followed.
  std::optional<NameMeanings> meanings_of(std::string_view name) const;
  // The functions and their parameters, and where something of a name is called; none if parameters
  // of the language are not known.
  std::vector<Signature> signatures() const;
  std::vector<Call> calls_of(std::string_view name) const;
  // In languages whose functions return several values; methods do not count.
  std::vector<ResultMismatch> result_mismatches() const;
  CallStyle call_style() const;
  // Where the first token of each line begins. Blank lines and lines within a token have none.
  std::vector<std::size_t> line_tokens() const;

  // Whether text typed at `offset` is part of a comment: within one, or at the end of one that
  // extends to the end of its line.
  bool in_comment(std::size_t offset) const;

  bool has_errors() const;
  // The outermost ones, in order.
  std::vector<SyntaxError> errors() const;

  // Whether both have the same nodes at the same places.
  bool same_structure(const SyntaxTree& other) const;

 private:
  SyntaxTree(const Grammar& grammar, std::shared_ptr<const std::string> text,
             std::shared_ptr<const TSTree> tree)
      : grammar_(&grammar), text_(std::move(text)), tree_(std::move(tree)) {}

  const Grammar* grammar_;
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const TSTree> tree_;
};

// Whether changing the text of `before` to that of `after` broke its syntax: there are more errors
// than before.
bool breaks_syntax(const SyntaxTree& before, const SyntaxTree& after);

}  // namespace redraft
