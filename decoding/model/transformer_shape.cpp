#include "decoding/model/transformer_shape.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

namespace redraft {

namespace {

// Reads "<architecture>.<name>" keys; the first error stays.
class ShapeReader {
 public:
  ShapeReader(const GgufFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}

  int integer(const std::string& name, int most, int least = 1) {
    Result<std::int64_t> value = file_.integer(prefix_ + name, least, most);
    if (!value && !error_) error_ = value.error();
    return value ? static_cast<int>(*value) : least;
  }
  double positive(const std::string& name) {
    Result<double> value = file_.number(prefix_ + name);
    if (value && !(std::isfinite(*value) && *value > 0))
      value = file_.key_error(prefix_ + name, "is not positive");
    if (!value && !error_) error_ = value.error();
    return value ? *value : 1;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  const GgufFile& file_;
  std::string prefix_;
  std::optional<Error> error_;
};

}  // namespace

Result<TransformerShape> read_shape(const GgufFile& file) {
  Result<std::string_view> architecture = file.text("general.architecture");
  if (!architecture) return architecture.error();
  if (*architecture != "qwen2") {
    return Error(file.name() + ": architecture " + quoted(*architecture) +
                 " is not supported; redraft runs qwen2 models (Qwen2.5-Coder)");
  }
  TransformerShape shape;
  shape.architecture = *architecture;
  // Far above any model that fits such a machine, far below any product that overflows an int.
  constexpr int kMostWidth = 1 << 17;
  constexpr int kHeadGranularity = 16;  // what the attention kernels take
  ShapeReader reader(file, shape.architecture + ".");
  shape.layers = reader.integer("block_count", 1024);
  shape.context_length = reader.integer("context_length", 1 << 22, 2);
  shape.hidden = reader.integer("embedding_length", kMostWidth);
  shape.feed_forward = reader.integer("feed_forward_length", kMostWidth);
  shape.heads = reader.integer("attention.head_count", 1024);
  shape.kv_heads = reader.integer("attention.head_count_kv", 1024);
  shape.rope_base = reader.positive("rope.freq_base");
  shape.epsilon = reader.positive("attention.layer_norm_rms_epsilon");
  if (reader.error()) return *reader.error();
  if (shape.hidden % (kHeadGranularity * shape.heads) != 0) {
    return file.key_error(
        shape.architecture + ".attention.head_count",
        "heads are not a multiple of " + std::to_string(kHeadGranularity) + " wide");
  }
  if (shape.heads % shape.kv_heads != 0) {
    return file.key_error(shape.architecture + ".attention.head_count_kv",
                          "key-value heads do not divide the heads");
  }
  shape.head_dim = shape.hidden / shape.heads;
  const StoredTensor* embedding = file.find_tensor("token_embd.weight");
  if (!embedding) return file.tensor_error("token_embd.weight", "missing");
  if (embedding->rows() > (1 << 24))
    return file.tensor_error("token_embd.weight", "an impossible vocabulary");
  shape.vocabulary = static_cast<int>(embedding->rows());
  return shape;
}

}  // namespace redraft
