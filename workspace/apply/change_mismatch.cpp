#include "workspace/apply/change_mismatch.h"

#include <cstddef>

namespace redraft {
namespace {

std::string shown(const FileLineRange& range) {
  const std::string first = std::to_string(range.first);
  return range.first == range.last ? "line " + first
                                   : "lines " + first + "-" + std::to_string(range.last);
}

std::string shown(const DifferentLine& one) {
  if (!one.there) return "  the file lacks: " + one.expected.value_or("");
  const std::string where = one.line ? "  line " + std::to_string(*one.line) + ": " : "  ";
  if (!one.expected) return where + "the change lacks: " + *one.there;
  return where + "the change has: " + *one.expected + "\n" + std::string(where.size(), ' ') +
         "the file has:   " + *one.there;
}

// "the closest lines are 12-18" and what to do with them.
std::string advice(const Mismatch& mismatch) {
  if (mismatch.kind == MismatchKind::kNoLocation)
    return "show the line above or below the new lines";
  if (mismatch.regions.empty()) return "nothing in the file is like these lines: read the file";
  const FileLineRange& first = mismatch.regions.front();
  const bool is_one = first.first == first.last;
  const std::string closest = shown(first) + " of the file", is = is_one ? " is" : " are";
  switch (mismatch.kind) {
    case MismatchKind::kSeveralPlaces: {
      std::string all;
      for (const FileLineRange& range : mismatch.regions)
        all += (all.empty() ? "" : "; ") + shown(range);
      return "they fit " + all + ": show more of the lines around the one that is meant";
    }
    case MismatchKind::kAlreadyThere:
      return closest + (is_one ? " has" : " have") +
             " the new text already: nothing is left to change there";
    case MismatchKind::kWhitespace:
      return closest + is + " the same but for blanks: write the lines as the file has them";
    case MismatchKind::kQuotes:
      return closest + is + " the same but for quotes: write the lines as the file has them";
    default:
      return closest + is + " the closest: write these lines as the file has them";
  }
}

}  // namespace

const char* to_string(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::kSeveralPlaces:
      return "several places";
    case MismatchKind::kAlreadyThere:
      return "already there";
    case MismatchKind::kWhitespace:
      return "whitespace";
    case MismatchKind::kQuotes:
      return "quotes";
    case MismatchKind::kStaleLines:
      return "stale lines";
    case MismatchKind::kNoLocation:
      return "no location";
    case MismatchKind::kNothingAlike:
      return "nothing alike";
    case MismatchKind::kOther:
      return "other";
  }
  return "";
}

std::string described(const Mismatch& mismatch) {
  std::string text =
      "part " + std::to_string(mismatch.part) + ": " + mismatch.reason + "; " + advice(mismatch);
  for (const DifferentLine& one : mismatch.lines) text += "\n" + shown(one);
  return text;
}

}  // namespace redraft
