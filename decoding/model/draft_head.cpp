// What it computes, with rms(x; g) = g * x / rms(x), e the embedding of the token behind the row
// and f_i the row's residual stream after the chosen layers:
//
//   u        = W_input [rms(f_0; g_0) … rms(e; g_token)]
//   x        = u + W_down (silu(W_gate n) * (W_up n))        with n = rms(u; g_mlp)
//   y_k      = rms(x + W_k rms(x; g_place); g_output)        for each place k
//   logits_k = W_vocabulary y_k
//
// Medusa (Cai et al. 2024) proposes several tokens from one hidden state; Hydra (Ankner et al.
// 2024) adds the newest token; EAGLE-3 (Li et al. 2025) reads three layers; FR-Spec (Zhao et al.
// 2025) drafts from frequent tokens only.
#include "decoding/model/draft_head.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "decoding/kernels/huge_pages.h"
#include "decoding/kernels/weight_rounding.h"
#include "decoding/model/best_places.h"
#include "decoding/model/operators.h"
#include "decoding/model/packing.h"

namespace redraft {

namespace {

// Four bits: what is proposed is verified anyway, and the weights are most of what a run costs.
constexpr WeightFormat kHeld = WeightFormat::kQ4_0;
constexpr std::size_t kAlignment = 64;
constexpr int kRowsAtOnce = 16;  // that a thread rounds

at::Tensor floats(std::int64_t rows, std::int64_t columns) {
  return at::empty({rows, columns}, at::kFloat);
}

// One matrix of the file, rounded.
struct RoundedMatrix {
  LinearWeight* target;
  std::vector<std::uint8_t> bytes;
  StoredTensor tensor;
};

RoundedMatrix round_matrix(const StoredTensor& stored, LinearWeight& target, ThreadPool& pool) {
  const auto n = static_cast<int>(stored.rows());
  const auto k = static_cast<int>(stored.columns());
  target.format = kHeld;
  target.n = n;
  target.k = k;
  RoundedMatrix rounded{.target = &target, .bytes = {}, .tensor = {}};
  const std::size_t row_bytes = weight_bytes(kHeld, 1, k);
  const std::size_t stored_bytes = weight_bytes(stored.format, 1, k);
  rounded.bytes.resize(row_bytes * static_cast<std::size_t>(n));
  pool.parallel_for(n, kRowsAtOnce, [&](int begin, int end) {
    std::vector<float> row(static_cast<std::size_t>(k));
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      dequantize_row(stored.format, stored.data.data() + r * stored_bytes, k, row.data());
      quantize_row(kHeld, row.data(), k, rounded.bytes.data() + r * row_bytes);
    }
  });
  rounded.tensor = {.name = stored.name, .format = kHeld, .shape = {k, n}, .data = rounded.bytes};
  return rounded;
}

}  // namespace

DraftHead::DraftHead(DraftHeadShape shape, std::vector<TokenId> vocabulary, double epsilon,
                     kernels::Isa isa)
    : shape_(std::move(shape)), vocabulary_(std::move(vocabulary)), epsilon_(epsilon) {
  const auto parts = static_cast<int>(shape_.layers.size()) + 1;
  input_norms_ = floats(parts, shape_.hidden);
  for (at::Tensor* norm : {&mlp_norm_, &place_norm_, &output_norm_})
    *norm = at::empty({shape_.hidden}, at::kFloat);
  places_.resize(static_cast<std::size_t>(shape_.tokens));
  parts_ = floats(parts, shape_.hidden);
  joined_ = floats(parts, shape_.hidden);
  stream_ = floats(1, shape_.hidden);
  normed_ = floats(1, shape_.hidden);
  gate_row_ = floats(1, shape_.width);
  up_row_ = floats(1, shape_.width);
  proposed_ = floats(shape_.tokens, shape_.hidden);
  outputs_ = floats(shape_.tokens, shape_.hidden);
  logits_ = floats(shape_.tokens, shape_.vocabulary);
  const std::size_t bytes = std::max({kernels::quantized_bytes(isa, 1, parts * shape_.hidden),
                                      kernels::quantized_bytes(isa, 1, shape_.width),
                                      kernels::quantized_bytes(isa, shape_.tokens, shape_.hidden)});
  quantized_ = at::empty({static_cast<std::int64_t>(bytes)}, at::kByte);
}

Result<DraftHead> DraftHead::load(const DraftHeadFiles& files, double epsilon, kernels::Isa isa,
                                  ThreadPool& pool, const LoadControl& control) {
  assert(kernels::supports(kHeld) && !kernels::reads_floats(kHeld));
  DraftHead head(files.shape(), files.vocabulary(), epsilon, isa);
  head.take_norms(files);
  if (Result<void> taken = head.take_matrices(files, pool, control); !taken) return taken.error();
  files.release_pages();
  return head;
}

