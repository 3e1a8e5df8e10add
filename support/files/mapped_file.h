#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "support/result.h"

namespace redraft {

// A file mapped as read-only memory for as long as this object lives. Moving the object leaves the
// bytes where they are.
class MappedFile {
 public:
  // An empty, missing or unreadable file, or a directory, is an error.
  static Result<MappedFile> open(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  // Tells the kernel that the pages read so far are not needed soon; they are read from the file
  // again when touched.
  void release_pages() const;

 private:
  explicit MappedFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::span<const std::uint8_t> bytes_;
};

}  // namespace redraft
