#include "decoding/model/expert_block.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cassert>

#include "decoding/kernels/linear.h"
#include "decoding/model/activations.h"

namespace redraft {

namespace {

bool reads_floats(const LinearWeight* weight) { return kernels::reads_floats(weight->format); }

}  // namespace

void ExpertGroups::sort(const std::int32_t* chosen, int rows_of_pass, int used, int all_experts,
                        std::int32_t* sources, std::int32_t* places) {
  const auto count = static_cast<std::size_t>(rows_of_pass) * static_cast<std::size_t>(used);
  next_.assign(static_cast<std::size_t>(all_experts), 0);
  for (std::size_t i = 0; i < count; ++i) {
    assert(chosen[i] >= 0 && chosen[i] < all_experts);
    ++next_[static_cast<std::size_t>(chosen[i])];
  }
  experts.clear();
  rows.clear();
  int first = 0;
  for (int expert = 0; expert < all_experts; ++expert) {
    int& next = next_[static_cast<std::size_t>(expert)];
    const int of_expert = next;
    next = first;
    first += of_expert;
    if (of_expert == 0) continue;
    experts.push_back(expert);
    rows.push_back(of_expert);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const int place = next_[static_cast<std::size_t>(chosen[i])]++;
    places[i] = place;
    sources[place] = static_cast<std::int32_t>(i / static_cast<std::size_t>(used));
  }
}

void ExpertBlock::run(const LayerWeights& layer, const at::Tensor& routed, const at::Tensor& x,
                      const at::Tensor& quantized, const at::Tensor& out,
                      const std::function<void(PassPart)>& charge) {
  const auto rows = static_cast<int>(x.size(0));
  reserve(rows);
  choose(layer, routed, quantized);
  charge(PassPart::kGateUp);
  const bool shared = layer.shared_gate.n > 0;
  if (shared) run_shared(layer, x, quantized);
  charge(PassPart::kDown);
  const std::int64_t of_groups = std::int64_t{rows} * shape_.experts_used;
  const auto first = [](const at::Tensor& all, std::int64_t count) {
    return all.narrow(0, 0, count);
  };
  const at::Tensor gate = first(gate_, of_groups);
  const at::Tensor up = first(up_, of_groups);
  const at::Tensor down = first(down_, of_groups);
  Matrices gates, ups, downs;
  for (const int expert : groups_.experts) {
    const ExpertWeights& weights = layer.experts[static_cast<std::size_t>(expert)];
    gates.push_back(&weights.gate);
    ups.push_back(&weights.up);
    downs.push_back(&weights.down);
  }
  Matrices readers = gates;
  readers.insert(readers.end(), ups.begin(), ups.end());
  take_input(x, first(sources_, of_groups), readers);
  charge(PassPart::kNorm);
  operators::grouped_linears({{gates, gate}, {ups, up}}, groups_.rows, blocks_, floats_);
  charge(PassPart::kGateUp);
  activate(shape_.architecture->activation, gate, up);
  take_input(gate, {}, downs);
  charge(PassPart::kActivation);
  operators::grouped_linears({{downs, down}}, groups_.rows, blocks_, floats_);
  charge(PassPart::kDown);
  operators::mix_rows(down, first(places_, rows), first(shares_, rows), out);
  if (shared) operators::add_gated_rows(first(shared_down_, rows), first(shared_score_, rows), out);
}

void ExpertBlock::run_shared(const LayerWeights& layer, const at::Tensor& x,
                             const at::Tensor& quantized) {
  const std::int64_t rows = x.size(0);
  const auto first = [rows](const at::Tensor& all) { return all.narrow(0, 0, rows); };
  const ExpertWeights& expert = layer.shared_expert;
  const Activations input(x, quantized, {&layer.shared_gate, &expert.gate, &expert.up});
  operators::linears({{layer.shared_gate, input.of(layer.shared_gate), first(shared_score_)},
                      {expert.gate, input.of(expert.gate), first(shared_gate_)},
                      {expert.up, input.of(expert.up), first(shared_up_)}});
  activate(shape_.architecture->activation, first(shared_gate_), first(shared_up_));
  const Activations active(first(shared_gate_), quantized, {&expert.down});
  operators::linears({{expert.down, active.of(expert.down), first(shared_down_)}});
}

void ExpertBlock::choose(const LayerWeights& layer, const at::Tensor& x,
                         const at::Tensor& quantized) {
  const std::int64_t rows = x.size(0);
  const at::Tensor chosen = chosen_.narrow(0, 0, rows);
  const at::Tensor scores = scores_.narrow(0, 0, rows);
  const Activations input(x, quantized, {&layer.router});
  operators::linears({{layer.router, input.of(layer.router), scores}});
  const at::Tensor shares = shares_.narrow(0, 0, rows);
  operators::route(scores, chosen, shares);
  if (layer.expert_scales.defined()) operators::scale_shares(shares, layer.expert_scales, chosen);
  groups_.sort(chosen.const_data_ptr<std::int32_t>(), static_cast<int>(rows), shape_.experts_used,
               shape_.experts, sources_.mutable_data_ptr<std::int32_t>(),
               places_.mutable_data_ptr<std::int32_t>());
}

void ExpertBlock::take_input(const at::Tensor& x, const at::Tensor& sources,
                             const Matrices& readers) {
  if (!std::ranges::all_of(readers, reads_floats)) {
    const std::int64_t bytes = operators::quantized_groups_bytes(groups_.rows, x.size(1));
    if (!blocks_.defined() || blocks_.numel() < bytes) blocks_ = at::empty({bytes}, at::kByte);
    operators::quantize_groups(x, sources, groups_.rows, blocks_);
  }
  floats_ = x;
  if (!sources.defined() || !std::ranges::any_of(readers, reads_floats)) return;
  const std::int64_t needed = sources.size(0);
  if (!gathered_.defined() || gathered_.size(0) < needed)
    gathered_ = at::empty({std::int64_t{capacity_} * shape_.experts_used, x.size(1)}, at::kFloat);
  floats_ = gathered_.narrow(0, 0, needed);
  operators::gather_rows(x, sources, floats_);
}

void ExpertBlock::reserve(int rows) {
  if (rows <= capacity_) return;
  capacity_ = 0;  // so that a failed allocation leaves nothing half valid
  const std::int64_t used = shape_.experts_used;
  const std::int64_t of_groups = rows * used;
  scores_ = at::empty({rows, shape_.experts}, at::kFloat);
  chosen_ = at::empty({rows, used}, at::kInt);
  shares_ = at::empty({rows, used}, at::kFloat);
  places_ = at::empty({rows, used}, at::kInt);
  sources_ = at::empty({of_groups}, at::kInt);
  gate_ = at::empty({of_groups, shape_.feed_forward}, at::kFloat);
  up_ = at::empty({of_groups, shape_.feed_forward}, at::kFloat);
  down_ = at::empty({of_groups, shape_.hidden}, at::kFloat);
  gathered_ = at::Tensor();
  if (shape_.shared_feed_forward > 0) {
    shared_score_ = at::empty({rows, 1}, at::kFloat);
    shared_gate_ = at::empty({rows, shape_.shared_feed_forward}, at::kFloat);
    shared_up_ = at::empty({rows, shape_.shared_feed_forward}, at::kFloat);
    shared_down_ = at::empty({rows, shape_.hidden}, at::kFloat);
  }
  capacity_ = rows;
}

}  // namespace redraft
