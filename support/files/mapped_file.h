#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "support/files/guarded_pages.h"
#include "support/result.h"

namespace redraft {

// A file mapped as read-only memory for as long as this object lives. Moving the object leaves the
// bytes where they are.
class MappedFile {
 public:
  // The effect of accessing a page that the file no longer has.
  enum class LostPages : std::uint8_t { kEndTheProcess, kReadAsZeros };

  // An empty, missing or unreadable file, or a directory, is an error. For kReadAsZeros see
  // GuardedPages.
  static Result<MappedFile> open(const std::filesystem::path& file,
                                 LostPages lost = LostPages::kEndTheProcess);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::uint8_t> bytes() const { return bytes_; }
  // Tells the kernel that the pages read so far are not needed soon. They are read from the file
  // again when accessed.
  void release_pages() const;

 private:
  MappedFile(std::span<const std::uint8_t> bytes, LostPages lost);
  std::span<const std::uint8_t> bytes_;
  GuardedPages guard_;
};

}  // namespace redraft
