#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/safetensors.h"
#include "decoding/model/transformer_shape.h"
#include "support/json/json_document.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// The numbers of a draft head (see draft_head.h), and of the target that it was trained for.
struct DraftHeadShape {
  int hidden = 0;             // the target's; a multiple of 32
  int target_layers = 0;      // so many the target has
  int target_vocabulary = 0;  // the width of the target's predictions
  std::vector<int> layers;    // after which the head reads the residual stream: 1 to 8, ascending
  int tokens = 0;             // so many it proposes, 1 to 8
  int width = 0;              // of its feed-forward layer; a multiple of 32
  int vocabulary = 0;         // so many tokens it knows, at most target_vocabulary
  std::string target;         // what people call the target; may be empty

  bool operator==(const DraftHeadShape&) const = default;
};

// A tensor of weights in a head's file.
struct DraftHeadTensor {
  std::string name;
  std::int64_t rows = 0;  // outputs; 0: a vector
  std::int64_t columns = 0;

  std::int64_t size() const { return (rows == 0 ? 1 : rows) * columns; }
};

// All tensors of weights, in the order in which write_draft_head() takes them.
std::vector<DraftHeadTensor> draft_head_tensors(const DraftHeadShape& shape);

// A draft head as a folder holds it: draft_head.json and draft_head.safetensors. Not trusted until
// parsed: every number is in its range, every tensor is there, has its shape and is finite, nothing
// else is there, and the tokens ascend within the target's vocabulary. Errors name the file, the
// key or tensor, and the reason.
class DraftHeadFiles {
 public:
  static constexpr const char* kConfigName = "draft_head.json";
  static constexpr const char* kWeightsName = "draft_head.safetensors";

  static Result<DraftHeadFiles> open(const std::filesystem::path& folder);
  // `weights` were parsed with integers.
  static Result<DraftHeadFiles> parse(const JsonDocument& config, SafetensorsFile weights);

  const DraftHeadShape& shape() const { return shape_; }
  // The target's token for each of the head's, ascending: [shape().vocabulary].
  const std::vector<TokenId>& vocabulary() const { return vocabulary_; }
  // One of draft_head_tensors(). Its bytes live as long as this object.
  const StoredTensor& tensor(std::string_view name) const;
  // An error unless the target has the numbers that the head was trained for. `target` is its name
  // in the error.
  Result<void> check_fits(const TransformerShape& shape, std::string_view target) const;
  // "FILE: tensor 'NAME': reason".
  Error tensor_error(std::string_view name, std::string_view reason) const {
    return weights_.tensor_error(name, reason);
  }
  // Releases the mapped pages read so far.
  void release_pages() const { weights_.release_pages(); }

 private:
  DraftHeadFiles(std::string config_name, DraftHeadShape shape, SafetensorsFile weights)
      : config_name_(std::move(config_name)),
        shape_(std::move(shape)),
        weights_(std::move(weights)) {}
  Result<void> check_tensors();
  Result<void> take_vocabulary();

  std::string config_name_;
  DraftHeadShape shape_;
  SafetensorsFile weights_;
  std::vector<TokenId> vocabulary_;
};

// Writes both files to an existing folder; each is replaced as a whole. `parameters` are all
// numbers of draft_head_tensors(shape), one tensor after the other, rows first; `vocabulary` is as
// DraftHeadFiles::vocabulary().
Result<void> write_draft_head(const std::filesystem::path& folder, const DraftHeadShape& shape,
                              std::span<const float> parameters,
                              std::span<const TokenId> vocabulary);

}  // namespace redraft
