#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "support/result.h"

namespace redraft {

// What a process that confines itself still needs.
struct ConfinementOptions {
  // Below these it may write, make, move and remove files; folders that are links in them count,
  // too. What is not there is left out.
  std::vector<std::filesystem::path> writable = {};
  // In these it may remove files, and no more.
  std::vector<std::filesystem::path> removable = {};
  // The driver of a GPU opens devices to write, and talks to daemons of its own over local sockets.
  // Not tested on a machine with one.
  bool gpu = false;
  // It connects to hosts, but listens nowhere.
  bool network = false;
};

// What is confined, and how: Landlock's version, or why not.
struct Confinement {
  Result<int> files;
  Result<void> calls;

  bool complete() const { return files && calls; }
  // For the log and `redraft doctor`: part of a sentence that begins with "it".
  std::string description() const;
};

// From now on, and for good, this process
// - writes, makes and removes no files but those of `options`, and opens no device to write;
// - runs no program, makes no socket and connects to nothing unless `options` say so, types into no
//   terminal, signals, traces and reads no other process, enters no namespace, loads nothing into
//   the kernel.
// It reads files, uses descriptors that it has, and starts threads and children of its own as
// before. What is refused fails with EPERM or EACCES. Best effort: each half by itself, with what
// this kernel has.
//
// Before the process has threads: rules on files do not reach those that run already, and
// `files` is an error if there are any.
Confinement confine(const ConfinementOptions& options);

// What confine() could do here, without doing it.
Confinement possible_confinement();

}  // namespace redraft
