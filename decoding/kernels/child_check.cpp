#include "decoding/kernels/child_check.h"

#include <cerrno>
#include <initializer_list>

#if defined(__unix__)
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace redraft::kernels {

bool holds_in_a_child(bool (*check)()) {
#if defined(__unix__)
  // The answer comes through a pipe: if the program was started with SIGCHLD ignored, it cannot
  // read the exit status of a child.
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) signal(fault, SIG_DFL);
    const char holds = check() ? 1 : 0;
    _exit(write(pipe_ends[1], &holds, 1) == 1 ? 0 : 1);
  }
  close(pipe_ends[1]);
  char holds = 0;
  ssize_t got = 0;
  do {
    got = child < 0 ? 0 : read(pipe_ends[0], &holds, 1);
  } while (got < 0 && errno == EINTR);
  close(pipe_ends[0]);
  while (child > 0 && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return got == 1 && holds == 1;
#else
  return check();
#endif
}

}  // namespace redraft::kernels
