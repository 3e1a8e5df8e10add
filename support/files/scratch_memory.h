#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "support/result.h"

namespace redraft {

// Memory that the system may write to disk when there is too little of it, and reads again: that of
// a file without a name, which is gone with this object or the process. Nobody else can open,
// shorten or read it. A disk that fails to read it ends the process (SIGBUS).
class ScratchMemory {
 public:
  // All of its disk space is reserved. An error that says what is wrong if the folder cannot be
  // made or written, is in memory itself, or has too little room.
  static Result<ScratchMemory> make(const std::filesystem::path& folder, std::size_t bytes);

  ScratchMemory(ScratchMemory&& other) noexcept;
  ScratchMemory& operator=(ScratchMemory&&) = delete;
  ~ScratchMemory();

  std::span<std::uint8_t> bytes() const { return bytes_; }
  // From now on the system ends a process that writes to it, if it can guard memory so.
  void seal() const;

 private:
  explicit ScratchMemory(std::span<std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<std::uint8_t> bytes_;  // of the mapping
};

}  // namespace redraft
