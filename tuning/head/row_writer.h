#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/files/lock_file.h"
#include "support/result.h"
#include "support/token.h"
#include "tuning/head/recorded_rows.h"

namespace redraft {

// The rows of one text that are worth learning.
struct TextRows {
  std::vector<std::uint16_t> features;  // [rows, RecordedShape::feature_count()], half precision
  std::vector<RowLabels> labels;        // [rows]
};

// Writes a folder of rows, text by text, or continues one. Rows are only appended, and count once
// the manifest says so, so whatever ends the process, at most the last texts are lost. One process
// at a time uses the folder.
class RowWriter {
 public:
  // Creates the folder if it is missing. Fails if it has rows of another shape or of other
  // settings.
  static Result<RowWriter> open(const std::filesystem::path& folder, RecordedShape shape,
                                std::string settings);

  // The texts that are in the folder already.
  const RecordedProgress& progress() const { return manifest_.progress; }
  // Appends the rows of the next text; `tokens` are all tokens of the text.
  Result<void> add(std::span<const TokenId> tokens, const TextRows& rows);
  // Makes everything added so far permanent; add() does so every few seconds.
  Result<void> save();

 private:
  RowWriter(std::filesystem::path folder, RecordedManifest manifest, LockFile lock)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), lock_(std::move(lock)) {}
  Result<void> open_shard();

  std::filesystem::path folder_;
  RecordedManifest manifest_;
  LockFile lock_;
  FileHandle features_, labels_;  // of the last shard
  std::chrono::steady_clock::time_point saved_at_ = std::chrono::steady_clock::now();
};

}  // namespace redraft
