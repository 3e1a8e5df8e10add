#pragma once

#include <map>
#include <optional>
#include <string>

#include "support/byte_range.h"
#include "support/result.h"

namespace redraft {

// An edit that somebody made: a file before the edit, and a description of the change. The file
// after the edit only shows where the edit is; the target model writes its own.
struct EditPair {
  std::string instruction;
  std::string path;    // path of the file, for its language and name
  std::string before;  // the whole file
  std::string after;
  std::string source;   // where it comes from: "click 2c8cd3ac src/click/core.py"; unique in a run
  std::string licence;  // SPDX; empty: the user's own
};

// Why something is not an example, by its name in the statistics ("no licence that is known").
using LeftOutReason = std::string;

// A source of pairs, read one by one. Not thread-safe.
class PairSource {
 public:
  virtual ~PairSource() = default;
  // nullopt at the end. Counts pairs that it passes over in `skipped`.
  virtual Result<std::optional<EditPair>> next() = 0;

  std::map<LeftOutReason, int> skipped;
};

}  // namespace redraft
