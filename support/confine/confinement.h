#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"

namespace redraft {

// The rights that a process keeps when it confines itself.
struct ConfinementOptions {
  // Folders below which it may write, create, move and remove files, including folders of this user
  // that links in them lead to. Folders that do not exist are ignored.
  std::vector<std::filesystem::path> writable = {};
  // Folders in which it may only remove files.
  std::vector<std::filesystem::path> removable = {};
  // Files that it may write and empty. Links are not followed.
  std::vector<std::filesystem::path> changeable = {};
  // The driver of a GPU opens devices for writing and connects to its daemons over local sockets.
  // Not tested on a machine with a GPU.
  bool gpu = false;
  // It connects to hosts, but does not listen.
  bool network = false;
  // It sets the modes, owners and extended attributes of files, so that a file that it replaces
  // keeps them.
  bool attributes = false;
};

// The result of confine(): Landlock's version for files, or the reason of a failure.
struct Confinement {
  Result<int> files;
  Result<void> calls;

  bool complete() const { return files && calls; }
  // For the log and `redraft doctor`: part of a sentence that begins with "it".
  std::string description() const;
};

// Confines this process, for good:
// - it writes, creates and removes only the files that `options` allow, and opens no device for
//   writing;
// - it runs no program, and makes no socket and connects to nothing unless `options` allow it; it
//   types into no terminal, signals, traces and reads no other process, shares no memory by name,
//   makes no link, enters no namespace, becomes no other user, and loads nothing into the kernel.
// It reads files, uses its open descriptors, and starts threads and child processes as before.
// Forbidden calls fail with EPERM or EACCES. Each of the two parts is best effort, with what this
// kernel supports.
//
// Call it before the process has threads: rules on files do not apply to threads that already run,
// and `files` is an error if there are any.
Confinement confine(const ConfinementOptions& options);

// The result that confine() would have here, without confining anything.
Confinement possible_confinement();

}  // namespace redraft
