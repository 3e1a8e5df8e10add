// The plan has checked every tensor. What remains is to add up the packed sizes and to pack all
// matrices together, each into its place in one allocation.
#include "decoding/model/weights.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decoding/kernels/huge_pages.h"
#include "decoding/model/packing.h"
#include "decoding/model/weight_overflow.h"
#include "decoding/model/weight_plan.h"

namespace redraft {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kCopied = std::size_t{1} << 24;  // bytes between looks at LoadControl::stop

at::Tensor to_tensor(const std::vector<float>& values) {
  if (values.empty()) return {};
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kFloat);
  std::ranges::copy(values, out.mutable_data_ptr<float>());
  return out;
}

// A matrix to check and, if it has a target, to pack once the storage is allocated.
struct PendingMatrix {
  const PlannedMatrix* planned;
  LinearWeight* target;
  std::size_t offset;  // in the storage
  std::size_t bytes;
};

class WeightLoader {
 public:
  WeightLoader(const ModelFiles& files, ThreadPool& pool, const LoadControl& control)
      : files_(files), pool_(pool), control_(control) {}

  Result<Weights> run(WeightPlan plan) {
    take_embedding(plan);
    if (plan.layer_embedding.source) take_inputs_of_layers(plan);
    take_matrix(plan.head, weights_.head);
    weights_.output_norm = to_tensor(plan.output_norm);
    weights_.layers.resize(plan.layers.size());
    for (std::size_t i = 0; i < plan.layers.size(); ++i)
      take_layer(plan.layers[i], weights_.layers[i]);
    if (plan.mtp) take_mtp(*plan.mtp, weights_.mtp.emplace());
    if (!error_) pack();
    if (error_) return *error_;
    return std::move(weights_);
  }

 private:
  void take_inputs_of_layers(const WeightPlan& plan) {
    LayerInputWeights& to = weights_.layer_inputs;
    take_matrix(plan.layer_projection, to.projection);
    to.norm = to_tensor(plan.layer_input_norm);
    const StoredTensor& table = *plan.layer_embedding.source;
    to.format = table.format;
    const auto bytes = static_cast<std::int64_t>(table.data.size());
    const std::shared_ptr<const ScratchMemory> scratch = disk_for_rows(table.data.size(), control_);
    const at::Tensor copy =
        scratch ? at::from_blob(
                      scratch->bytes().data(), {bytes}, [scratch](void*) {}, at::kByte)
                : at::empty({bytes}, at::kByte);
    std::uint8_t* const out = copy.mutable_data_ptr<std::uint8_t>();
    for (std::size_t at = 0; at < table.data.size(); at += kCopied) {
      if (control_.stop.stop_requested()) return fail(cancelled());
      const auto part = table.data.subspan(at, std::min(kCopied, table.data.size() - at));
      std::ranges::copy(part, out + at);
    }
    if (scratch) scratch->seal();
    if (!scratch) in_memory_ += table.data.size();
    to.embedding = copy.view({plan.layer_embedding.n, bytes / plan.layer_embedding.n});
    pending_.push_back({&plan.layer_embedding, nullptr, 0, 0});
  }

  Error cancelled() const { return Error(files_.path() + ": loading was cancelled"); }

  void take_mtp(const PlannedMtp& from, MtpWeights& to) {
    take_matrix(from.join, to.join);
    to.token_norm = to_tensor(from.token_norm);
    to.hidden_norm = to_tensor(from.hidden_norm);
    take_layer(from.layer, to.layer);
    to.output_norm = from.output_norm.empty() ? weights_.output_norm : to_tensor(from.output_norm);
    take_matrix(from.embedding, to.embedding);
    take_matrix(from.head, to.head);
  }

  void take_layer(const PlannedLayer& from, LayerWeights& layer) {
    layer.attention_norm = to_tensor(from.attention_norm);
    layer.query_norm = to_tensor(from.query_norm);
    layer.key_norm = to_tensor(from.key_norm);
    layer.value_norm = to_tensor(from.value_norm);
    layer.feed_forward_norm = to_tensor(from.feed_forward_norm);
    layer.attention_post_norm = to_tensor(from.attention_post_norm);
    layer.feed_forward_post_norm = to_tensor(from.feed_forward_post_norm);
    layer.output_scale = from.output_scale;
    take_matrix(from.query, layer.query);
    take_matrix(from.key, layer.key);
    take_matrix(from.value, layer.value);
    take_matrix(from.attention_output, layer.attention_output);
    layer.sinks = to_tensor(from.sinks);
    take_recurrence(from.recurrence, layer.recurrence);
    if (!from.experts.empty()) take_experts(from, layer);
    take_matrix(from.input_gate, layer.input_gate);
    take_matrix(from.input_projection, layer.input_projection);
    layer.input_post_norm = to_tensor(from.input_post_norm);
    take_matrix(from.gate, layer.gate);
    take_matrix(from.up, layer.up);
    take_matrix(from.down, layer.down);
  }

  void take_recurrence(const PlannedRecurrence& from, RecurrenceWeights& to) {
    take_matrix(from.mixed, to.mixed);
    take_matrix(from.gate, to.gate);
    take_matrix(from.alpha, to.alpha);
    take_matrix(from.beta, to.beta);
    take_matrix(from.mixed_and_gate, to.mixed_and_gate);
    take_matrix(from.beta_and_alpha, to.beta_and_alpha);
    take_matrix(from.gates_and_input, to.gates_and_input);
    take_matrix(from.output, to.output);
    to.convolution = to_tensor(from.convolution);
    to.decay = to_tensor(from.decay);
    to.decay_bias = to_tensor(from.decay_bias);
    to.norm = to_tensor(from.norm);
  }

