// All of a model is in one allocation, whose size is known before anything is packed. Matrices are
// packed one by one into host memory and copied from there, so that the host never holds more than
// the largest.
#include "cuda/device_weights.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "decoding/model/packing.h"
#include "decoding/model/weight_plan.h"

namespace redraft::cuda {
namespace {

constexpr std::size_t kAlignment = 256;
const TileLayout kDeviceLayout = {tile_bytes, pack_tile};

// Hands out parts of one allocation; before there is an allocation, adds up the sizes.
class Arena {
 public:
  std::size_t take(std::size_t bytes) {
    const std::size_t at = used_;
    used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return at;
  }
  std::size_t used() const { return used_; }

 private:
  std::size_t used_ = 0;
};

struct PendingMatrix {
  const PlannedMatrix* planned;
  Weight* target;  // null: part of the matrix before
  std::size_t offset;
};
struct PendingVector {
  const std::vector<float>* values;
  const float** target;
  std::size_t offset;
};

class Loader {
 public:
  Loader(const ModelFiles& files, ThreadPool& pool, DeviceQueue& queue, const LoadControl& control)
      : files_(files), pool_(pool), queue_(queue), control_(control) {}

  Result<DeviceWeights> run(const WeightPlan& plan) {
    if (Result<void> taken = take_all(plan); !taken) return taken.error();
    weights_.memory = DeviceMemory(arena_.used());
    for (const PendingVector& vector : vectors_) {
      auto* to = weights_.memory.as<std::uint8_t>() + vector.offset;
      queue_.copy_in(to, vector.values->data(), vector.values->size() * sizeof(float));
      *vector.target = reinterpret_cast<const float*>(to);
    }
    if (Result<void> packed = pack(); !packed) return packed.error();
    queue_.wait();
    if (plan.tied) weights_.embedding = weights_.head.weight;
    return std::move(weights_);
  }

 private:
  Result<void> take_all(const WeightPlan& plan) {
    weights_.layers.resize(plan.layers.size());
    take(plan.output_norm, weights_.output_norm);
    if (Result<void> taken = take(plan.head, weights_.head); !taken) return taken;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
      if (Result<void> taken = take_layer(plan.layers[i], weights_.layers[i]); !taken) return taken;
    }
    weights_.bytes_of_pass = arena_.used();
    if (!plan.tied) return take(plan.embedding, weights_.embedding);
    return {};
  }

  Result<void> take_layer(const PlannedLayer& from, DeviceLayer& layer) {
    take(from.attention_norm, layer.attention_norm);
    take(from.query_norm, layer.query_norm);
    take(from.key_norm, layer.key_norm);
    take(from.feed_forward_norm, layer.feed_forward_norm);
    const PlannedMatrix* const readers[] = {&from.query, &from.key, &from.value};
    if (Result<void> taken = take(readers, layer.query_key_value); !taken) return taken;
    if (Result<void> taken = take(from.attention_output, layer.attention_output); !taken)
      return taken;
    const PlannedMatrix* const gates[] = {&from.gate, &from.up};
    if (Result<void> taken = take(gates, layer.gate_up); !taken) return taken;
    return take(from.down, layer.down);
  }

  // Matrices that read the same input, which is rounded once.
  Result<void> take(std::span<const PlannedMatrix* const> readers, DeviceLinears& targets) {
    const PlannedMatrix& first = *readers.front();
    for (const PlannedMatrix* reader : readers) {
      if (reads_bfloats(reader->format) != reads_bfloats(first.format)) {
        return files_.tensor_error(reader->role, "is bfloat16 where '" + first.role +
                                                     "' is not, or the other way round; a GPU's "
                                                     "kernels want both or neither");
      }
    }
    targets.reserve(readers.size());  // so that pointers to elements stay valid
    for (std::size_t begin = 0, end = 0; begin < readers.size(); begin = end) {
      const auto joins = [&](const PlannedMatrix& next) {
        return next.format == readers[begin]->format && readers[end - 1]->n % kTileOutputs == 0;
      };
      for (end = begin + 1; end < readers.size() && joins(*readers[end]);) ++end;
      const auto run = readers.subspan(begin, end - begin);
      if (Result<void> taken = take_one(run, targets.emplace_back()); !taken) return taken;
    }
    return {};
  }

