#include "tuning/data/commit_message.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "support/utf8/utf8.h"
#include "text/strings/lines.h"
#include "text/strings/lower_case.h"
#include "text/strings/trimmed.h"

namespace redraft {

namespace {

constexpr std::size_t kMaxBytes = 400;
constexpr int kMinWords = 3;

constexpr std::string_view kSaysNothing[] = {"bump",     "release",     "revert",    "merge",
                                             "version",  "typo",        "lint",      "pre-commit",
                                             "prettier", "changelog",   "wip",       "fixup!",
                                             "squash!",  "apply black", "run black", "reformat"};

// "Signed-off-by: …", "Co-authored-by: …", "Fixes: …".
bool is_trailer(std::string_view line) {
  const std::size_t colon = line.find(": ");
  if (colon == line.npos || line.substr(0, colon).find(' ') != line.npos) return false;
  const std::string key = lower_case(line.substr(0, colon));
  return key.ends_with("-by") || key == "fixes" || key == "closes" || key == "refs" ||
         key == "see-also" || key == "change-id";
}

bool has_digits_only(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Whether a word only has a meaning in the place where the message was written.
bool is_reference(std::string_view word) {
  const std::string_view inner = trimmed(word, "()[].,;:");
  if (inner.starts_with('#') && has_digits_only(inner.substr(1))) return true;
  return inner.find("://") != inner.npos || inner.find('@') != inner.npos;
}

std::string without_references(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (is_reference(word)) {
      // words before a reference: "fixes #12"
      for (const char* lead : {"fixes", "fix", "closes", "close", "see", "resolves", "refs"}) {
        const std::size_t at = out.rfind(' ');
        const std::size_t from = at == out.npos ? 0 : at + 1;
        if (lower_case(std::string_view(out).substr(from)) == lead)
          out.resize(at == out.npos ? 0 : at);
      }
      continue;
    }
    out += (out.empty() ? "" : " ") + std::string(word);
  }
  return out;
}

int words_in(std::string_view text) {
  int words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool is_letter = std::isalpha(static_cast<unsigned char>(c)) != 0;
    words += is_letter && !inside;
    inside = is_letter || (inside && c != ' ');
  }
  return words;
}

}  // namespace

std::optional<std::string> instruction_of(std::string_view message) {
  if (!is_utf8(message)) return std::nullopt;
  std::vector<std::string> lines;  // the subject, then those of the first paragraph
  bool in_body = false;
  while (!message.empty()) {
    const std::string_view line = trimmed(take_line(message));
    if (line.empty()) {
      if (in_body) break;
      continue;
    }
    if (is_trailer(line) || line.starts_with("* ")) break;
    in_body = !lines.empty();
    std::string text = without_references(line);
    // The rest of a line of references ("fixes #1 and #2") is not a description.
    const bool is_rest = text.size() < line.size() && words_in(text) < kMinWords;
    if (!text.empty() && !is_rest) lines.push_back(std::move(text));
  }
  if (lines.empty()) return std::nullopt;
  const std::string subject = lower_case(lines.front());
  for (const std::string_view word : kSaysNothing)
    if (subject.find(word) != subject.npos) return std::nullopt;
  if (words_in(subject) < kMinWords) return std::nullopt;
  std::string out = lines.front();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (out.size() + lines[i].size() + 2 > kMaxBytes) break;
    out += (i == 1 ? (out.ends_with('.') ? " " : ". ") : " ") + lines[i];
  }
  return shortened(out, kMaxBytes);
}

}  // namespace redraft
