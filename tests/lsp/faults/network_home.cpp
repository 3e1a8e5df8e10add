// A library for LD_PRELOAD that makes a folder behave as a home on a network does on a bad day.
//   REDRAFT_NETWORK_HOME=PATH    calls that name something at or below it
//   REDRAFT_NETWORK_DELAY_MS=N   take so long
//   REDRAFT_NETWORK_STALE=1      fail with ESTALE: the server has forgotten the folder
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/lsp/faults/next_function.h"

namespace {

struct Plan {
  std::string home = std::getenv("REDRAFT_NETWORK_HOME") ? std::getenv("REDRAFT_NETWORK_HOME") : "";
  long delay = std::getenv("REDRAFT_NETWORK_DELAY_MS")
                   ? std::atol(std::getenv("REDRAFT_NETWORK_DELAY_MS"))
                   : 0;
  bool stale = std::getenv("REDRAFT_NETWORK_STALE") != nullptr;
};

const Plan& plan() {
  static const auto* const the = new Plan;
  return *the;
}

void wait() {
  timespec left = {plan().delay / 1000, plan().delay % 1000 * 1'000'000};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

// False: the call fails, errno says how.
bool goes_on(const char* path) {
  const std::string& home = plan().home;
  if (home.empty() || path == nullptr || std::strncmp(path, home.c_str(), home.size()) != 0)
    return true;
  const int before = errno;
  wait();
  errno = plan().stale ? ESTALE : before;
  return !plan().stale;
}

}  // namespace

extern "C" {

#define REDRAFT_AT_HOME(result, failure, function, parameters, path, arguments) \
  result function parameters {                                                  \
    REDRAFT_NEXT(function);                                                     \
    return goes_on(path) ? real arguments : failure;                            \
  }

REDRAFT_AT_HOME(int, -1, rename, (const char* from, const char* to) noexcept, to, (from, to))
REDRAFT_AT_HOME(int, -1, mkdir, (const char* path, mode_t mode) noexcept, path, (path, mode))
REDRAFT_AT_HOME(int, -1, unlink, (const char* path) noexcept, path, (path))
REDRAFT_AT_HOME(int, -1, stat, (const char* path, struct stat* to) noexcept, path, (path, to))
REDRAFT_AT_HOME(int, -1, lstat, (const char* path, struct stat* to) noexcept, path, (path, to))
REDRAFT_AT_HOME(FILE*, nullptr, fopen, (const char* path, const char* mode), path, (path, mode))
REDRAFT_AT_HOME(FILE*, nullptr, fopen64, (const char* path, const char* mode), path, (path, mode))

// The mode is there only where a file may be created.
#define REDRAFT_OPENS(function, parameters, ...)         \
  int function parameters {                              \
    REDRAFT_NEXT(function);                              \
    mode_t mode = 0;                                     \
    if (flags & (O_CREAT | __O_TMPFILE)) {               \
      va_list more;                                      \
      va_start(more, flags);                             \
      mode = va_arg(more, mode_t);                       \
      va_end(more);                                      \
    }                                                    \
    return goes_on(path) ? real(__VA_ARGS__, mode) : -1; \
  }

REDRAFT_OPENS(open, (const char* path, int flags, ...), path, flags)
REDRAFT_OPENS(open64, (const char* path, int flags, ...), path, flags)
REDRAFT_OPENS(openat, (int folder, const char* path, int flags, ...), folder, path, flags)
REDRAFT_OPENS(openat64, (int folder, const char* path, int flags, ...), folder, path, flags)

}  // extern "C"
