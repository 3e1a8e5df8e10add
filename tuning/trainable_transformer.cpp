// The transformer of llama, qwen2 and qwen3 once more, in torch's differentiable operators over
// plain numbers: the engine's quantises activations and keeps no record to differentiate.
//
// Memory: a forward pass without a record keeps only what enters each layer. Backward, each layer
// runs again with a record, so the record of one layer exists at a time (gradient checkpointing,
// Chen et al. 2016), at the price of a second forward pass. The logits exist for a few rows at a
// time, and only for learnt ones: EoFT learns a small part of a text, and a row of logits is as
// wide as the vocabulary.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>
#include <utility>

#include "decoding/model/model_stamp.h"
#include "decoding/model/rope_scaling.h"
#include "support/files/guarded_pages.h"
#include "tuning/frozen_weights.h"
#include "tuning/low_rank_linear.h"
#include "tuning/trainable_model.h"

namespace redraft {
namespace {

// Rows whose logits exist at once: 80 MB with a vocabulary of 152,000.
constexpr std::int64_t kHeadRows = 128;

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  return x * at::rsqrt((x * x).mean(-1, true) + epsilon) * weight;
}

at::Tensor to_indices(std::span<const std::int32_t> values, std::int32_t plus = 0) {
  at::Tensor out = at::empty({static_cast<std::int64_t>(values.size())}, at::kLong);
  std::transform(values.begin(), values.end(), out.mutable_data_ptr<std::int64_t>(),
                 [plus](std::int32_t value) { return std::int64_t{value} + plus; });
  return out;
}

class TrainableTransformer : public TrainableModel {
 public:
  TrainableTransformer(const TransformerShape& shape, FrozenWeights weights,
                       const TrainableOptions& options)
      : shape_(shape),
        weights_(std::move(weights)),
        layout_(shape, options.lora),
        parameters_(layout_.size()),
        gradients_(layout_.size()) {
    layout_.fill_initial(parameters_, options.seed);
    for (const LoraPair& pair : layout_.pairs()) {
      adapters_.push_back({view_of(pair.a, options.lora.rank, pair.in),
                           view_of(pair.b, pair.out, options.lora.rank),
                           static_cast<float>(options.lora.scale())});
    }
  }

  const LoraLayout& layout() const override { return layout_; }
  std::span<float> parameters() override { return parameters_; }
  std::span<float> gradients() override { return gradients_; }

  TextLoss add_gradients(const TrainingText& text, float scale, std::uint64_t seed) override {
    const double dropout = layout_.options().dropout;
    reserve_positions(static_cast<std::int64_t>(text.tokens.size()));
    std::vector<at::Tensor> inputs;  // of each layer
    at::Tensor hidden = run_layers(text.tokens, {dropout, seed}, &inputs);
    at::Tensor gradient;
    const TextLoss loss = head(hidden, text, scale, &gradient);
    hidden.reset();
    for (int layer = shape_.layers - 1; layer >= 0; --layer) {
      at::Tensor& input = inputs.back();
      input.requires_grad_(layer > 0);
      run_layer(layer, input, {dropout, seed}).backward(gradient);
      gradient = input.grad();
      inputs.pop_back();
    }
    return loss;
  }

  TextLoss loss(const TrainingText& text) override {
    reserve_positions(static_cast<std::int64_t>(text.tokens.size()));
    return head(run_layers(text.tokens, {}, nullptr), text, 0, nullptr);
  }

  std::vector<float> logits(std::span<const TokenId> tokens) override {
    const at::NoGradGuard no_record;
    reserve_positions(static_cast<std::int64_t>(tokens.size()));
    const at::Tensor hidden = run_layers(tokens, {}, nullptr);
    const at::Tensor out =
        at::matmul(rms_norm(hidden, weights_.output_norm, shape_.epsilon), weights_.head.t())
            .contiguous();
    const float* values = out.const_data_ptr<float>();
    return {values, values + out.numel()};
  }

 private:
  struct DropoutSeed {
    double share = 0;
    std::uint64_t seed = 0;
  };

  // A matrix inside parameters_ whose gradient is the same part of gradients_.
  at::Tensor view_of(std::size_t first, std::int64_t rows, std::int64_t columns) {
    at::Tensor out = at::from_blob(parameters_.data() + first, {rows, columns}, at::kFloat);
    out.requires_grad_();
    out.mutable_grad() = at::from_blob(gradients_.data() + first, {rows, columns}, at::kFloat);
    return out;
  }

