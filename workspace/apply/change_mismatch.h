// Why a part of a change has no place, told so that the next try fits: the lines of the file that
// it may mean, and what is different there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft {

enum class MismatchKind : std::uint8_t {
  kSeveralPlaces,  // the lines are at several places: `regions` has them
  kAlreadyThere,   // the region has the new lines, or some of them: an earlier edit made the change
  kWhitespace,     // the region has the same lines but for blanks
  kQuotes,         // the region has the same lines but for quotes
  kStaleLines,     // `lines` of the region are others
  kNoLocation,     // the change does not say where its lines go; `regions` is empty
  kNothingAlike,   // nothing in the file is like the lines; `regions` is empty
  kOther,          // see `reason`
};

const char* to_string(MismatchKind kind);  // "several places", "already there", "whitespace", ...

// Whole lines of the file, from 1; the last is part of them.
struct FileLineRange {
  int first = 1, last = 1;
  friend bool operator==(const FileLineRange&, const FileLineRange&) = default;
};

// A line that the change expects and the line that the file has there. One may be missing.
struct DifferentLine {
  std::optional<int> line;              // of the file, from 1
  std::optional<std::string> expected;  // as the change has it; nothing: it lacks the line
  std::optional<std::string> there;     // as the file has it; nothing: it lacks the line
};

struct Mismatch {
  int part = 1;        // which hunk, block or snippet of the change, from 1
  std::string reason;  // for people: "'return x' is at 3 places"
  MismatchKind kind = MismatchKind::kOther;
  // The closest lines, the best first. With kSeveralPlaces all of them, ascending, at most 20.
  std::vector<FileLineRange> regions = {};
  // What is different in the first region, in the order of the file; at most 20. Empty with
  // kSeveralPlaces.
  std::vector<DifferentLine> lines = {};
};

// Several lines of text for people and for agents, without a newline at the end: the reason, where
// the closest lines are, what they are, and how to write the change so that it fits.
std::string described(const Mismatch& mismatch);

}  // namespace redraft
