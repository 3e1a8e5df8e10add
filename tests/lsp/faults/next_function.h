#pragma once

#include <dlfcn.h>

// For libraries that stand in for functions of the C library (LD_PRELOAD): the function itself.
template <typename Function>
Function next_function(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

// Declares it as `real`. The signatures are glibc's.
#define REDRAFT_NEXT(function) \
  static const auto real = next_function(static_cast<decltype(&function)>(nullptr), #function)
