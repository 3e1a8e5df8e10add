#include "decoding/model/recurrent_state.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <new>

namespace redraft {
namespace {

constexpr int kNone = -1;

}  // namespace

RecurrentState::RecurrentState(const LayerStateSize& size, int layers, int output_width,
                               const StateReplay& replay)
    : size_(size),
      replay_(replay),
      layer_floats_(size.heads + size.columns),
      output_width_(static_cast<std::size_t>(output_width)),
      floats_(layer_floats_ * static_cast<std::size_t>(layers) + output_width_),
      state_(zeros(floats_)),
      notes_(static_cast<std::size_t>(layers)) {}

void RecurrentState::Free::operator()(float* memory) const { std::free(memory); }

// Memory that takes no room before it is written, as most of a cache does.
std::unique_ptr<float[], RecurrentState::Free> RecurrentState::zeros(std::size_t count) {
  auto* const memory = static_cast<float*>(std::calloc(count, sizeof(float)));
  if (!memory) throw std::bad_alloc();
  return std::unique_ptr<float[], Free>(memory);
}

void RecurrentState::begin_pass() { length_ = kNone; }

void RecurrentState::end_pass(int tokens) { length_ = tokens; }

void RecurrentState::forget_draft() {
  for (DraftNotes& notes : notes_) notes = DraftNotes();
  noted_outputs_ = {};
}

std::unique_ptr<RecurrentState> RecurrentState::fork(int length) const {
  auto copy =
      std::make_unique<RecurrentState>(size_, layers(), static_cast<int>(output_width_), replay_);
  if (length > 0) std::copy_n(known(length), floats_, copy->state_.get());
  copy->length_ = length;
  copy->copies_ = copies_;
  copy->copies_.forget_above(length);
  return copy;
}

std::size_t RecurrentState::held_bytes(int length) const {
  return bytes() * (1 + copies_.count_up_to(length));
}

void RecurrentState::commit(std::span<const int> path) {
  const int before = length_;
  begin_pass();
  replay_.replay(*this, path);
  if (output_width_ > 0) {
    const auto last = static_cast<std::size_t>(path.back());
    std::copy_n(&noted_outputs_[last * output_width_], output_width_, last_output());
  }
  end_pass(before + static_cast<int>(path.size()));
}

int RecurrentState::known_at(int length) const {
  return std::max(length_ <= length ? length_ : 0, copies_.best_at(length));
}

const float* RecurrentState::known(int length) const {
  if (length == length_) return state_.get();
  const auto copy = copies_.find(length);
  assert(copy);
  return copy->data();
}

void RecurrentState::restore(int length) {
  if (length == 0) {
    state_ = zeros(floats_);
  } else if (length != length_) {
    std::copy_n(copies_.use(length)->data(), floats_, state_.get());
  }
  length_ = length;
  copies_.forget_above(length);
}

void RecurrentState::remember() {
  if (length_ <= 0 || copies_.use(length_)) return;
  copies_.add(length_, std::vector<float>(state_.get(), state_.get() + floats_));
}

void RecurrentState::copy_out(int length, std::span<std::byte> state) const {
  assert(state.size() == bytes());
  if (length == 0) {
    std::ranges::fill(state, std::byte{0});
    return;
  }
  std::memcpy(state.data(), known(length), state.size());
}

void RecurrentState::copy_in(int length, std::span<const std::byte> state) {
  assert(state.size() == bytes());
  std::memcpy(state_.get(), state.data(), state.size());
  length_ = length;
  copies_.clear();
}

}  // namespace redraft
