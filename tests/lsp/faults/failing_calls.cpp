// A library for LD_PRELOAD in which one system call of a program fails once, as a full disk, a lost
// network folder or a signal would make it. What fails is named by who calls: "write 4f20 5310",
// the function and the return addresses in the program itself, innermost first, relative to where
// it is loaded. So the same call fails in each run, whatever other threads do.
//   REDRAFT_CALLS=FILE          each caller is appended to FILE once, as such a line
//   REDRAFT_FAILING_CALL=NAME   the first call of that caller fails
//   REDRAFT_FAILING_WITH=N      with that errno; 0: it is done for one byte only (read, write)
// When it has failed, REDRAFT_FAILED=FILE is created. Calls outside the program (of libtorch and
// the C library for themselves) are left alone.
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "tests/lsp/faults/next_function.h"

namespace {

constexpr int kDepth = 24;   // frames that are looked at
constexpr int kCallers = 4;  // of them, those of the program that name a call

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t base = 0;
};

// Of the program's own code.
Range program_range() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& found = *static_cast<Range*>(out);
        found.base = info->dlpi_addr;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
          found.begin = info->dlpi_addr + part.p_vaddr;
          found.end = found.begin + part.p_memsz;
        }
        return 1;  // the first is the program
      },
      &range);
  return range;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

struct Plan {
  Range program = program_range();
  std::string list = environment("REDRAFT_CALLS");
  std::string failing = environment("REDRAFT_FAILING_CALL");
  std::string done = environment("REDRAFT_FAILED");
  int with = std::atoi(environment("REDRAFT_FAILING_WITH").c_str());
  std::mutex mutex;
  std::set<std::string> seen = {};
  std::atomic<bool> failed = false;
};

Plan& plan() {
  static auto* const the = new Plan;  // never destroyed: calls come until the very end
  return *the;
}

thread_local bool inside = false;

struct Inside {
  Inside() { inside = true; }
  ~Inside() { inside = false; }
};

// "" where the program itself does not call.
std::string caller_of(const char* name) {
  std::array<void*, kDepth> frames;
  const int count = backtrace(frames.data(), kDepth);
  std::string caller = name;
  int found = 0;
  for (int i = 0; i < count && found < kCallers; ++i) {
    const auto at = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]);
    if (at < plan().program.begin || at >= plan().program.end) continue;
    char text[24];
    std::snprintf(text, sizeof text, " %zx", static_cast<std::size_t>(at - plan().program.base));
    caller += text;
    ++found;
  }
  return found == 0 ? "" : caller;
}

void append(const std::string& file, const std::string& text) {
  const auto out = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (out < 0) return;
  static_cast<void>(syscall(SYS_write, out, text.data(), text.size()));
  syscall(SYS_close, out);
}

enum class Fate { kDone, kFails, kIsShort };

// What becomes of a call that begins now; sets errno where it fails.
Fate fate_of(const char* name) {
  if (inside) return Fate::kDone;
  const Inside guard;
  const int before = errno;
  Fate fate = Fate::kDone;
  const bool wanted = plan().failing.compare(0, std::strlen(name), name) == 0 && !plan().failed;
  if (!plan().list.empty() || wanted) {
    const std::string caller = caller_of(name);
    if (!caller.empty() && !plan().list.empty()) {
      const std::lock_guard lock(plan().mutex);
      if (plan().seen.insert(caller).second) append(plan().list, caller + "\n");
    }
    if (wanted && caller == plan().failing && !plan().failed.exchange(true)) {
      append(plan().done, caller + "\n");
      fate = plan().with == 0 ? Fate::kIsShort : Fate::kFails;
    }
  }
  errno = fate == Fate::kFails ? plan().with : before;
  return fate;
}

// Of files, pipes and sockets; an eventfd or a timer never fails, nor does half of one come.
Fate fate_of(const char* name, int file) {
  struct stat status = {};
  const bool moves =
      fstat(file, &status) == 0 &&
      (S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
  return moves ? fate_of(name) : Fate::kDone;
}

}  // namespace

