#pragma once

#include <cstddef>
#include <utility>

namespace redraft {

// Counts the members of a plain struct, so that a list of them can be checked for completeness:
//
//   static_assert(listed == kMemberCount<DecodeStatistics>, "a member is missing in the list");
//
// A struct can be initialised from at most as many values as it has members; the count is found
// with a value that converts to anything. Members that are references or C arrays are not counted
// correctly; no struct used here has any.
namespace member_count {

struct Anything {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor): never called, so never defined
};

template <typename Struct, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Struct{(static_cast<void>(I), Anything())...}; };
}

template <typename Struct, std::size_t count = 0>
constexpr std::size_t most() {
  if constexpr (takes<Struct>(std::make_index_sequence<count + 1>())) {
    return most<Struct, count + 1>();
  } else {
    return count;
  }
}

}  // namespace member_count

template <typename Struct>
inline constexpr std::size_t kMemberCount = member_count::most<Struct>();

}  // namespace redraft
