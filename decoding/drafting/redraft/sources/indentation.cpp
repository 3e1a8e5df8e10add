#include "decoding/drafting/redraft/sources/indentation.h"

#include <algorithm>
#include <array>
#include <string>

namespace redraft {
namespace {

// The `match` is a Step, and each Step has its own bucket.
constexpr GuessKind kIndentation("indentation", DraftOrigin::kLayout,
                                 WhenFirst(.56, .10, .98, .02, .15, .05, .05, .05, .05, .05, .05),
                                 WhenLater(.45, .10, .60, .02, .45, .05, .05, .05, .05, .05, .05));

constexpr int kWidest = 64;
constexpr std::size_t kLongestLine = 1000;  // in bytes; the indentation of longer lines is not used

bool is_blank(char c) { return c == ' ' || c == '\t'; }

int width_of(std::string_view line) {
  return static_cast<int>(std::find_if_not(line.begin(), line.end(), is_blank) - line.begin());
}

bool opens(std::string_view line) {
  return !line.empty() && std::string_view(":{([").find(line.back()) != std::string_view::npos;
}

std::string_view without_trailing_blanks(std::string_view line) {
  while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

// The indentation style of a text: the most frequent step to a deeper line.
struct Style {
  char blank = ' ';
  int unit = 4;
};

Style style_of(std::string_view text) {
  std::array<int, 9> steps{};
  int tabs = 0;
  int spaces = 0;
  int before = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = without_trailing_blanks(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    ++(line[0] == '\t' ? tabs : spaces);
    const int width = line[0] == '\t' || line[0] == ' ' ? width_of(line) : 0;
    if (line[0] != '\t' && width > before && width - before < std::ssize(steps))
      ++steps[static_cast<std::size_t>(width - before)];
    before = width;
    if (line[0] != '\t' && line[0] != ' ') --spaces;
  }
  if (tabs > spaces) return {'\t', 1};
  const auto most = std::max_element(steps.begin(), steps.end());
  return {' ', *most > 0 ? static_cast<int>(most - steps.begin()) : 4};
}

}  // namespace

Indentation::Indentation(const Tokenizer& tokenizer, std::span<const TokenId> text,
                         GuessKinds& kinds)
    : tokenizer_(tokenizer), indentation_(kinds.add(kIndentation)), by_width_(kWidest + 1, -1) {
  const Style style = style_of(tokenizer.decode(text));
  blank_ = style.blank;
  unit_ = style.unit;
  // The last blank is part of the token of the word after it.
  for (int width = 2; width <= kWidest; ++width) {
    const auto ids = tokenizer.encode(std::string(static_cast<std::size_t>(width - 1), blank_));
    if (ids.size() == 1) by_width_[static_cast<std::size_t>(width)] = ids[0];
  }
}

void Indentation::add_guesses(const Branch& branch, std::vector<Guess>& guesses) const {
  const std::span<const TokenId> tokens = branch.tokens;
  if (tokens.empty() || !tokenizer_.bytes(tokens.back()).ends_with('\n')) return;
  std::string end;  // of the text, from the beginning of its last line that is not blank
  for (std::size_t at = tokens.size(); at-- > 0;) {
    end.insert(0, tokenizer_.bytes(tokens[at]));
    if (end.size() > kLongestLine) return;
    const std::size_t last = end.find_last_not_of(" \t\r\n");
    const std::size_t before = last == std::string::npos ? last : end.rfind('\n', last);
    if (before == std::string::npos) continue;
    const std::string_view line = std::string_view(end).substr(before + 1, last - before);
    const int width = width_of(line);
    if (width > 0 && line[0] != blank_) return;
    const bool opening = opens(line);
    if (opening) add(width + unit_, kDeeperAfterOpening, guesses);
    add(width, opening ? kSameAfterOpening : kSame, guesses);
    if (!opening) {
      add(width - unit_, kShallower, guesses);
      add(width + unit_, kDeeper, guesses);
    }
    return;
  }
}

void Indentation::add(int width, Step step, std::vector<Guess>& guesses) const {
  if (width < 0 || width > kWidest) return;
  const TokenId token = by_width_[static_cast<std::size_t>(width)];
  if (token >= 0) guesses.push_back({token, indentation_, step});
}

std::unique_ptr<GuessSource> indentation_source(const SourceInputs& inputs) {
  if (!inputs.tokenizer) return nullptr;
  return std::make_unique<Indentation>(*inputs.tokenizer, inputs.request.original, inputs.kinds);
}

}  // namespace redraft
