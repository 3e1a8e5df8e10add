// gpu_bench [1.5b|7b] [FORMAT]: what passes cost on this machine's GPU, for a model with that shape
// and random weights, compared with the GPU's memory bandwidth. FORMAT is the name of a weight
// format (BF16, Q4_K, …); BF16 by default.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cuda/device_probe.h"
#include "cuda/runtime.h"
#include "cuda/transformer.h"
#include "decoding/acceptance.h"
#include "decoding/kernels/half.h"
#include "decoding/model_powers.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

constexpr int kRepeats = 20;
constexpr int kContext = 1000;

TransformerShape shape_of(const std::string& size) {
  TransformerShape shape;
  shape.architecture = find_architecture("qwen2");
  shape.context_length = 32768;
  shape.head_dim = 128;
  shape.epsilon = 1e-6;
  shape.rope_base = 1e6;
  shape.vocabulary = 151936;
  if (size == "7b") {
    shape.layers = 28;
    shape.hidden = 3584;
    shape.feed_forward = 18944;
    shape.heads = 28;
    shape.kv_heads = 4;
  } else {
    shape.layers = 28;
    shape.hidden = 1536;
    shape.feed_forward = 8960;
    shape.heads = 12;
    shape.kv_heads = 2;
  }
  return shape;
}

// A model of a given shape whose tensors all share the same random bytes; each still costs as much
// to read as a tensor of its own.
class RandomFiles : public ModelFiles {
 public:
  RandomFiles(const TransformerShape& shape, WeightFormat format)
      : path_("random"), shape_(shape), format_(format) {
    const int most = std::max({shape.vocabulary, shape.feed_forward, shape.query_width()});
    matrix_.resize(weight_bytes(format, most, shape.hidden));
    fill();
    vector_.assign(static_cast<std::size_t>(most) * sizeof(float), 0);
    for (std::size_t i = 0; i < vector_.size(); i += sizeof(float)) {
      const float one = 1.0F;
      std::memcpy(&vector_[i], &one, sizeof one);
    }
    add_roles();
  }

  const std::string& path() const override { return path_; }
  std::string name() const override { return path_; }
  Result<TransformerShape> shape() const override { return shape_; }
  Result<TokenizerSpec> tokenizer_spec() const override { return Error("random: no tokenizer"); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    const auto found = tensors_.find(std::string(role));
    return found == tensors_.end() ? nullptr : &found->second;
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    return Error("random: tensor '" + std::string(role) + "': " + std::string(reason));
  }
  void release_pages() const override {}

 private:
  // Random codes with small scales: some megabytes, repeated.
  void fill() {
    const WeightFormatInfo& info = *weight_format_info(format_);
    const auto block = static_cast<std::size_t>(info.block_bytes);
    std::minstd_rand random(1);
    const std::size_t some = std::min(matrix_.size(), (std::size_t{1} << 20) / block * block);
    for (std::size_t at = 0; at < some; at += block) {
      for (std::size_t i = 0; i < block; ++i)
        matrix_[at + i] = static_cast<std::uint8_t>(random() >> 8);
      const std::uint16_t scale = format_ == WeightFormat::kBF16 ? 0x3c00 : 0x1400;
      const std::size_t d = format_ == WeightFormat::kQ6_K ? block - 2 : 0;
      const auto number = static_cast<std::uint16_t>(scale | (random() >> 8 & 0x80ff));
      std::memcpy(&matrix_[at + d], &number, 2);
      if (format_ == WeightFormat::kQ4_K || format_ == WeightFormat::kQ5_K ||
          format_ == WeightFormat::kQ4_1 || format_ == WeightFormat::kQ5_1)
        std::memcpy(&matrix_[at + 2], &scale, 2);
    }
    for (std::size_t at = some; at < matrix_.size(); at += some)
      std::memcpy(&matrix_[at], &matrix_[0], std::min(some, matrix_.size() - at));
  }

  void matrix(const std::string& role, int n, int k) {
    tensors_[role] = {role, format_, {k, n}, {matrix_.data(), weight_bytes(format_, n, k)}};
  }
  void vector(const std::string& role, int n) {
    tensors_[role] = {
        role, WeightFormat::kF32, {n}, {vector_.data(), static_cast<std::size_t>(n) * 4}};
  }
  void add_roles() {
    matrix("token_embd.weight", shape_.vocabulary, shape_.hidden);
    vector("output_norm.weight", shape_.hidden);
    for (int i = 0; i < shape_.layers; ++i) {
      const std::string prefix = "blk." + std::to_string(i) + ".";
      vector(prefix + "attn_norm.weight", shape_.hidden);
      matrix(prefix + "attn_q.weight", shape_.query_width(), shape_.hidden);
      matrix(prefix + "attn_k.weight", shape_.kv_width(), shape_.hidden);
      matrix(prefix + "attn_v.weight", shape_.kv_width(), shape_.hidden);
      matrix(prefix + "attn_output.weight", shape_.hidden, shape_.query_width());
      vector(prefix + "ffn_norm.weight", shape_.hidden);
      matrix(prefix + "ffn_gate.weight", shape_.feed_forward, shape_.hidden);
      matrix(prefix + "ffn_up.weight", shape_.feed_forward, shape_.hidden);
      matrix(prefix + "ffn_down.weight", shape_.hidden, shape_.feed_forward);
    }
  }

