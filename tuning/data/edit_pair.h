#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/byte_range.h"
#include "support/result.h"

namespace redraft {

// An edit that somebody made: what a file was, and in words what changed. What it became only says
// where the edit is; the target model writes its own.
struct EditPair {
  std::string instruction;
  std::string path;    // of the file, for its language and name
  std::string before;  // the whole file
  std::string after;
  std::string source;   // who it is from: "click 2c8cd3ac src/click/core.py"; unique in a run
  std::string licence;  // SPDX; empty: the user's own
};

// Why something is not an example, by its name in the statistics ("no licence that is known").
using LeftOutReason = std::string;

// A source of pairs, read one by one. Not for several threads.
class PairSource {
 public:
  virtual ~PairSource() = default;
  // None at the end. What is passed over on the way is counted in `skipped`.
  virtual Result<std::optional<EditPair>> next() = 0;

  std::map<LeftOutReason, int> skipped;
};

}  // namespace redraft
