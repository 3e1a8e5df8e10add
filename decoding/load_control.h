#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "text/chat_renderer.h"

namespace redraft {

// Where to keep weights that do not fit into memory.
struct WeightOverflow {
  std::filesystem::path folder;   // on a disk
  std::uint64_t free_memory = 0;  // bytes of memory that weights may take
  bool* is_used = nullptr;        // set to true once weights are kept on disk; may be null
};

// How a model that is being loaded reports to its caller, and how the caller stops it. A stopped
// load ends with an error and leaves nothing behind.
struct LoadControl {
  std::stop_token stop;  // checked several times a second
  // Receives the fraction of the weights that is loaded, up to 1; called on the loading thread. May
  // be empty.
  std::function<void(double fraction)> progress;
  // Receives a sentence that the user should know although nothing failed, because something is not
  // as requested. May be empty. A copy may be called later, for as long as the loaded model is in
  // use.
  std::function<void(const std::string& notice)> notice = {};
  // The previous model ended because its device failed.
  bool device_failed = false;
  // See weight_overflow(). nullopt: weights are always kept in memory.
  std::optional<WeightOverflow> overflow = {};
  // Makes what runs the chat template of a model whose format redraft does not know. Empty: nothing
  // runs it.
  MakeChatRenderer chat_renderer = {};
};

}  // namespace redraft
