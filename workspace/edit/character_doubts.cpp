#include "workspace/edit/character_doubts.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "support/utf8/hidden_characters.h"
#include "support/utf8/utf8.h"

namespace redraft {
namespace {

// Calls visit(code, text of the character) for each valid one.
template <typename Visit>
void for_characters(std::string_view text, const Visit& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = first_character(text.substr(at));
    if (bytes > 0) visit(code, at, bytes);
    at += std::max<std::size_t>(bytes, 1);
  }
}

using Counts = std::map<char32_t, int>;

Counts hidden_in(std::string_view text) {
  Counts counts;
  for_characters(text, [&](char32_t code, std::size_t, std::size_t) {
    // A carriage return is a line ending, or the document's own affair.
    if (is_hidden_character(code) && code != '\r') ++counts[code];
  });
  return counts;
}

std::string name_of(char32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, "U+%04X", static_cast<unsigned>(code));
  return text;
}

bool is_latin(char32_t code) { return (code | 0x20) >= 'a' && (code | 0x20) <= 'z'; }

// Cyrillic, and the Greek letters that have a Latin twin.
bool may_pass_for_latin(char32_t code) {
  constexpr std::u32string_view kGreek =
      U"\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7"
      U"\u03BF\u03C1\u03C5";
  return (code >= 0x0400 && code <= 0x052F) || kGreek.find(code) != kGreek.npos;
}

bool is_of_word(char32_t code) {
  return is_latin(code) || (code >= '0' && code <= '9') || code == '_' || code >= 0x80;
}

// The words that mix both kinds of letters.
std::set<std::string_view> mixed_words(std::string_view text) {
  std::set<std::string_view> words;
  std::optional<std::size_t> begin;  // of the word that `end` is in
  std::size_t end = 0;
  bool latin = false, other = false;
  const auto finish = [&] {
    if (begin && latin && other) words.insert(text.substr(*begin, end - *begin));
    begin.reset();
    latin = other = false;
  };
  for_characters(text, [&](char32_t code, std::size_t at, std::size_t bytes) {
    if (!is_of_word(code) || at != end) finish();
    end = at + bytes;
    if (!is_of_word(code)) return;
    if (!begin) begin = at;
    latin = latin || is_latin(code);
    other = other || may_pass_for_latin(code);
  });
  finish();
  return words;
}

// What the edit brings, for people; empty: nothing of the kind.
std::string brought_by(std::string_view before, const TextEdit& edit) {
  const Counts old_counts =
      hidden_in(before.substr(edit.range.begin, edit.range.end - edit.range.begin));
  for (const auto& [code, count] : hidden_in(edit.new_text)) {
    const auto known = old_counts.find(code);
    if (known == old_counts.end() || known->second < count)
      return "it brings the character " + name_of(code) + ", which cannot be seen";
  }
  for (const std::string_view word : mixed_words(edit.new_text)) {
    if (before.find(word) == before.npos)
      return "the name '" + std::string(word) +
             "' mixes Latin letters with others that look like them";
  }
  return {};
}

}  // namespace

std::vector<Doubt> doubts_about_characters(std::string_view before,
                                           const std::vector<TextEdit>& edits) {
  std::vector<Doubt> doubts;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    std::string reason = brought_by(before, edits[i]);
    if (reason.empty()) continue;
    doubts.push_back({.kind = Doubt::Kind::kCharacters,
                      .reason = std::move(reason),
                      .edits = {static_cast<int>(i)}});
  }
  return doubts;
}

}  // namespace redraft
