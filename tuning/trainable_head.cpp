// The draft head in torch's differentiable operators. A batch is one multiplication by each matrix,
// and what the way back needs of it is kept: a head is one layer, so that is little. The logits
// are not recorded: the derivative of a cross entropy by them is the probabilities less the right
// answer, which replaces them part by part.
#include "tuning/trainable_head.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/silu.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <utility>

namespace redraft {
namespace {

// Rows whose logits exist as floats at once.
constexpr std::int64_t kLogitRows = 256;

at::Tensor normed(const at::Tensor& x, double epsilon) {
  return x * at::rsqrt((x * x).mean(-1, true) + epsilon);
}

// The places that are learnt, ordered by place and then by row.
struct LearntPlaces {
  std::vector<at::Tensor> rows;  // [tokens]: which rows of the batch
  at::Tensor answers;            // [places, 1], ids of the head's vocabulary
  at::Tensor weights;            // float [places, 1]
  std::vector<std::size_t> at;   // [places]: in HeadBatch::answers
};

LearntPlaces learnt_places(const HeadBatch& batch, int tokens) {
  LearntPlaces out;
  std::vector<std::int64_t> answers;
  std::vector<float> weights;
  const std::size_t rows = batch.answers.size() / static_cast<std::size_t>(tokens);
  const auto to_tensor = [](const auto& values, at::ScalarType type) {
    at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, type);
    std::copy(values.begin(), values.end(),
              tensor.mutable_data_ptr<std::remove_cvref_t<decltype(values[0])>>());
    return tensor;
  };
  for (int place = 0; place < tokens; ++place) {
    std::vector<std::int64_t> chosen;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at =
          row * static_cast<std::size_t>(tokens) + static_cast<std::size_t>(place);
      if (batch.answers[at] < 0) continue;
      chosen.push_back(static_cast<std::int64_t>(row));
      answers.push_back(batch.answers[at]);
      weights.push_back(static_cast<float>(place_weight(place)));
      out.at.push_back(at);
    }
    out.rows.push_back(to_tensor(chosen, at::kLong));
  }
  out.answers = to_tensor(answers, at::kLong).unsqueeze(1);
  out.weights = to_tensor(weights, at::kFloat).unsqueeze(1);
  return out;
}

class TorchHead : public TrainableHead {
 public:
  explicit TorchHead(const TrainableHeadOptions& options)
      : shape_(options.shape),
        epsilon_(options.epsilon),
        type_(options.precision == TrainingPrecision::kBFloat16 ? at::kBFloat16 : at::kFloat) {
    const std::vector<DraftHeadTensor> tensors = draft_head_tensors(shape_);
    std::size_t size = 0;
    for (const DraftHeadTensor& each : tensors) size += static_cast<std::size_t>(each.size());
    parameters_.resize(size);
    gradients_.resize(size);
    std::size_t at = 0;
    for (const DraftHeadTensor& each : tensors) {
      weights_.emplace(each.name, view_of(at, each));
      at += static_cast<std::size_t>(each.size());
    }
  }

  std::span<float> parameters() override { return parameters_; }
  std::span<float> gradients() override { return gradients_; }

  HeadLoss add_gradients(const HeadBatch& batch, float scale) override {
    const c10::AutoGradMode record(true);
    const LearntPlaces places = learnt_places(batch, shape_.tokens);
    const at::Tensor outputs = run(batch, places, type_);
    at::Tensor of_outputs;
    HeadLoss loss = judge(outputs, batch, places, type_, scale, &of_outputs);
    outputs.backward(of_outputs);
    return loss;
  }

  HeadLoss loss(const HeadBatch& batch) override {
    const at::NoGradGuard no_record;
    const LearntPlaces places = learnt_places(batch, shape_.tokens);
    if (places.at.empty()) return empty_loss(batch);
    return judge(run(batch, places, at::kFloat), batch, places, at::kFloat, 0, nullptr);
  }

 private:
  // A tensor inside parameters_ whose gradient is the same part of gradients_.
  at::Tensor view_of(std::size_t first, const DraftHeadTensor& tensor) {
    const std::vector<std::int64_t> sizes =
        tensor.rows == 0 ? std::vector<std::int64_t>{tensor.columns}
                         : std::vector<std::int64_t>{tensor.rows, tensor.columns};
    at::Tensor out = at::from_blob(parameters_.data() + first, sizes, at::kFloat);
    out.requires_grad_();
    out.mutable_grad() = at::from_blob(gradients_.data() + first, sizes, at::kFloat);
    return out;
  }

  const at::Tensor& weight(const std::string& name) const { return weights_.at(name); }

  at::Tensor linear(const at::Tensor& x, const std::string& name, at::ScalarType type) const {
    return at::matmul(x.to(type), weight(name).to(type).t()).to(at::kFloat);
  }