  void take(const std::vector<float>& values, const float*& target) {
    if (values.empty()) return;
    vectors_.push_back({&values, &target, arena_.take(values.size() * sizeof(float))});
  }

  Result<void> take(const PlannedMatrix& planned, Weight& target) {
    const WeightFormat format = planned.format;
    if (!supports(format)) {
      return files_.tensor_error(planned.role, std::string("weight format ") +
                                                   weight_format_info(format)->name +
                                                   " is not supported for a matrix on a GPU");
    }
    target = {format, planned.n, planned.k, nullptr};
    matrices_.push_back(
        {&planned, &target, arena_.take(packed_bytes(format, planned.n, planned.k))});
    return {};
  }

  Result<void> take(const PlannedMatrix& planned, DeviceLinear& target) {
    take(planned.bias, target.bias);
    return take(planned, target.weight);
  }

  // Several matrices of one format as one, from the first row of the first to the last row of the
  // last.
  Result<void> take_one(std::span<const PlannedMatrix* const> run, DeviceLinear& target) {
    if (run.size() == 1) return take(*run.front(), target);
    const bool biased = std::ranges::any_of(run, [](auto* each) { return !each->bias.empty(); });
    PlannedMatrix& all = joined_.emplace_back(*run.front());
    for (const PlannedMatrix* each : run.subspan(1)) all.n += each->n;
    all.bias.clear();
    for (const PlannedMatrix* each : run) {
      all.bias.insert(all.bias.end(), each->bias.begin(), each->bias.end());
      if (biased) all.bias.resize(all.bias.size() + (each->bias.empty() ? each->n : 0));
    }
    if (Result<void> taken = take(all, target); !taken) return taken;
    PendingMatrix pending = matrices_.back();  // stands for the matrices that it consists of
    matrices_.pop_back();
    for (const PlannedMatrix* each : run) {
      pending.planned = each;
      matrices_.push_back(pending);
      pending.target = nullptr;
      pending.offset += packed_bytes(each->format, each->n, each->k);
    }
    return {};
  }

  Result<void> pack() {
    std::vector<std::uint8_t> packed;
    double done = 0;
    for (const PendingMatrix& matrix : matrices_) {
      const PlannedMatrix& planned = *matrix.planned;
      packed.resize(packed_bytes(planned.format, planned.n, planned.k));
      const PackingJob job{planned.source, planned.paired_head_dim, packed.data(), planned.delta};
      const std::optional<PackingFailure> failure =
          pack_matrices({&job, 1}, kDeviceLayout, pool_, {.stop = control_.stop, .progress = {}});
      if (failure) {
        return failure->job < 0 ? Error(files_.path() + ": loading was cancelled")
                                : not_finite(files_, planned.role);
      }
      auto* to = weights_.memory.as<std::uint8_t>() + matrix.offset;
      queue_.copy_in(to, packed.data(), packed.size());
      queue_.wait();  // until `packed` may be overwritten
      if (matrix.target) matrix.target->data = to;
      done += static_cast<double>(packed.size());
      if (control_.progress) control_.progress(done / static_cast<double>(arena_.used()));
    }
    return {};
  }

  const ModelFiles& files_;
  ThreadPool& pool_;
  DeviceQueue& queue_;
  const LoadControl& control_;
  Arena arena_;
  std::vector<PendingMatrix> matrices_;
  std::vector<PendingVector> vectors_;
  std::deque<PlannedMatrix> joined_;  // pointers refer to their biases
  DeviceWeights weights_;
};

}  // namespace

Result<DeviceWeights> DeviceWeights::load(const ModelFiles& files, const TransformerShape& shape,
                                          ThreadPool& pool, DeviceQueue& queue,
                                          const LoadControl& control) {
  const Result<WeightPlan> plan = WeightPlan::make(files, shape);
  if (!plan) return plan.error();
  return Loader(files, pool, queue, control).run(*plan);
}

}  // namespace redraft::cuda
