#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace redraft {

// What a request is for. Each purpose remembers separately: what is written differs, and a
// completion may run between two passes of an edit.
enum class Purpose { kEdit, kCompletion, kNextEdit };

struct NamedPurpose {
  Purpose purpose;
  std::string_view name;  // for people and files; with an "s", the plural
};
inline constexpr std::array kPurposes = {NamedPurpose{Purpose::kEdit, "edit"},
                                         NamedPurpose{Purpose::kCompletion, "completion"},
                                         NamedPurpose{Purpose::kNextEdit, "next edit"}};

constexpr std::string_view name_of(Purpose purpose) {
  return kPurposes[static_cast<std::size_t>(purpose)].name;
}

static_assert(
    [] {
      for (std::size_t i = 0; i < kPurposes.size(); ++i) {
        if (static_cast<std::size_t>(kPurposes[i].purpose) != i) return false;
      }
      return true;
    }(),
    "kPurposes has the order of Purpose");

// One value for each purpose.
template <typename T>
struct PerPurpose {
  std::array<T, kPurposes.size()> values = {};

  // The value of each purpose is what `make()` returns.
  template <typename Make>
  static PerPurpose made_by(const Make& make) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return PerPurpose{{(static_cast<void>(i), make())...}};
    }
    (std::make_index_sequence<kPurposes.size()>());
  }

  T& operator[](Purpose purpose) { return values[static_cast<std::size_t>(purpose)]; }
  const T& operator[](Purpose purpose) const { return values[static_cast<std::size_t>(purpose)]; }
};

}  // namespace redraft
