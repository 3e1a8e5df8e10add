#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft::cli {

// The candidate that `word` was probably meant to be, by Damerau-Levenshtein distance, which counts
// a transposition of neighbours once. Empty if none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// "edit, index"
std::string listed(const std::vector<std::string>& words);

// "'edti' is not one of edit, index; did you mean edit?"
std::string none_of(std::string_view word, const std::vector<std::string>& candidates);

// Why `app` rejects these arguments: the first unknown command or option with a suggestion,
// otherwise `error`. `args` are in the form in which a shell passes them, without the program's
// name.
std::string misuse_reason(CLI::App& app, const std::vector<std::string>& args,
                          const CLI::ParseError& error);

// For an option whose value is one of these words.
CLI::Validator any_of(const std::vector<std::string>& words);

// For an option whose values have names. Its help lists them in the order of `names`; an unknown
// value is answered with the nearest name.
template <typename Enum>
CLI::Validator one_of(const std::vector<std::pair<std::string, Enum>>& names) {
  std::vector<std::string> words;
  for (const auto& [name, value] : names) words.push_back(name);
  return CLI::Validator(
      [names, words](std::string& word) -> std::string {
        for (const auto& [name, value] : names) {
          if (name != word) continue;
          word = std::to_string(static_cast<int>(value));
          return {};
        }
        return none_of(word, words);
      },
      listed(words));
}

}  // namespace redraft::cli
