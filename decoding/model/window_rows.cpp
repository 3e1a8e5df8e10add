#include "decoding/model/window_rows.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace redraft {

WindowRows::WindowRows(const WindowShape& shape, int capacity)
    : shape_(shape),
      capacity_(capacity),
      rows_(std::make_unique<KvRows>(shape.layers, std::min(capacity, shape.slots_for(1)),
                                     shape.kv_heads, shape.head_dim)) {
  assert(shape.window >= 1);
}

int WindowRows::lowest() const { return std::max(copied_, end_ - rows_->slots()); }

int WindowRows::first_of(int length) const { return std::max(0, length - shape_.window + 1); }

void WindowRows::begin_pass(int committed, int context, int draft) {
  const int end = committed + context + draft;
  assert(is_here(committed) && end <= capacity_);
  const int needed = std::min(shape_.slots_for(context + draft), capacity_);
  if (needed > rows_->slots()) grow(needed);
  end_ = std::max(end_, end);
  length_ = committed + context;
}

void WindowRows::grow(int slots) {
  auto larger = std::make_unique<KvRows>(shape_.layers, slots, shape_.kv_heads, shape_.head_dim);
  const int first = lowest();
  larger->copy_from(*rows_, first, end_);
  rows_ = std::move(larger);
  copied_ = first;
}

void WindowRows::discard(int length) {
  if (end_ > rows_->slots()) return;  // every slot may be in the window
  rows_->discard(std::min(length, rows_->slots()));
  end_ = std::min(end_, std::max(length, copied_));
}

std::unique_ptr<WindowRows> WindowRows::fork(int length) const {
  auto copy = std::make_unique<WindowRows>(shape_, capacity_);
  if (is_here(length)) {
    copy->rows_ =
        std::make_unique<KvRows>(shape_.layers, rows_->slots(), shape_.kv_heads, shape_.head_dim);
    const int first = std::max(lowest(), length - rows_->slots());
    copy->rows_->copy_from(*rows_, first, length);
    copy->copied_ = first;
    copy->length_ = copy->end_ = length;
  } else if (length > 0) {
    copy->copy_in(length, *copies_.find(length));
  }
  copy->copies_ = copies_;
  copy->copies_.forget_above(length);
  return copy;
}

std::size_t WindowRows::held_bytes(int length) const {
  return rows_->bytes(std::min(length, rows_->slots())) + bytes() * copies_.count_up_to(length);
}

int WindowRows::known_at(int length) const {
  return is_here(length) ? length : copies_.best_at(length);
}

void WindowRows::restore(int length) {
  if (length == 0) {
    end_ = copied_ = 0;
  } else if (!is_here(length)) {
    const auto copy = copies_.use(length);
    const StateCopies<std::byte> kept = std::exchange(copies_, {});
    copy_in(length, *copy);
    copies_ = kept;
  }
  length_ = length;
  copies_.forget_above(length);
}

void WindowRows::remember() {
  if (length_ <= 0 || copies_.use(length_)) return;
  std::vector<std::byte> copy(bytes());
  copy_out(length_, copy);
  copies_.add(length_, std::move(copy));
}

// The rows that a row behind the last token sees besides itself.
std::size_t WindowRows::bytes() const {
  return static_cast<std::size_t>(shape_.window - 1) * rows_->bytes_per_slot();
}

void WindowRows::copy_out(int length, std::span<std::byte> state) const {
  assert(state.size() == bytes());
  if (!is_here(length)) {
    std::ranges::copy(*copies_.find(length), state.begin());
    return;
  }
  const int first = first_of(length);
  const auto used = static_cast<std::size_t>(length - first) * rows_->bytes_per_slot();
  rows_->copy_out(first, state.first(used));
  std::ranges::fill(state.subspan(used), std::byte{0});
}

void WindowRows::copy_in(int length, std::span<const std::byte> state) {
  assert(state.size() == bytes() && length <= capacity_);
  copied_ = first_of(length);
  const auto used = static_cast<std::size_t>(length - copied_) * rows_->bytes_per_slot();
  rows_->copy_in(copied_, state.first(used));
  length_ = end_ = length;
  copies_.clear();
}

}  // namespace redraft
