#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft::cli {

// The candidate that `word` was probably meant to be: by Damerau-Levenshtein distance, in which two
// neighbours that changed places count once. Empty: none is near.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// "edit, index"
std::string listed(const std::vector<std::string>& words);

// "'edti' is none of edit, index; did you mean edit?"
std::string none_of(std::string_view word, const std::vector<std::string>& candidates);

// Why `app` does not take these arguments: the first word that is no command or option of its, with
// what it was probably meant to be; else what `error` says. `args` as a shell passes them, without
// the program's name.
std::string misuse_reason(CLI::App& app, const std::vector<std::string>& args,
                          const CLI::ParseError& error);

// For an option whose value is one of some words.
CLI::Validator any_of(const std::vector<std::string>& words);

// For an option whose values have names; its help lists them in the order of `names`, and what is
// none of them is answered with the nearest.
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
