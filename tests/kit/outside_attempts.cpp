#include "tests/kit/outside_attempts.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <functional>

namespace redraft {
namespace {

namespace fs = std::filesystem;

std::string outcome_of(long result) {
  if (result >= 0) return "ok";
  const char* name = ::strerrorname_np(errno);
  return name != nullptr ? name : std::to_string(errno);
}

// Runs `attempt` in a child process, which it may replace.
long in_a_child(const std::function<void()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) {
    errno = 0;
    attempt();
    ::_exit(errno);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  errno = WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
  return errno == 0 ? 0 : -1;
}

long run_program(bool by_descriptor) {
  return in_a_child([by_descriptor] {
    char name[] = "/bin/true";
    char* const arguments[] = {name, nullptr};
    char* const nothing[] = {nullptr};
    if (by_descriptor) {
      const int file = ::open(name, O_PATH | O_CLOEXEC);
      ::syscall(SYS_execveat, file, "", arguments, nothing, AT_EMPTY_PATH);
    } else {
      ::execve(name, arguments, nothing);
    }
  });
}

long make_socket(int family) {
  const int socket = ::socket(family, SOCK_STREAM, 0);
  if (socket >= 0) ::close(socket);
  return socket;
}

// Without a filter the error is different: nothing listens there.
long connect_one() {
  std::array<int, 2> ends = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) return -1;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  address.sun_path[0] = '/';
  const int connected =
      ::connect(ends[0], reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const int problem = errno;
  for (const int end : ends) ::close(end);
  errno = problem;
  return connected;
}

long open_to_write(const fs::path& file, int flags) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | flags, 0600);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor;
}

long make_file(const fs::path& folder) {
  const fs::path file = folder / "made";
  const long made = open_to_write(file, O_CREAT | O_EXCL);
  if (made >= 0) ::unlink(file.c_str());
  return made;
}

long trace(int process) {
  const long traced = ::ptrace(PTRACE_SEIZE, process, nullptr, nullptr);
  if (traced == 0) ::ptrace(PTRACE_DETACH, process, nullptr, nullptr);
  return traced;
}

long rename_there_and_back(const fs::path& file) {
  const fs::path other = file.string() + ".moved";
  const long moved = ::rename(file.c_str(), other.c_str());
  if (moved == 0) ::rename(other.c_str(), file.c_str());
  return moved;
}

}  // namespace

std::vector<OutsideAttempt> attempt_outside(const fs::path& workspace, const fs::path& home,
                                            int process) {
  std::vector<OutsideAttempt> all;
  const auto attempt = [&](const char* name, const std::function<long()>& what) {
    errno = 0;
    all.push_back({name, outcome_of(what())});
  };
  const fs::path file = workspace / "a.py";
  attempt("run", [] { return run_program(false); });
  attempt("run-by-descriptor", [] { return run_program(true); });
  attempt("inet", [] { return make_socket(AF_INET); });
  attempt("inet6", [] { return make_socket(AF_INET6); });
  attempt("unix", [] { return make_socket(AF_UNIX); });
  attempt("connect", connect_one);
  attempt("signal", [&] { return ::kill(process, SIGCONT); });
  attempt("trace", [&] { return trace(process); });
  attempt("namespace", [] { return in_a_child([] { ::unshare(CLONE_NEWUSER); }); });
  attempt("type", [] { return ::ioctl(STDIN_FILENO, TIOCSTI, "x"); });
  attempt("workspace-read", [&] { return ::access(file.c_str(), R_OK); });
  attempt("workspace-change", [&] { return open_to_write(file, 0); });
  attempt("workspace-make", [&] { return make_file(workspace); });
  attempt("workspace-move", [&] { return rename_there_and_back(file); });
  attempt("workspace-mode", [&] { return ::chmod(file.c_str(), 0640); });
  attempt("home-make", [&] { return make_file(home); });
  attempt("look", [&] { return ::kill(process, 0); });
  attempt("await", [&] { return ::syscall(SYS_pidfd_open, process, 0); });
  return all;
}

}  // namespace redraft
