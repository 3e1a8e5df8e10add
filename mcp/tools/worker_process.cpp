#include "mcp/tools/worker_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <fstream>
#include <optional>

#include "support/confine/call_filter.h"
#include "support/system/descriptors.h"
#include "support/system_error.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDRAFT_WITH_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDRAFT_WITH_SANITIZER
#endif
#endif

namespace redraft::mcp {
namespace {

constexpr std::size_t kMemory = std::size_t{2} << 30;  // bytes
constexpr int kSeconds = 30;                           // for a request
constexpr int kSocket = 3;                             // its descriptor in the child

constexpr std::array kWorkerCalls = {
    SYS_read,        SYS_write,         SYS_recvfrom,        SYS_sendto,       SYS_close,
    SYS_mmap,        SYS_munmap,        SYS_mremap,          SYS_mprotect,     SYS_madvise,
    SYS_brk,         SYS_exit,          SYS_exit_group,      SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_futex,       SYS_setitimer,     SYS_getrandom,       SYS_getpid,       SYS_gettid,
    SYS_sched_yield, SYS_clock_gettime, SYS_restart_syscall,
};

bool limit(int resource, std::size_t most) {
  const rlimit both = {.rlim_cur = most, .rlim_max = most};
  return ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &both) == 0;
}

// 0: no limit, for sanitizers, which reserve terabytes of addresses.
std::size_t address_limit() {
#ifdef REDRAFT_WITH_SANITIZER
  return 0;
#else
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + kMemory;
#endif
}

// False if any part fails: then nothing may be read.
bool confine_worker(std::size_t addresses) {
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0)) return false;
  if (addresses > 0 && !limit(RLIMIT_AS, addresses)) return false;
  CallFilter filter;
  filter.refuse_if_any(SYS_mmap, 2, PROT_EXEC);
  filter.refuse_if_any(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_only(kWorkerCalls);
  return filter.install(false) == 0;
}

bool read_all(int socket, std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t size = ::recv(socket, bytes.data() + at, bytes.size() - at, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    at += static_cast<std::size_t>(size);
  }
  return true;
}

bool write_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket, bytes.data(), bytes.size(), kSendWithoutSignal);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

// SIGALRM, which nothing handles, ends a request that takes too long.
void set_timer(int seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

std::optional<std::string> read_request(int socket) {
  std::string head(kFrameHead, '\0');
  if (!read_all(socket, head)) return std::nullopt;
  const std::size_t size = frame_size(head);
  if (size > kMaxFrame) return std::nullopt;
  std::string request(size, '\0');
  if (!read_all(socket, request)) return std::nullopt;
  return request;
}

[[noreturn]] void run_worker(const AnswerRequest& answer, std::size_t addresses) {
  if (!confine_worker(addresses)) ::_exit(1);
  try {
    while (const std::optional<std::string> request = read_request(kSocket)) {
      set_timer(kSeconds);
      const std::string made = framed(answer(*request));
      set_timer(0);
      if (!write_all(kSocket, made)) break;
    }
  } catch (const std::exception&) {
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace

std::string framed(std::string_view text) {
  std::string bytes;
  bytes.reserve(kFrameHead + text.size());
  for (std::size_t i = 0; i < kFrameHead; ++i)
    bytes += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return bytes.append(text);
}

std::size_t frame_size(std::string_view head) {
  std::size_t size = 0;
  for (std::size_t i = kFrameHead; i-- > 0;) size = size << 8 | static_cast<unsigned char>(head[i]);
  return size;
}

Result<FileHandle> start_worker(const AnswerRequest& answer) {
  if (!CallFilter::is_available()) {
    return Error(
        "this system cannot confine the process that reads changes: its kernel has no filter of "
        "system calls (seccomp)");
  }
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("no socket");
  FileHandle ours(ends[0]);
  const FileHandle theirs(ends[1]);
  const std::size_t addresses = address_limit();
  const pid_t child = ::fork();
  if (child < 0) return system_error("no process");
  if (child > 0) return ours;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the process that serves the client
  if (theirs.get() != kSocket && ::dup2(theirs.get(), kSocket) != kSocket) ::_exit(1);
  for (const int other : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(other);
  close_descriptors_from(kSocket + 1);
  run_worker(answer, addresses);
}

void ignore_children() { ::signal(SIGCHLD, SIG_IGN); }

}  // namespace redraft::mcp
