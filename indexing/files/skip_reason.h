#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace redraft {

// Why a file or a folder is not read.
enum class SkipReason : std::uint8_t {
  kIgnored,         // an ignore file excludes it
  kVersionControl,  // .git and the like
  kWorkTree,        // another git work tree of a repository in the workspace
  kDependencies,    // installed packages, caches, and build folders marked as such
  kSecret,          // its name, or its beginning, suggests a key or a password
  kLink,            // a symbolic link
  kSpecial,         // a pipe, a device, a socket
  kTooLarge,
  kBinary,      // NUL bytes, or not UTF-8
  kGenerated,   // minified, a lock file, or marked as generated in its first lines
  kBadName,     // its path is not UTF-8
  kUnreadable,  // no permission, or an error of the file system
  kTooDeep,     // nested more deeply than a walk goes
  kSeenBefore,  // a folder visited before: a loop of mounts, or a root inside another
  kVanished,    // gone, or something else, by the time it was read
};
inline constexpr std::size_t kSkipReasonCount = 15;

// A few words for a message: "ignored", "a secret".
std::string_view to_text(SkipReason reason);

}  // namespace redraft
