#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace redraft {

// A failure, in words that a user can act on: which thing, what is wrong with it, and what to do.
class Error {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }
  // The same error from the next level up: Error("no such file").in("weights: m.gguf").
  Error in(std::string_view where) const { return Error(std::string(where) + ": " + message_); }

 private:
  std::string message_;
};

// A value, or the reason why there is none. Files, models and protocol input return it; the core
// does not fail.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit by design: a function returns its value or its error directly.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() & {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  const T& operator*() const& {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  T&& operator*() && {
    assert(*this);
    return std::move(*std::get_if<0>(&state_));
  }
  T* operator->() {
    assert(*this);
    return std::get_if<0>(&state_);
  }
  const T* operator->() const {
    assert(*this);
    return std::get_if<0>(&state_);
  }
  const Error& error() const {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design
  explicit operator bool() const { return !error_; }
  const Error& error() const {
    assert(error_);
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace redraft
