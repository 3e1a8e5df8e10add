#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "support/result.h"

namespace redraft {

// Memory that the system may write to disk when memory is scarce, and read back: an unnamed file,
// which disappears with this object or the process. Nobody else can open, shorten or read it. If
// the disk fails to read it, the process ends (SIGBUS).
class ScratchMemory {
 public:
  // Reserves all of its disk space. Fails, with the reason, if the folder cannot be created or
  // written, is itself in memory, or has too little space.
  static Result<ScratchMemory> make(const std::filesystem::path& folder, std::size_t bytes);

  ScratchMemory(ScratchMemory&& other) noexcept;
  ScratchMemory& operator=(ScratchMemory&&) = delete;
  ~ScratchMemory();

  std::span<std::uint8_t> bytes() const { return bytes_; }
  // From now on the system ends a process that writes to it, if it can protect memory in that way.
  void seal() const;

 private:
  explicit ScratchMemory(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<std::uint8_t> bytes_;  // of the mapping
};

}  // namespace redraft
