#include "http/api/answer_text.h"

#include <algorithm>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::http {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// See StopStrings::Matcher.
std::vector<std::size_t> borders_of(const std::string& text) {
  std::vector<std::size_t> borders(text.size() + 1, 0);
  std::size_t border = 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    while (border > 0 && text[i] != text[border]) border = borders[border];
    if (text[i] == text[border]) ++border;
    borders[i + 1] = border;
  }
  return borders;
}

}  // namespace

StopStrings::StopStrings(const std::vector<std::string>& stops) {
  for (const std::string& stop : stops) matchers_.push_back({stop, borders_of(stop)});
}

bool StopStrings::Matcher::add(char byte) {
  if (matched == stop.size()) matched = borders[matched];
  while (matched > 0 && stop[matched] != byte) matched = borders[matched];
  if (stop[matched] == byte) ++matched;
  return matched == stop.size();
}

std::optional<std::size_t> StopStrings::add(char byte) {
  std::optional<std::size_t> complete;
  for (std::size_t i = 0; i < matchers_.size(); ++i) {
    if (!matchers_[i].add(byte)) continue;
    if (!complete || matchers_[*complete].stop.size() < matchers_[i].stop.size()) complete = i;
  }
  return complete;
}

std::size_t StopStrings::held() const {
  std::size_t held = 0;
  for (const Matcher& matcher : matchers_) held = std::max(held, matcher.matched);
  return held;
}

AnswerText::AnswerText(Limits limits, std::function<Clock::time_point()> now)
    : stops_(limits.stops), limits_(std::move(limits)), now_(std::move(now)) {}

bool AnswerText::add(std::string_view bytes) {
  if (!begin_ && limits_.time) begin_ = now_();
  for (const char byte : bytes) {
    if (end_ != End::kNone || !add(byte)) break;
  }
  repair(end_ != End::kNone);
  return end_ == End::kNone;
}

bool AnswerText::add(char byte) {
  if (!passes_line_limits(byte)) {
    release(0);
    end_ = End::kLimit;
    return false;
  }
  held_ += byte;
  if (const std::optional<std::size_t> complete = stops_.add(byte)) {
    stopping_word_ = stops_.stop(*complete);
    release(stopping_word_.size());
    held_.clear();
    end_ = End::kStop;
    return false;
  }
  release(stops_.held());
  const bool too_late = byte == '\n' && begin_ && now_() - *begin_ > *limits_.time;
  if (!too_late) return true;
  release(0);
  end_ = End::kLimit;
  return false;
}

// Like llama.cpp: from the second line on, each line must begin with this many blanks.
bool AnswerText::passes_line_limits(char byte) {
  if (limits_.min_indent == 0) return true;
  const bool blank = byte == ' ' || byte == '\t';
  if (in_indent_ && blank) ++indent_;
  if (in_indent_ && !blank) {
    in_indent_ = false;
    if (indent_ < limits_.min_indent) return false;
  }
  if (byte == '\n') {
    in_indent_ = true;
    indent_ = 0;
  }
  return true;
}

// All but the last `held` bytes can no longer become a stop.
void AnswerText::release(std::size_t held) {
  const std::size_t certain = held_.size() - held;
  raw_.append(held_, 0, certain);
  held_.erase(0, certain);
  certain_bytes_ += certain;
}

void AnswerText::finish() {
  release(0);
  repair(true);
}

// Moves characters from raw_ to ready_. The last one may be cut off unless it is `complete`.
void AnswerText::repair(bool complete) {
  while (!raw_.empty()) {
    const std::size_t valid = first_invalid_utf8(raw_).value_or(raw_.size());
    ready_.append(raw_, 0, valid);
    raw_.erase(0, valid);
    if (raw_.empty() || (!complete && is_utf8(raw_, false))) return;
    ready_ += kReplacement;
    raw_.erase(0, 1);
  }
}

std::string AnswerText::take() { return std::exchange(ready_, {}); }

}  // namespace redraft::http
