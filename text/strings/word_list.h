#pragma once

#include <string_view>
#include <vector>

namespace redraft {

// A list of words is a text in which one space separates two words.

// Whether `word` is one of `words`.
constexpr bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

// The words one by one; views into `words`.
inline std::vector<std::string_view> split_words(std::string_view words) {
  std::vector<std::string_view> all;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    all.push_back(word);
    words.remove_prefix(word.size() + (word.size() < words.size() ? 1 : 0));
  }
  return all;
}

}  // namespace redraft