  // Cosines and sines for the positions of a text: [1, positions, head_dim], halves alike.
  void reserve_positions(std::int64_t count) {
    if (cosines_.defined() && cosines_.size(1) >= count) return;
    const std::vector<double> frequencies = rope_frequencies(
        shape_.head_dim, shape_.rope_base, shape_.rope_scaling, shape_.rope_divisors);
    const auto pairs = static_cast<std::int64_t>(frequencies.size());
    cosines_ = at::empty({1, count, 2 * pairs}, at::kFloat);
    sines_ = at::empty({1, count, 2 * pairs}, at::kFloat);
    float* const cosine = cosines_.mutable_data_ptr<float>();
    float* const sine = sines_.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < count * 2 * pairs; ++i) {
      const double angle =
          static_cast<double>(i / (2 * pairs)) * frequencies[static_cast<std::size_t>(i % pairs)];
      cosine[i] = static_cast<float>(std::cos(angle) * shape_.rope_scaling.attention_factor);
      sine[i] = static_cast<float>(std::sin(angle) * shape_.rope_scaling.attention_factor);
    }
  }

  // The output of the last layer, without a record. `inputs` gets what enters each layer.
  at::Tensor run_layers(std::span<const TokenId> tokens, const DropoutSeed& dropout,
                        std::vector<at::Tensor>* inputs) {
    const at::NoGradGuard no_record;
    at::Tensor x = weights_.embedding.index_select(0, to_indices(tokens));
    for (int layer = 0; layer < shape_.layers; ++layer) {
      if (inputs != nullptr) inputs->push_back(x);
      x = run_layer(layer, x, dropout);
    }
    return x;
  }

  // x and the result are [tokens, hidden].
  at::Tensor run_layer(int index, const at::Tensor& x, const DropoutSeed& dropout) {
    const FrozenLayer& layer = weights_.layers[static_cast<std::size_t>(index)];
    const auto apply = [&](LinearRole role, const at::Tensor& input) {
      const LoraPair* pair = layout_.find(index, role);
      const std::size_t place =
          pair == nullptr ? 0 : static_cast<std::size_t>(pair - layout_.pairs().data());
      return linear(layer.linears[static_cast<std::size_t>(role)],
                    pair == nullptr ? nullptr : &adapters_[place],
                    {dropout.share, dropout.seed, place}, input);
    };
    const at::Tensor normed = rms_norm(x, layer.attention_norm, shape_.epsilon);
    const at::Tensor attended =
        attention(rotated(heads_of(apply(LinearRole::kQuery, normed)), layer.query_norm),
                  rotated(heads_of(apply(LinearRole::kKey, normed)), layer.key_norm),
                  heads_of(apply(LinearRole::kValue, normed)));
    const at::Tensor middle = x + apply(LinearRole::kOutput, attended);
    const at::Tensor input = rms_norm(middle, layer.feed_forward_norm, shape_.epsilon);
    const at::Tensor active =
        at::silu(apply(LinearRole::kGate, input)) * apply(LinearRole::kUp, input);
    return middle + apply(LinearRole::kDown, active);
  }

  // [tokens, heads * head_dim] -> [heads, tokens, head_dim]
  at::Tensor heads_of(const at::Tensor& rows) const {
    return rows.view({rows.size(0), -1, shape_.head_dim}).transpose(0, 1);
  }

  // Normed if `norm` is defined, then rotated by position: dimension i with i + head_dim / 2.
  at::Tensor rotated(const at::Tensor& heads, const at::Tensor& norm) const {
    const at::Tensor x = norm.defined() ? rms_norm(heads, norm, shape_.epsilon) : heads;
    const std::int64_t half = shape_.head_dim / 2;
    const at::Tensor turned = at::cat({-x.narrow(2, half, half), x.narrow(2, 0, half)}, 2);
    const std::int64_t tokens = x.size(1);
    return x * cosines_.narrow(1, 0, tokens) + turned * sines_.narrow(1, 0, tokens);
  }

  // Causal, each group of query heads over its key head -> [tokens, heads * head_dim].
  at::Tensor attention(const at::Tensor& query, const at::Tensor& key,
                       const at::Tensor& value) const {
    const std::int64_t group = shape_.heads / shape_.kv_heads;
    const std::int64_t tokens = query.size(1);
    const auto for_each_query = [&](const at::Tensor& heads) {
      return heads.unsqueeze(1)
          .expand({heads.size(0), group, tokens, shape_.head_dim})
          .reshape({1, shape_.heads, tokens, shape_.head_dim});
    };
    const at::Tensor out = at::scaled_dot_product_attention(query.unsqueeze(0), for_each_query(key),
                                                            for_each_query(value), {}, 0, true);
    return out.squeeze(0).transpose(0, 1).reshape({tokens, shape_.query_width()});
  }

