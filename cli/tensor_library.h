#pragma once

#include <dlfcn.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>

#include "support/result.h"

namespace redraft::cli {

// Torch's threads sleep where they wait for each other; by default they spin, which on a machine
// with other work takes five times the processor time of the training itself. Torch's OpenMP reads
// this when it is loaded. A value that the user has set stays.
inline void let_waiting_threads_sleep() { ::setenv("OMP_WAIT_POLICY", "PASSIVE", 0); }

// Opens a library that needs libtorch, until the program ends, and returns what its symbol `name`
// returns, a pointer to a function.
template <typename Entry>
auto load_through(const std::filesystem::path& file, const char* name)
    -> Result<decltype(std::declval<Entry&>()())> {
  let_waiting_threads_sleep();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = library == nullptr ? nullptr : dlsym(library, name);
  if (entry == nullptr)
    return Error("a part of redraft cannot be loaded: " + std::string(dlerror()) +
                 "; build or install it again");
  return reinterpret_cast<Entry*>(entry)();
}

}  // namespace redraft::cli