// Each asks first, and else does what the C library does.
extern "C" {

#define REDRAFT_FAILS(result, function, parameters, arguments) \
  result function parameters {                                 \
    REDRAFT_NEXT(function);                                    \
    if (fate_of(#function) == Fate::kFails) return result(-1); \
    return real arguments;                                     \
  }

// A call that moves bytes may also move one only.
#define REDRAFT_MOVES(function, parameters, whole, part) \
  ssize_t function parameters {                          \
    REDRAFT_NEXT(function);                              \
    switch (fate_of(#function, file)) {                  \
      case Fate::kFails:                                 \
        return -1;                                       \
      case Fate::kIsShort:                               \
        return real part;                                \
      case Fate::kDone:                                  \
        break;                                           \
    }                                                    \
    return real whole;                                   \
  }

REDRAFT_MOVES(read, (int file, void* to, std::size_t size), (file, to, size),
              (file, to, std::min<std::size_t>(size, 1)))
REDRAFT_MOVES(write, (int file, const void* from, std::size_t size), (file, from, size),
              (file, from, std::min<std::size_t>(size, 1)))
REDRAFT_MOVES(pread, (int file, void* to, std::size_t size, off_t at), (file, to, size, at),
              (file, to, std::min<std::size_t>(size, 1), at))
REDRAFT_MOVES(pread64, (int file, void* to, std::size_t size, off64_t at), (file, to, size, at),
              (file, to, std::min<std::size_t>(size, 1), at))
REDRAFT_MOVES(pwrite, (int file, const void* from, std::size_t size, off_t at),
              (file, from, size, at), (file, from, std::min<std::size_t>(size, 1), at))
REDRAFT_MOVES(pwrite64, (int file, const void* from, std::size_t size, off64_t at),
              (file, from, size, at), (file, from, std::min<std::size_t>(size, 1), at))

REDRAFT_FAILS(int, fsync, (int file), (file))
REDRAFT_FAILS(int, fdatasync, (int file), (file))
REDRAFT_FAILS(int, ftruncate, (int file, off_t size), (file, size))
REDRAFT_FAILS(int, ftruncate64, (int file, off64_t size), (file, size))
REDRAFT_FAILS(int, rename, (const char* from, const char* to) noexcept, (from, to))
REDRAFT_FAILS(int, flock, (int file, int how) noexcept, (file, how))
REDRAFT_FAILS(int, mkdir, (const char* path, mode_t mode) noexcept, (path, mode))
REDRAFT_FAILS(int, unlink, (const char* path) noexcept, (path))
REDRAFT_FAILS(int, accept4, (int file, sockaddr* of, socklen_t* size, int flags),
              (file, of, size, flags))

void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t from) noexcept {
  REDRAFT_NEXT(mmap);
  if (fate_of("mmap") == Fate::kFails) return MAP_FAILED;
  return real(at, size, protection, flags, file, from);
}
void* mmap64(void* at, std::size_t size, int protection, int flags, int file,
             off64_t from) noexcept {
  REDRAFT_NEXT(mmap64);
  if (fate_of("mmap64") == Fate::kFails) return MAP_FAILED;
  return real(at, size, protection, flags, file, from);
}

FILE* fopen(const char* path, const char* mode) {
  REDRAFT_NEXT(fopen);
  return fate_of("fopen") == Fate::kFails ? nullptr : real(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  REDRAFT_NEXT(fopen64);
  return fate_of("fopen64") == Fate::kFails ? nullptr : real(path, mode);
}

// The mode is there only where a file may be created.
#define REDRAFT_OPENS(function, parameters, ...)                              \
  int function parameters {                                                   \
    REDRAFT_NEXT(function);                                                   \
    mode_t mode = 0;                                                          \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                    \
      va_list more;                                                           \
      va_start(more, flags);                                                  \
      mode = va_arg(more, mode_t);                                            \
      va_end(more);                                                           \
    }                                                                         \
    return fate_of(#function) == Fate::kFails ? -1 : real(__VA_ARGS__, mode); \
  }

REDRAFT_OPENS(open, (const char* path, int flags, ...), path, flags)
REDRAFT_OPENS(open64, (const char* path, int flags, ...), path, flags)
REDRAFT_OPENS(openat, (int folder, const char* path, int flags, ...), folder, path, flags)
REDRAFT_OPENS(openat64, (int folder, const char* path, int flags, ...), folder, path, flags)

}  // extern "C"
