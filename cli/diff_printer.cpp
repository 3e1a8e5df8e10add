#include "cli/diff_printer.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "support/utf8/hidden_characters.h"
#include "text/strings/lines.h"

namespace redraft::cli {
namespace {

constexpr const char* kBold = "\033[1m";
constexpr const char* kDim = "\033[2m";
constexpr const char* kRed = "\033[31m";
constexpr const char* kGreen = "\033[32m";
constexpr const char* kCyan = "\033[36m";
constexpr const char* kReset = "\033[0m";

std::vector<std::string> copied_lines(std::string_view text) {
  const std::vector<std::string_view> lines = lines_with_newlines(text);
  return {lines.begin(), lines.end()};
}

// A line of source text without its line ending, so that it does not affect the terminal.
std::string printable_line(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return visible_text(line);
}

}  // namespace

LiveDiff::LiveDiff(std::ostream& out, std::string path, std::string_view text, bool colour)
    : out_(out), path_(std::move(path)), text_(text), colour_(colour), lines_(copied_lines(text)) {}

void LiveDiff::add(const TextEdit& edit) {
  const bool shares = !unfinished_.empty() &&
                      whole_lines(text_, edit).begin < whole_lines(text_, unfinished_.back()).end;
  if (!unfinished_.empty() && !shares) show_unfinished();
  unfinished_.push_back(edit);
  if (ends_with_its_lines(text_, edit)) show_unfinished();
}

void LiveDiff::finish() {
  show_unfinished();
  if (any_) context(shown_, std::min(shown_ + kDiffContext, lines_.size()));
  out_.flush();
}

void LiveDiff::show_unfinished() {
  for (const PrintedChange& change : printed_changes(text_, std::exchange(unfinished_, {})))
    show(change);
  out_.flush();
}

void LiveDiff::show(const PrintedChange& change) {
  if (!any_) styled(kBold, visible_text(path_));
  const bool joined = any_ && change.first <= shown_ + 2 * kDiffContext;
  if (joined) {
    context(shown_, change.first);
  } else {
    if (any_) context(shown_, shown_ + kDiffContext);
    const std::size_t begin = change.first - std::min(change.first, kDiffContext);
    styled(kCyan,
           "@@ -" + std::to_string(begin + 1) + " +" + std::to_string(begin + 1 + shift_) + " @@");
    context(begin, change.first);
  }
  for (const std::string& line : change.old_lines) styled(kRed, "-" + printable_line(line));
  for (const std::string& line : change.new_lines) styled(kGreen, "+" + printable_line(line));
  shown_ = change.first + change.old_lines.size();
  shift_ += std::ssize(change.new_lines) - std::ssize(change.old_lines);
  any_ = true;
}

void LiveDiff::context(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) styled(kDim, " " + printable_line(lines_[i]));
}

// The style ends with the line, so that an interrupted diff leaves the terminal as it was.
void LiveDiff::styled(const char* style, const std::string& line) {
  if (colour_) {
    out_ << style << line << kReset << '\n';
  } else {
    out_ << line << '\n';
  }
}

}  // namespace redraft::cli
