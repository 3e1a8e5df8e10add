#include "lsp/host/detached_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "support/system/descriptors.h"
#include "support/system_error.h"

namespace redraft::lsp {
namespace {
// Runs in the new process. Other threads may have held any lock at the fork, so it makes system
// calls only.
[[noreturn]] void become(char* const* arguments, int in, int out, int log) {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
      ::dup2(log, STDERR_FILENO) >= 0 && ::chdir("/") == 0) {
    close_descriptors_from(STDERR_FILENO + 1);
    ::execv(arguments[0], arguments);
  }
  ::_exit(127);
}

}  // namespace

Result<FileHandle> start_detached(const std::vector<std::string>& command, int log) {
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));  // as execv() takes them
  arguments.push_back(nullptr);
  std::optional<Pipe> pipe = make_pipe();
  if (!pipe) return system_error("no pipe");
  const FileHandle in = FileHandle::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t child = ::fork();
  if (child < 0) return system_error("no process");
  if (child == 0) {
    ::setsid();
    const pid_t grandchild = ::fork();
    if (grandchild == 0) become(arguments.data(), in.get(), pipe->write_end.get(), log);
    ::_exit(grandchild < 0 ? 1 : 0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return Error("no process could be made");
  return std::move(pipe->read_end);
}

}  // namespace redraft::lsp
