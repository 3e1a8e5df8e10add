#pragma once

#include <cstdint>

namespace redraft {

// Says who decided a change of a text.
enum class DecidedBy : std::uint8_t {
  kLines,  // equal lines of the file say where it goes
  kTree,   // the syntax tree found its place, or wrote it
  kModel,  // the model wrote it
};

constexpr const char* to_string(DecidedBy by) {
  switch (by) {
    case DecidedBy::kLines:
      return "lines";
    case DecidedBy::kTree:
      return "tree";
    case DecidedBy::kModel:
      return "model";
  }
  return "";
}

// Where a change comes from. Whether it has a doubt is another fact.
struct ChangeOrigin {
  DecidedBy decided_by = DecidedBy::kModel;
  // The changes of one part were made together: the lines of a place that the model wrote, or one
  // hunk or block of what another assistant wrote.
  int part = 0;
  // The change shows every line that it removes, as a diff does.
  bool shows_removed = false;
  friend bool operator==(const ChangeOrigin&, const ChangeOrigin&) = default;
};

}  // namespace redraft
