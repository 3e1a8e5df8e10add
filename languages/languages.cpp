#include "languages/languages.h"

#include <algorithm>
#include <unordered_map>

#include "languages/known_by_name.h"
#include "languages/rows.h"
#include "text/strings/lower_case.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr const Language* kWithGrammar[] = {
#define REDRAFT_LANGUAGE(row, name, folder) &row,
#include "languages/languages.inc"
#undef REDRAFT_LANGUAGE
};

using ByKey = std::unordered_map<std::string_view, std::string_view>;

// The language ids by what `list` has: file endings, or file names.
ByKey ids_by(std::string_view LanguageFiles::*list) {
  ByKey ids;
  for (const Language* language : languages()) {
    for (const LanguageFiles& files : *language->files) {
      for (const std::string_view key : split_words(files.*list)) ids.emplace(key, files.id);
    }
  }
  return ids;
}

std::string_view find(const ByKey& ids, std::string_view key) {
  const auto found = ids.find(key);
  return found == ids.end() ? std::string_view() : found->second;
}

}  // namespace

std::span<const Language* const> languages() {
  static const std::vector<const Language*> all = [] {
    std::vector<const Language*> rows(std::begin(kWithGrammar), std::end(kWithGrammar));
    for (const Language& language : languages_known_by_name()) rows.push_back(&language);
    return rows;
  }();
  return all;
}

const Language* find_language(std::string_view id) {
  static const auto by_id = [] {
    std::unordered_map<std::string_view, const Language*> rows;
    for (const Language* language : languages()) {
      for (const std::string_view each : split_words(*language->ids)) rows.emplace(each, language);
    }
    return rows;
  }();
  const auto found = by_id.find(id);
  return found == by_id.end() ? nullptr : found->second;
}

std::string_view language_of(std::string_view path) {
  static const ByKey by_name = ids_by(&LanguageFiles::names);
  static const ByKey by_ending = ids_by(&LanguageFiles::endings);
  const std::string name = lower_case(path.substr(path.rfind('/') + 1));
  if (const std::string_view known = find(by_name, name); !known.empty()) return known;
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : find(by_ending, std::string_view(name).substr(dot + 1));
}

std::string_view family_of(std::string_view id) {
  const Language* const language = find_language(id);
  return language == nullptr ? id : language->family();
}

bool is_keyword(std::string_view id, std::string_view name) {
  const Language* const language = find_language(id);
  const bool is_word = !name.empty() && name.find(' ') == std::string_view::npos;
  return language != nullptr && is_word && has_word(language->keywords, name);
}

std::vector<std::string_view> words_of_all(Fact<std::string_view> Language::*fact) {
  std::vector<std::string_view> all;
  for (const Language* language : languages()) {
    for (const std::string_view word : split_words(*(language->*fact))) {
      if (std::ranges::find(all, word) == all.end()) all.push_back(word);
    }
  }
  return all;
}

}  // namespace redraft
