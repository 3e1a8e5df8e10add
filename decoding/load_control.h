#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace redraft {

// What becomes of weights that do not fit into memory.
struct WeightOverflow {
  std::filesystem::path folder;   // on a disk
  std::uint64_t free_memory = 0;  // bytes of memory that weights may take
  bool* is_used = nullptr;        // set once weights are kept there; may be null
};

// How a model that is being loaded reports to its caller, and how the caller stops it. A load that
// is stopped ends with an error and leaves nothing behind.
struct LoadControl {
  std::stop_token stop;  // checked several times a second
  // The share of the weights that is loaded, up to 1; called on the loading thread. May be empty.
  std::function<void(double fraction)> progress;
  // Called with a sentence that the user should know although nothing failed: something is not as
  // requested. May be empty. A copy may be called later, for as long as what was loaded is used.
  std::function<void(const std::string& notice)> notice = {};
  // What was loaded before ended because its device failed.
  bool device_failed = false;
  // See weight_overflow(). Nothing: weights are kept in memory, come what may.
  std::optional<WeightOverflow> overflow = {};
};

}  // namespace redraft