  void take_expert(const PlannedExpert& from, ExpertWeights& to) {
    take_matrix(from.gate, to.gate);
    take_matrix(from.up, to.up);
    take_matrix(from.down, to.down);
  }

  void take_experts(const PlannedLayer& from, LayerWeights& layer) {
    take_matrix(from.router, layer.router);
    layer.experts.resize(from.experts.size());
    for (std::size_t i = 0; i < from.experts.size(); ++i)
      take_expert(from.experts[i], layer.experts[i]);
    take_expert(from.shared_expert, layer.shared_expert);
    take_matrix(from.shared_gate, layer.shared_gate);
    layer.router_norm = to_tensor(from.router_norm);
    layer.expert_norm = to_tensor(from.expert_norm);
    layer.dense_post_norm = to_tensor(from.dense_post_norm);
    layer.expert_post_norm = to_tensor(from.expert_post_norm);
    layer.expert_scales = to_tensor(from.expert_scales);
  }

  // Keeps the first error.
  void fail(Error error) {
    if (!error_) error_ = std::move(error);
  }

  // What an adapter adds to the head is not for the embedding.
  void take_embedding(const WeightPlan& plan) {
    if (plan.tied && !plan.head.delta) return;
    const StoredTensor& tensor = *plan.embedding.source;
    const auto row_bytes =
        static_cast<std::int64_t>(weight_bytes(tensor.format, 1, plan.embedding.k));
    weights_.embedding = at::empty({plan.embedding.n, row_bytes}, at::kByte);
    weights_.embedding_format = tensor.format;
    std::ranges::copy(tensor.data, weights_.embedding.mutable_data_ptr<std::uint8_t>());
    if (!plan.tied) pending_.push_back({&plan.embedding, nullptr, 0, 0});
  }

  void take_matrix(const PlannedMatrix& planned, LinearWeight& out) {
    if (!planned.source) return;  // the file does not have it
    const WeightFormat format = planned.format;
    if (!kernels::supports(format)) {
      return fail(files_.tensor_error(planned.role, std::string("weight format ") +
                                                        weight_format_info(format)->name +
                                                        " is not supported for a matrix"));
    }
    out.format = format;
    out.n = planned.n;
    out.k = planned.k;
    out.bias = to_tensor(planned.bias);
    const std::size_t bytes = kernels::packed_bytes(format, planned.n, planned.k);
    pending_.push_back({&planned, &out, total_bytes_, bytes});
    total_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  }

  void pack() {
    const auto bytes = static_cast<std::int64_t>(total_bytes_ + kAlignment);
    const std::size_t beside =
        in_memory_ + (weights_.embedding.defined() ? weights_.embedding.nbytes() : 0);
    const auto overflow = weight_overflow(total_bytes_ + kAlignment, beside, control_);
    if (!overflow) return fail(overflow.error().in(files_.path()));
    const std::shared_ptr<const ScratchMemory>& scratch = *overflow;
    weights_.storage = scratch
                           ? at::from_blob(
                                 scratch->bytes().data(), {bytes}, [scratch](void*) {}, at::kByte)
                           : at::empty({bytes}, at::kByte);
    std::uint8_t* base = weights_.storage.mutable_data_ptr<std::uint8_t>();
    if (!scratch) kernels::ask_for_huge_pages(base, total_bytes_);
    const auto skip =
        static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(base) % kAlignment);
    std::vector<PackingJob> jobs;
    for (const PendingMatrix& matrix : pending_) {
      const PlannedMatrix& planned = *matrix.planned;
      jobs.push_back({planned.source, planned.paired_head_dim, nullptr, planned.delta});
      if (matrix.target == nullptr) continue;
      const auto start = skip + static_cast<std::int64_t>(matrix.offset);
      matrix.target->data =
          weights_.storage.narrow(0, start, static_cast<std::int64_t>(matrix.bytes));
      jobs.back().out = base + start;
    }
    const std::optional<PackingFailure> failure = pack_matrices(jobs, kCpuLayout, pool_, control_);
    if (scratch) scratch->seal();
    if (!failure) return;
    fail(failure->job < 0
             ? cancelled()
             : not_finite(files_, pending_[static_cast<std::size_t>(failure->job)].planned->role));
  }

  const ModelFiles& files_;
  ThreadPool& pool_;
  const LoadControl& control_;
  Weights weights_;
  std::vector<PendingMatrix> pending_;
  std::size_t total_bytes_ = 0;
  std::size_t in_memory_ = 0;  // of the inputs of layers
  std::optional<Error> error_;
};

}  // namespace

Result<Weights> Weights::load(const ModelFiles& files, const TransformerShape& shape,
                              ThreadPool& pool, const LoadControl& control) {
  Result<WeightPlan> plan = WeightPlan::make(files, shape);
  if (!plan) return plan.error();
  Result<Weights> weights = WeightLoader(files, pool, control).run(std::move(*plan));
  if (!weights) return weights;
  for (std::size_t i = 0; i < weights->layers.size(); ++i)
    weights->layers[i].rotates = shape.rotates(static_cast<int>(i));
  return weights;
}

}  // namespace redraft
