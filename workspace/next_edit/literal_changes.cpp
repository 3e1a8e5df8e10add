#include "workspace/next_edit/literal_changes.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "workspace/documents/diff.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/line_rewrite.h"

namespace redraft {
namespace {

// The number of changed lines that are searched for values.
constexpr std::size_t kMaxPairs = 64;
constexpr int kMinAlike = 2;

using Tokens = std::vector<std::string_view>;
using Replacement = std::pair<std::string, std::string>;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_string(std::string_view token) {
  return token.size() > 1 && std::string_view("\"'`").find(token.front()) != token.npos;
}

// 10, 0x1F, 1.5e3, 10px, 1.2.3, v1.2.3.
bool begins_number(std::string_view text) {
  const bool is_version = text.size() > 1 && text.front() == 'v' && is_digit(text[1]);
  return !text.empty() && (is_digit(text.front()) || is_version);
}

bool is_literal(std::string_view token) { return is_string(token) || begins_number(token); }

std::size_t size_of_string(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text.front()) {
      return i + 1;
    }
  }
  return 0;
}

std::size_t size_of_number(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && (is_word(text.substr(end, 1)) || text[end] == '.')) ++end;
  while (end > 1 && text[end - 1] == '.') --end;
  return end;
}

// Strings, numbers, words and every other character, without blanks.
Tokens tokens_of(std::string_view line) {
  Tokens tokens;
  for (const std::string_view word : words_of(line)) {
    const auto at = static_cast<std::size_t>(word.data() - line.data());
    const std::size_t end =
        tokens.empty()
            ? 0
            : static_cast<std::size_t>(tokens.back().data() - line.data()) + tokens.back().size();
    if (at < end) continue;  // it is in the last one
    const std::string_view rest = line.substr(at);
    std::size_t size = 0;
    // Behind a letter, a quote is an apostrophe or the mark of a lifetime.
    const bool may_quote = at == 0 || !is_word(line.substr(at - 1, 1)) || rest.front() == '"';
    if (std::string_view("\"'`").find(rest.front()) != rest.npos && may_quote)
      size = size_of_string(rest);
    if (begins_number(rest)) size = size_of_number(rest);
    tokens.push_back(rest.substr(0, std::max(size, word.size())));
  }
  return tokens;
}

// Whether a string is a version or a number, perhaps with what is compared to it: ">=1.2.3".
bool is_version(std::string_view string) {
  const std::string_view content = string.substr(1, string.size() - 2);
  const std::size_t begin = content.find_first_not_of("v^~=<>! ");
  return begin != content.npos && is_digit(content[begin]) &&
         content.find_first_of(" /", begin) == content.npos;
}

// The words in which two texts differ, without those that they begin and end with alike.
Replacement difference(std::string_view before, std::string_view after) {
  const Tokens a = words_of(before), b = words_of(after);
  const auto [a_begin, b_begin] = std::ranges::mismatch(a, b);
  auto a_end = a.end(), b_end = b.end();
  while (a_end != a_begin && b_end != b_begin && *(a_end - 1) == *(b_end - 1)) --a_end, --b_end;
  const auto text = [](auto begin, auto end) {
    return begin == end ? std::string()
                        : std::string(begin->data(), (end - 1)->data() + (end - 1)->size());
  };
  return {text(a_begin, a_end), text(b_begin, b_end)};
}

// What was replaced in a line: values, and names.
struct Replaced {
  std::vector<Replacement> values, names;
  bool is_else = false;  // something else was changed, too
};

Replaced replaced_in(std::string_view before, std::string_view after) {
  Replaced replaced;
  const Tokens a = tokens_of(before), b = tokens_of(after);
  for (const LineChange& change : diff_lines(a, b)) {
    const int n_old = change.old_end - change.old_begin;
    const int n_new = static_cast<int>(change.new_lines.size());
    const Tokens old_tokens(a.begin() + change.old_begin, a.begin() + change.old_end);
    const bool is_value = n_old > 0 && std::ranges::all_of(old_tokens, is_literal);
    if (is_value && n_old == 1 && n_new == 1) {
      const std::string_view from = old_tokens.front(), to = change.new_lines.front();
      const bool has_words =
          is_string(from) && is_string(to) && !(is_version(from) && is_version(to));
      replaced.values.push_back(has_words ? difference(from, to)
                                          : Replacement(std::string(from), std::string(to)));
    } else if (is_value) {
      std::string from, to;
      for (const std::string_view token : old_tokens) (from += token) += ' ';
      for (const std::string& token : change.new_lines) (to += token) += ' ';
      replaced.values.emplace_back(from, to);
    } else {
      replaced.is_else = true;
      if (n_old == 1 && n_new == 1)
        replaced.names.emplace_back(std::string(old_tokens.front()), change.new_lines.front());
    }
  }
  return replaced;
}

}  // namespace

LiteralChanges::LiteralChanges(const std::vector<RecentChange>& recent) {
  for (const LinePair& pair : line_pairs(recent, kMaxPairs)) {
    const Replaced replaced = replaced_in(pair.before, pair.after);
    for (const Replacement& each : std::set(replaced.values.begin(), replaced.values.end()))
      ++n_lines_[each];
    names_.insert(replaced.names.begin(), replaced.names.end());
  }
}

bool LiteralChanges::is_by_chance(const std::vector<std::string>& before,
                                  const std::vector<std::string>& after) const {
  const std::vector<std::string_view> lines(before.begin(), before.end()),
      new_lines(after.begin(), after.end());
  for (const LineChange& change : diff_lines(lines, new_lines)) {
    const auto n_old = static_cast<std::size_t>(change.old_end - change.old_begin);
    if (n_old != change.new_lines.size()) continue;
    for (std::size_t i = 0; i < n_old; ++i) {
      const std::string_view line = lines[static_cast<std::size_t>(change.old_begin) + i];
      const Replaced replaced = replaced_in(line, change.new_lines[i]);
      if (replaced.is_else) continue;
      const auto is_made = [&](const Replacement& each) {
        const auto made = n_lines_.find(each);
        return (made != n_lines_.end() && made->second >= kMinAlike) || names_.contains(each);
      };
      if (!std::ranges::all_of(replaced.values, is_made)) return true;
    }
  }
  return false;
}

}  // namespace redraft