  // The losses of the learnt tokens. With `gradient`: `scale` times the derivative of their sum by
  // `hidden`. The derivative of a cross entropy by the logits is the probabilities less the right
  // answer, so there is no record of the logits.
  TextLoss head(const at::Tensor& hidden, const TrainingText& text, float scale,
                at::Tensor* gradient) {
    assert(!text.learnt.empty());
    at::Tensor rows, normed;
    {
      const c10::AutoGradMode record(gradient != nullptr);
      // A token is predicted by the row before it.
      rows = hidden.index_select(0, to_indices(text.learnt, -1)).detach();
      rows.requires_grad_(gradient != nullptr);
      normed = rms_norm(rows, weights_.output_norm, shape_.epsilon);
    }
    const at::NoGradGuard no_record;
    at::Tensor of_normed = at::empty(gradient == nullptr ? 0 : normed.numel(), at::kFloat);
    if (gradient != nullptr) of_normed = of_normed.view_as(normed);
    TextLoss loss;
    for (std::int64_t first = 0; first < rows.size(0); first += kHeadRows) {
      const std::int64_t count = std::min(kHeadRows, rows.size(0) - first);
      at::Tensor logits = at::matmul(normed.detach().narrow(0, first, count), weights_.head.t());
      const at::Tensor answers = answers_of(text, first, count);
      add_losses(logits, answers, loss);
      if (gradient == nullptr) continue;
      logits.sub_(at::logsumexp(logits, -1, true)).exp_();
      logits.scatter_add_(1, answers, at::empty(answers.sizes(), at::kFloat).fill_(-1));
      of_normed.narrow(0, first, count).copy_(at::matmul(logits, weights_.head).mul_(scale));
    }
    if (gradient != nullptr) {
      const c10::AutoGradMode record(true);
      normed.backward(of_normed);
      *gradient = at::empty(hidden.sizes(), at::kFloat).zero_();
      gradient->index_copy_(0, to_indices(text.learnt, -1), rows.grad());
    }
    return loss;
  }

  // The token of each learnt row: [count, 1].
  static at::Tensor answers_of(const TrainingText& text, std::int64_t first, std::int64_t count) {
    at::Tensor answers = at::empty({count, 1}, at::kLong);
    std::int64_t* const ids = answers.mutable_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int32_t position = text.learnt[static_cast<std::size_t>(first + i)];
      ids[i] = text.tokens[static_cast<std::size_t>(position)];
    }
    return answers;
  }

  static void add_losses(const at::Tensor& logits, const at::Tensor& answers, TextLoss& loss) {
    const at::Tensor losses = at::logsumexp(logits, -1) - logits.gather(1, answers).squeeze(1);
    const at::Tensor best = logits.argmax(-1);
    const float* each = losses.const_data_ptr<float>();
    const std::int64_t* first_choice = best.const_data_ptr<std::int64_t>();
    const std::int64_t* answer = answers.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < losses.numel(); ++i) {
      loss.sum += static_cast<double>(each[i]);
      loss.right += first_choice[i] == answer[i] ? 1 : 0;
    }
    loss.tokens += losses.numel();
  }

  TransformerShape shape_;
  FrozenWeights weights_;
  LoraLayout layout_;
  std::vector<float> parameters_;
  std::vector<float> gradients_;
  std::vector<LowRank> adapters_;  // views of the two, in the order of the layout
  at::Tensor cosines_, sines_;
};

}  // namespace

Result<std::unique_ptr<TrainableModel>> load_trainable(const ModelFiles& files,
                                                       const TrainableOptions& options,
                                                       const LoadControl& control) {
  at::set_num_threads(options.threads);
  Result<TransformerShape> shape = files.shape();
  if (!shape) return shape.error();
  const at::ScalarType matrices =
      options.precision == TrainingPrecision::kBFloat16 ? at::kBFloat16 : at::kFloat;
  const std::uint64_t lost = lost_pages();
  Result<FrozenWeights> weights = FrozenWeights::load(files, *shape, matrices, control);
  if (!weights) return weights.error();
  if (const Result<void> read = check_no_page_lost(files.path(), lost); !read) return read.error();
  files.release_pages();
  return std::unique_ptr<TrainableModel>(
      std::make_unique<TrainableTransformer>(*shape, std::move(*weights), options));
}

}  // namespace redraft
