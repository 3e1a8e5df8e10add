#pragma once

#include <map>
#include <string>
#include <utility>

#include "bench/doubts/changed_file.h"
#include "bench/doubts/damaged_texts.h"
#include "bench/doubts/undefined_texts.h"

namespace redraft {

// Whether a doubt is about the damage: the correct text does not have it.
bool is_found(const DoubtedText& damaged, const DoubtedText& correct);
// Whether a doubt says that the name is undefined.
bool is_found(const DoubtedText& doubted, const UndefinedText& text);

// The shares of correct changes and of damaged texts that get a doubt.
class DoubtTables {
 public:
  void add_correct(const ChangedFile& file, const DoubtedText& text, DoubtBasis basis);
  void add_damaged(const std::string& damage, bool is_found, DoubtBasis basis);
  void add_undefined(const UndefinedText& text, bool is_found);
  std::string text() const;

 private:
  struct Share {
    int part = 0, all = 0;
    void add(bool is_part);
    std::string text() const;  // "12 of 40 (30.0 %)"
  };
  // [DoubtBasis]
  template <typename T>
  using ByBasis = std::map<DoubtBasis, T>;

  std::string correct_text() const;
  std::string kinds_text() const;
  std::string damaged_text() const;
  std::string undefined_text() const;

  std::map<std::string, ByBasis<Share>> correct_, hunks_left_;  // by language
  std::map<Doubt::Kind, ByBasis<int>> kinds_;                   // changes with a doubt of the kind
  std::map<std::string, ByBasis<Share>> damaged_;               // by damage
  std::map<std::string, Share> undefined_, wrongly_undefined_;  // by language
};

}  // namespace redraft
