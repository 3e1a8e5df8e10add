#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>

namespace redraft {

// States that a language has nothing of a kind, or that redraft does not know it.
struct None {};
inline constexpr None kHasNone{};

// A fact that every language has to state. It has no default value, so a row that omits a fact does
// not compile. kHasNone is the value of T that is empty, zero or null.
template <typename T>
class Fact {
 public:
  template <typename Value>
  requires std::convertible_to<Value&&, T>
  constexpr Fact(Value&& value)  // NOLINT: a row reads `.fact = value`
      : value_(std::forward<Value>(value)) {}
  constexpr Fact(None /*none*/) : value_{} {}       // NOLINT
  constexpr Fact(const char (&empty)[1]) = delete;  // write kHasNone instead

  constexpr operator const T&() const { return value_; }  // NOLINT
  constexpr const T& operator*() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

}  // namespace redraft
