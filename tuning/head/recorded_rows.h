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

inline constexpr int kMaxHeadTokens =
    8;  // maximum number of tokens that a draft head proposes at once
inline constexpr int kMaxHeadLayers = 8;  // maximum number of layers that it reads

// The common properties of the rows of a folder: the recorded target, and how it was recorded.
struct RecordedShape {
  std::string target;     // its name, for users
  std::string digest;     // SHA-256 of its weights
  int hidden = 0;         // width of a row between its layers
  int target_layers = 0;  // number of layers of the target
  int vocabulary = 0;     // width of its predictions
  std::vector<int>
      layers{};    // the layers after which rows were recorded: ascending, 1 to 8 of them
  int tokens = 0;  // tokens that follow the newest one, 1 to 8

  std::size_t feature_count() const { return layers.size() * static_cast<std::size_t>(hidden); }
  bool operator==(const RecordedShape&) const = default;
};

// The text after one row of the target.
struct RowLabels {
  TokenId newest = 0;   // the token after the row
  bool own = false;     // whether the row's first choice is that token
  std::int32_t source;  // number of the file or example that it comes from
  int count = 0;        // how many of `next`, from the first on, are the target's first choices
  std::array<TokenId, kMaxHeadTokens> next{};  // [RecordedShape::tokens]; 0 after the text's end
};

// The progress of a recording.
struct RecordedProgress {
  std::int64_t texts = 0;
  std::int64_t tokens = 0;           // of these texts
  std::uint64_t digest = 0;          // of their tokens, see digest_of_tokens()
  std::vector<std::int64_t> shards;  // rows in each

  std::int64_t rows() const;
};

// The description of a folder of rows (recorded.json).
struct RecordedManifest {
  static constexpr const char* kName = "recorded.json";

  RecordedShape shape;
  std::string settings;  // the options that determine the texts, as on the command line
  RecordedProgress progress;

  // Input is untrusted: every number is checked. Errors name the file, the key and the reason.
  static Result<RecordedManifest> read(const JsonDocument& document);
  std::string text() const;
};

// FNV-1a over the tokens of a text, continuing `before` (initially 0).
std::uint64_t digest_of_tokens(std::uint64_t before, std::span<const TokenId> tokens);

// A shard is two files: "rows-0003.labels" with small records, which are all read, and
// "rows-0003.features" with the wide rows, which are mapped. Both begin with a header of
// kShardHeaderBytes bytes that describes the contents.
inline constexpr std::size_t kShardHeaderBytes = 64;
enum class ShardPart { kFeatures, kLabels };
std::filesystem::path shard_file(const std::filesystem::path& folder, std::size_t shard,
                                 ShardPart part);
std::array<std::byte, kShardHeaderBytes> shard_header(const RecordedShape& shape, ShardPart part);
// The size of one row.
std::size_t row_bytes(const RecordedShape& shape, ShardPart part);
// A row's labels in the file's format: 4-byte little-endian integers.
std::vector<std::int32_t> to_record(const RecordedShape& shape, const RowLabels& labels);

// The rows of a folder. Immutable; any thread may read it. Untrusted: sizes, headers and labels are
// checked when it is opened, features when they are read.
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
