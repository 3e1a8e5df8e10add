#pragma once

#include <cstdint>

namespace redraft {

// Rights on files by the kernel's numbers (Landlock). Some systems' headers lack the later ones.
namespace file_right {
inline constexpr std::uint64_t kExecute = 1 << 0;
inline constexpr std::uint64_t kWriteFile = 1 << 1;
inline constexpr std::uint64_t kReadFile = 1 << 2;
inline constexpr std::uint64_t kRemove = 1 << 4 | 1 << 5;  // folders and files
inline constexpr std::uint64_t kMakeFolder = 1 << 7;
inline constexpr std::uint64_t kMakeRegular = 1 << 8;
inline constexpr std::uint64_t kMake = 0x7F << 6;    // files and folders of every kind
inline constexpr std::uint64_t kRefer = 1 << 13;     // version 2: moves between folders
inline constexpr std::uint64_t kTruncate = 1 << 14;  // version 3
inline constexpr std::uint64_t kControl = 1 << 15;   // version 5: ioctl() of devices
// The rights that a rule for something other than a folder may have.
inline constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControl;
}  // namespace file_right

// Which files a process may use. Every restricted right is denied everywhere, except where a rule
// allows it. Nothing here allocates memory. The functions return 0, or the errno of the failure.
class FileRules {
 public:
  struct Restricted {
    std::uint64_t rights = 0;
    bool ports = false;  // version 4: no TCP connection and no port that listens
    // Version 6: no connection to an abstract socket, no signal to a process outside the sandbox.
    bool others = false;
  };

  // 0: this kernel has no such rules.
  static int version();

  // Rights that the kernel does not know are not restricted.
  explicit FileRules(const Restricted& restricted);
  ~FileRules();
  FileRules(const FileRules&) = delete;
  FileRules& operator=(const FileRules&) = delete;

  int problem() const { return problem_; }
  // Allows those of `rights` that are restricted. `place`: an open folder, for everything below it,
  // or a file.
  int allow(int place, std::uint64_t rights) const;
  // The same for `name` in an open folder (AT_FDCWD: as for open()). A link is not followed. A file
  // that does not exist or cannot be reached needs no rule.
  int allow_named(int folder, const char* name, std::uint64_t rights) const;

  // Enforces the rules, for good, for the calling thread and everything it starts.
  int enforce() const;

 private:
  std::uint64_t rights_ = 0;
  int ruleset_ = -1;
  int problem_ = 0;
};

}  // namespace redraft