  // The rows that the vocabulary is multiplied with: [places, hidden].
  at::Tensor run(const HeadBatch& batch, const LearntPlaces& places, at::ScalarType type) const {
    const std::int64_t hidden = shape_.hidden;
    const auto layers = static_cast<std::int64_t>(shape_.layers.size());
    const auto rows = static_cast<std::int64_t>(batch.embeddings.size()) / hidden;
    assert(static_cast<std::int64_t>(batch.features.size()) == rows * layers * hidden);
    const at::Tensor features =
        normed(at::from_blob(const_cast<std::uint16_t*>(batch.features.data()),
                             {rows, layers, hidden}, at::kHalf)
                   .to(at::kFloat),
               epsilon_);
    const at::Tensor newest = normed(
        at::from_blob(const_cast<float*>(batch.embeddings.data()), {rows, hidden}, at::kFloat),
        epsilon_);
    std::vector<at::Tensor> parts;
    for (std::int64_t i = 0; i < layers; ++i)
      parts.push_back(features.select(1, i) * weight("input_norm.feature." + std::to_string(i)));
    parts.push_back(newest * weight("input_norm.token"));
    const at::Tensor input = linear(at::cat(parts, 1), "input.weight", type);
    const at::Tensor inner = normed(input, epsilon_) * weight("mlp_norm");
    const at::Tensor active =
        at::silu(linear(inner, "mlp.gate.weight", type)) * linear(inner, "mlp.up.weight", type);
    const at::Tensor x = input + linear(active, "mlp.down.weight", type);
    const at::Tensor p = normed(x, epsilon_) * weight("place_norm");
    std::vector<at::Tensor> outputs;
    for (int place = 0; place < shape_.tokens; ++place) {
      const at::Tensor& chosen = places.rows[static_cast<std::size_t>(place)];
      if (chosen.numel() == 0) continue;
      outputs.push_back(
          x.index_select(0, chosen) +
          linear(p.index_select(0, chosen), "place." + std::to_string(place) + ".weight", type));
    }
    return normed(at::cat(outputs, 0), epsilon_) * weight("output_norm");
  }

  static HeadLoss empty_loss(const HeadBatch& batch) {
    HeadLoss loss;
    loss.losses.resize(batch.answers.size());
    loss.right.resize(batch.answers.size());
    return loss;
  }

  // The losses of rows that run() returned. With `of_outputs`: `scale` times the derivative of
  // their weighted sum by these rows, and that by the vocabulary's matrix is added to its gradient.
  HeadLoss judge(const at::Tensor& outputs, const HeadBatch& batch, const LearntPlaces& places,
                 at::ScalarType type, float scale, at::Tensor* of_outputs) {
    const at::NoGradGuard no_record;
    const at::Tensor& vocabulary = weight("vocabulary.weight");
    const at::Tensor rows = outputs.detach().to(type);
    const at::Tensor matrix = vocabulary.detach().to(type);
    const std::int64_t count = rows.size(0);
    at::Tensor of_logits;
    if (of_outputs != nullptr) of_logits = at::empty({count, shape_.vocabulary}, type);
    HeadLoss loss = empty_loss(batch);
    for (std::int64_t first = 0; first < count; first += kLogitRows) {
      const std::int64_t part = std::min(kLogitRows, count - first);
      at::Tensor logits = at::matmul(rows.narrow(0, first, part), matrix.t()).to(at::kFloat);
      const at::Tensor answers = places.answers.narrow(0, first, part);
      const at::Tensor sums = at::logsumexp(logits, -1, true);
      take_losses(logits, sums, places, first, loss);
      if (of_outputs == nullptr) continue;
      logits.sub_(sums).exp_();
      logits.scatter_add_(1, answers, at::empty(answers.sizes(), at::kFloat).fill_(-1));
      logits.mul_(places.weights.narrow(0, first, part) * scale);
      of_logits.narrow(0, first, part).copy_(logits);
    }
    if (of_outputs == nullptr) return loss;
    *of_outputs = at::matmul(of_logits, matrix).to(at::kFloat);
    vocabulary.grad().add_(at::matmul(of_logits.t(), rows));
    return loss;
  }

  static void take_losses(const at::Tensor& logits, const at::Tensor& sums,
                          const LearntPlaces& places, std::int64_t first, HeadLoss& loss) {
    const at::Tensor answers = places.answers.narrow(0, first, logits.size(0));
    const at::Tensor losses = sums - logits.gather(1, answers);
    const at::Tensor best = logits.argmax(-1);
    const float* const each = losses.const_data_ptr<float>();
    const float* const weights = places.weights.const_data_ptr<float>() + first;
    const std::int64_t* const first_choice = best.const_data_ptr<std::int64_t>();
    const std::int64_t* const answer = answers.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < losses.numel(); ++i) {
      const std::size_t at = places.at[static_cast<std::size_t>(first + i)];
      loss.losses[at] = each[i];
      loss.right[at] = first_choice[i] == answer[i] ? 1 : 0;
      loss.sum += static_cast<double>(weights[i]) * static_cast<double>(each[i]);
      loss.weight += static_cast<double>(weights[i]);
    }
  }

  DraftHeadShape shape_;
  double epsilon_;
  at::ScalarType type_;  // in which matrices are multiplied
  std::vector<float> parameters_;
  std::vector<float> gradients_;
  std::map<std::string, at::Tensor> weights_;  // views of the two
};

}  // namespace

Result<std::unique_ptr<TrainableHead>> make_trainable_head(const TrainableHeadOptions& options) {
  at::set_num_threads(options.threads);
  return std::unique_ptr<TrainableHead>(std::make_unique<TorchHead>(options));
}

}  // namespace redraft
