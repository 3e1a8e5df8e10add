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
  const pid_t child = fork();
  if (child < 0) return false;
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int fault : {SIGILL, SIGSEGV, SIGBUS, SIGFPE}) signal(fault, SIG_DFL);
    _exit(check() ? 0 : 1);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
#else
  return check();
#endif
}

}  // namespace redraft::kernels