  std::string path_;
  TransformerShape shape_;
  WeightFormat format_;
  std::vector<std::uint8_t> matrix_, vector_;
  std::map<std::string, StoredTensor> tensors_;
};
template <typename Work>
double median_seconds(const Work& work) {
  std::vector<double> all;
  for (int i = 0; i < kRepeats + 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const double took = seconds_since(start);
    if (i >= 3) all.push_back(took);
  }
  std::nth_element(all.begin(), all.begin() + kRepeats / 2, all.end());
  return all[kRepeats / 2];
}

std::vector<TokenId> some_tokens(int count) {
  return std::vector<TokenId>(static_cast<std::size_t>(count), 17);
}

void print_passes(LanguageModel& model, double bandwidth) {
  const auto cache = model.new_cache(kContext + 512);
  model.forward(some_tokens(kContext), {}, *cache, {.every_row = false});
  std::printf("%5s %10s %8s %12s %14s\n", "rows", "ms", "of one", "of the copy", "queued in us");
  double one = 0;
  for (const int rows : {1, 2, 4, 8, 16, 32, 64, 128}) {
    const DraftTree draft = DraftTree::chain(some_tokens(rows - 1), DraftOrigin::kOther);
    const TokenId next = 3;
    double queued = 1;
    const double seconds = median_seconds([&] {
      Predictions predictions;
      const auto start = std::chrono::steady_clock::now();
      model.verify(
          {&next, 1}, draft, *cache, [&] { queued = std::min(queued, seconds_since(start)); },
          predictions);
      cache->truncate(kContext);
    });
    if (rows == 1) one = seconds;
    std::printf("%5d %10.3f %8.2f %11.0f%% %14.0f\n", rows, 1e3 * seconds, seconds / one,
                100 * model.measuring()->work(rows, kContext).bytes / seconds / bandwidth,
                1e6 * queued);
  }
  // The cost of the host is how much longer a step takes by itself than in a sequence.
  const int steps = model.steps_at_once();
  const TokenId next = 3;
  const double together = median_seconds([&] {
    model.continue_greedily({&next, 1}, steps, *cache);
    cache->truncate(kContext);
  });
  std::printf("%d tokens in one go: %.3f ms each, %.0f us less than by itself\n", steps,
              1e3 * together / steps, 1e6 * (one - together / steps));
}

void print_prompt(LanguageModel& model) {
  constexpr int kTokens = 2048;
  const auto cache = model.new_cache(kTokens);
  const double seconds = median_seconds([&] {
    cache->truncate(0);
    model.forward(some_tokens(kTokens), {}, *cache, {.every_row = false});
  });
  // The head runs for one row only, so work() of all rows counts slightly too much.
  std::printf("prompt of %d tokens: %.1f ms, %.0f tokens/s, about %.0f TFLOP/s\n", kTokens,
              1e3 * seconds, kTokens / seconds,
              2e-12 * model.measuring()->work(kTokens, 0).float_macs / seconds);
}

int run(const std::string& size, const std::string& format_name) {
  const Result<cuda::DeviceInfo> device = cuda::find_device();
  if (!device) {
    std::printf("%s\n", device.error().message().c_str());
    return EXIT_FAILURE;
  }
  const WeightFormatInfo* info = nullptr;
  WeightFormat format = WeightFormat::kBF16;
  for (std::uint32_t number = 0; number < 64; ++number) {
    const auto candidate = static_cast<WeightFormat>(number);
    const WeightFormatInfo* of = weight_format_info(candidate);
    if (of && of->name == format_name) {
      info = of;
      format = candidate;
    }
  }
  if (!info) {
    std::printf("no weight format '%s'\n", format_name.c_str());
    return EXIT_FAILURE;
  }
  if (size != "1.5b" && size != "7b") {
    std::printf("no size '%s': 1.5b or 7b\n", size.c_str());
    return EXIT_FAILURE;
  }
  ThreadPool pool(8);
  auto model = cuda::load_transformer(std::make_shared<RandomFiles>(shape_of(size), format), pool);
  if (!model) {
    std::printf("%s\n", model.error().message().c_str());
    return EXIT_FAILURE;
  }
  const kernels::MachinePeak peak = cuda::DeviceProbe().peak();
  std::printf("%s, a copy moves %.0f GB/s, matrix instructions make %.0f TFLOP/s\n",
              device->name.c_str(), peak.bandwidth_gbps, 2e-3 * peak.bf16_gmacs);
  std::printf("%s-shaped, %s, random weights, %d tokens of context\n", size.c_str(), info->name,
              kContext);
  print_passes(**model, 1e9 * peak.bandwidth_gbps);
  print_prompt(**model);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace redraft

int main(int count, char** arguments) {
  try {
    return redraft::run(count > 1 ? arguments[1] : "1.5b", count > 2 ? arguments[2] : "BF16");
  } catch (const std::exception& failure) {
    std::printf("%s\n", failure.what());
    return EXIT_FAILURE;
  }
}
