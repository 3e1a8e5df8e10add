#include "workspace/completion/shown_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "support/utf8/utf8.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view without_last_word(std::string_view text) {
  while (!text.empty() && is_word(text.back())) text.remove_suffix(1);
  return text;
}

// The text up to the first invalid bytes.
std::string_view valid_part(std::string_view text) {
  text = text.substr(0, std::min(text.find('\0'), text.size()));
  return text.substr(0, first_invalid_utf8(text).value_or(text.size()));
}

}  // namespace

ShownText::ShownText(const CompletionShape& shape, const CursorText& around,
                     double least_probability)
    : limit_(shape, around),
      around_(around),
      before_line_(shape.before_line),
      keywords_(shape.keywords),
      least_(std::log(least_probability)) {}

bool ShownText::add(std::string_view bytes, double log_probability) {
  if (gated_) return false;
  sum_ += std::isfinite(least_) ? log_probability : 0;
  // Negated, so that a sum that is NaN also ends the text.
  gated_ = !(sum_ >= least_);
  if (!gated_) return limit_.add(bytes);
  const std::string_view before = written();
  within_word_ =
      !before.empty() && is_word(before.back()) && !bytes.empty() && is_word(bytes.front());
  at_line_end_ = bytes.starts_with('\n');
  return false;
}

std::string ShownText::text(bool cut_off) const {
  std::string_view text = valid_part(written());
  const std::size_t newline = text.rfind('\n');
  const bool several = newline != std::string_view::npos;
  // Before a line of text, a part of a line would be joined to it.
  if (gated_ && before_line_) {
    text = text.substr(0, several ? newline + 1 : 0);
  } else if (several && (cut_off || (gated_ && !at_line_end_))) {
    text = text.substr(0, newline + 1);
  } else if (within_word_) {
    text = without_last_word(text);
  }
  const std::string shown = trimmed_completion(text, around_, before_line_);
  return gated_ && only_begins(shown) ? std::string() : shown;
}

bool ShownText::only_begins(std::string_view text) const {
  text = trimmed(text);
  return has_word(keywords_, text) || text.find_first_not_of("([{<\"'`") == std::string_view::npos;
}

}  // namespace redraft