void DraftHead::take_norms(const DraftHeadFiles& files) {
  const auto read = [&](const std::string& name, float* out) {
    const StoredTensor& tensor = files.tensor(name);
    dequantize_row(tensor.format, tensor.data.data(), static_cast<int>(tensor.columns()), out);
  };
  float* norms = input_norms_.mutable_data_ptr<float>();
  for (std::size_t i = 0; i < shape_.layers.size(); ++i, norms += shape_.hidden)
    read("input_norm.feature." + std::to_string(i), norms);
  read("input_norm.token", norms);
  read("mlp_norm", mlp_norm_.mutable_data_ptr<float>());
  read("place_norm", place_norm_.mutable_data_ptr<float>());
  read("output_norm", output_norm_.mutable_data_ptr<float>());
}

Result<void> DraftHead::take_matrices(const DraftHeadFiles& files, ThreadPool& pool,
                                      const LoadControl& control) {
  std::vector<std::pair<std::string, LinearWeight*>> matrices = {{"input.weight", &input_},
                                                                 {"mlp.gate.weight", &gate_},
                                                                 {"mlp.up.weight", &up_},
                                                                 {"mlp.down.weight", &down_},
                                                                 {"vocabulary.weight", &output_}};
  for (std::size_t i = 0; i < places_.size(); ++i)
    matrices.emplace_back("place." + std::to_string(i) + ".weight", &places_[i]);
  std::vector<RoundedMatrix> rounded;
  std::vector<std::size_t> sizes;
  std::size_t total = 0;
  for (const auto& [name, target] : matrices) {
    if (control.stop.stop_requested()) return Error("loading the draft head was cancelled");
    rounded.push_back(round_matrix(files.tensor(name), *target, pool));
    sizes.push_back(
        kernels::packed_bytes(kHeld, static_cast<int>(target->n), static_cast<int>(target->k)));
    total += (sizes.back() + kAlignment - 1) / kAlignment * kAlignment;
  }
  storage_ = at::empty({static_cast<std::int64_t>(total + kAlignment)}, at::kByte);
  std::uint8_t* const base = storage_.mutable_data_ptr<std::uint8_t>();
  kernels::ask_for_huge_pages(base, total);
  std::size_t at = -reinterpret_cast<std::uintptr_t>(base) % kAlignment;
  std::vector<PackingJob> jobs;
  for (std::size_t i = 0; i < rounded.size(); ++i) {
    rounded[i].target->data =
        storage_.narrow(0, static_cast<std::int64_t>(at), static_cast<std::int64_t>(sizes[i]));
    jobs.push_back({.source = &rounded[i].tensor, .out = base + at});
    at += (sizes[i] + kAlignment - 1) / kAlignment * kAlignment;
  }
  const LoadControl quiet{.stop = control.stop, .progress = {}};  // it is a small part of the whole
  const std::optional<PackingFailure> failure = pack_matrices(jobs, kCpuLayout, pool, quiet);
  if (!failure) return {};
  if (failure->job < 0) return Error("loading the draft head was cancelled");
  return files.tensor_error(matrices[static_cast<std::size_t>(failure->job)].first,
                            "holds a number that is too large");
}

std::vector<HeadPlace> DraftHead::propose(std::span<const float> features,
                                          const at::Tensor& embedding) {
  read_input(features, embedding);
  run_places();
  std::vector<HeadPlace> places = best_places(logits_);
  for (HeadPlace& place : places) {
    for (DraftedToken* const each : {&place.first, &place.second}) {
      const auto own = static_cast<std::size_t>(each->token);
      each->token = own < vocabulary_.size() ? vocabulary_[own] : (place.first.token == 0 ? 1 : 0);
    }
  }
  return places;
}

// Leaves x in stream_.
void DraftHead::read_input(std::span<const float> features, const at::Tensor& embedding) {
  assert(features.size() == shape_.layers.size() * static_cast<std::size_t>(shape_.hidden));
  float* const parts = std::ranges::copy(features, parts_.mutable_data_ptr<float>()).out;
  std::copy_n(embedding.const_data_ptr<float>(), shape_.hidden, parts);
  for (std::int64_t i = 0; i < parts_.size(0); ++i) {
    operators::rms_norm(parts_.narrow(0, i, 1), input_norms_.select(0, i), epsilon_,
                        joined_.narrow(0, i, 1));
  }
  operators::quantize(joined_.view({1, -1}), quantized_);
  operators::linears({{input_, quantized_, stream_}});
  operators::rms_norm(stream_, mlp_norm_, epsilon_, normed_);
  operators::quantize(normed_, quantized_);
  operators::linears({{gate_, quantized_, gate_row_}, {up_, quantized_, up_row_}});
  operators::silu_mul(gate_row_, up_row_);
  operators::quantize(gate_row_, quantized_);
  operators::linears({{down_, quantized_, normed_}});
  operators::add(stream_, normed_);
}

// Leaves the logits of all places in logits_.
void DraftHead::run_places() {
  operators::rms_norm(stream_, place_norm_, epsilon_, normed_);
  operators::quantize(normed_, quantized_);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const at::Tensor row = proposed_.narrow(0, static_cast<std::int64_t>(i), 1);
    operators::linears({{places_[i], quantized_, row}});
    operators::add(row, stream_);
  }
  operators::rms_norm(proposed_, output_norm_, epsilon_, outputs_);
  operators::quantize(outputs_, quantized_);
  operators::linears({{output_, quantized_, logits_}});
}

}  // namespace redraft
