#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/json/json_document.h"
#include "tuning/data/edit_pair.h"
#include "tuning/data/licences.h"

namespace redraft {

// Two unpacked releases of a package: yields every source file that is in both and differs, with
// one instruction for all.
class ReleasePairs : public PairSource {
 public:
  static Result<ReleasePairs> open(const std::filesystem::path& before,
                                   const std::filesystem::path& after, std::string instruction,
                                   std::string licence);
  Result<std::optional<EditPair>> next() override;

 private:
  ReleasePairs() = default;
  std::filesystem::path before_, after_;
  std::string instruction_, licence_, name_;
  std::vector<std::string> paths_;  // paths in both releases, sorted
  std::size_t at_ = 0;
};

// One JSON object per line: "instruction", "before", "after" and optionally "path" (its ending
// determines the language; Python by default) and "licence" (an SPDX expression). Untrusted.
class JsonlPairs : public PairSource {
 public:
  // `licence` is the licence of lines without one; nullopt: such lines are passed over.
  static Result<JsonlPairs> open(const std::filesystem::path& file,
                                 std::optional<std::string> licence);
  Result<std::optional<EditPair>> next() override;

 private:
  JsonlPairs() = default;
  std::string name_, text_;
  std::optional<std::string> licence_;
  std::size_t at_ = 0;  // position in the text
  int line_ = 0;
};

// The source files below a folder that may be learnt from (is_source_to_learn), as paths relative
// to it; larger ones are left out.
inline constexpr std::size_t kMaxLearntFileBytes = 256 << 10;
std::set<std::string> sources_to_learn(const std::filesystem::path& folder);

// The licence files and package metadata at the top of a folder.
Result<std::vector<NamedText>> licence_files_of(const std::filesystem::path& folder);

// Reads a regular file of at most `max_bytes`.
Result<std::string> read_text_file(const std::filesystem::path& file, std::size_t max_bytes);

}  // namespace redraft
