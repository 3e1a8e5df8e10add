#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "support/files/mapped_file.h"
#include "support/json/json_document.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

inline constexpr int kMaxHeadTokens = 8;  // that a draft head proposes at once
inline constexpr int kMaxHeadLayers = 8;  // that it reads

// What the rows of a folder have in common: the target that was recorded, and how.
struct RecordedShape {
  std::string target;         // its name, for people
  std::string digest;         // SHA-256 of its weights
  int hidden = 0;             // width of a row between its layers
  int target_layers = 0;      // so many it has
  int vocabulary = 0;         // width of its predictions
  std::vector<int> layers{};  // after which rows were recorded: ascending, 1 to 8
  int tokens = 0;             // that follow the newest one, 1 to 8

  std::size_t feature_count() const { return layers.size() * static_cast<std::size_t>(hidden); }
  bool operator==(const RecordedShape&) const = default;
};

// What came after one row of the target.
struct RowLabels {
  TokenId newest = 0;   // the token behind the row
  bool own = false;     // the row's first choice is that token
  std::int32_t source;  // number of the file or example that it is from
  int count = 0;  // how many of `next` are the target's first choices in a row, from the first
  std::array<TokenId, kMaxHeadTokens> next{};  // [RecordedShape::tokens]; 0 behind the text's end
};

// How far a recording has come.
struct RecordedProgress {
  std::int64_t texts = 0;
  std::int64_t tokens = 0;           // of these texts
  std::uint64_t digest = 0;          // of their tokens, see digest_of_tokens()
  std::vector<std::int64_t> shards;  // rows in each

  std::int64_t rows() const;
};

// What a folder of rows says about itself (recorded.json).
struct RecordedManifest {
  static constexpr const char* kName = "recorded.json";

  RecordedShape shape;
  std::string settings;  // what decided the texts, in the words of the command line
  RecordedProgress progress;

  // Not trusted: every number is in its range. Errors name the file, the key and the reason.
  static Result<RecordedManifest> read(const JsonDocument& document);
  std::string text() const;
};

// FNV-1a over the tokens of a text, on top of that of those before it (at first 0).
std::uint64_t digest_of_tokens(std::uint64_t before, std::span<const TokenId> tokens);

// A shard is two files: "rows-0003.labels" with small records that are all read, and
// "rows-0003.features" with the wide rows that are mapped. Both begin with kShardHeaderBytes bytes
// that say what is in them.
inline constexpr std::size_t kShardHeaderBytes = 64;
enum class ShardPart { kFeatures, kLabels };
std::filesystem::path shard_file(const std::filesystem::path& folder, std::size_t shard,
                                 ShardPart part);
std::array<std::byte, kShardHeaderBytes> shard_header(const RecordedShape& shape, ShardPart part);
// Of one row.
std::size_t row_bytes(const RecordedShape& shape, ShardPart part);
// A row's labels as the file has them: 4-byte integers, lowest byte first.
std::vector<std::int32_t> to_record(const RecordedShape& shape, const RowLabels& labels);

// The rows of a folder. Immutable; any thread may read it. Not trusted: sizes, headers and labels
// are checked when it is opened, features when they are read.
class RecordedRows {
 public:
  static Result<RecordedRows> open(const std::filesystem::path& folder);

  const RecordedShape& shape() const { return manifest_.shape; }
  std::size_t size() const { return labels_.size(); }
  const RowLabels& labels(std::size_t row) const { return labels_[row]; }
  // [layers, hidden] in half precision. Valid as long as this object.
  std::span<const std::uint16_t> features(std::size_t row) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  RecordedRows(std::filesystem::path folder, RecordedManifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}
  Result<void> read_shard(std::size_t shard);

  std::filesystem::path folder_;
  RecordedManifest manifest_;
  std::vector<RowLabels> labels_;
  std::vector<MappedFile> features_;
  std::vector<std::size_t> first_rows_;  // of each shard
};

}  // namespace redraft
