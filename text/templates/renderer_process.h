#pragma once

#include <sys/syscall.h>

#include <array>
#include <cstddef>

namespace redraft {

// What bounds a renderer.
struct RendererLimits {
  // RLIMIT_AS, in bytes: 256 MiB above what this process has now. 0: no limit, for sanitizers,
  // which reserve terabytes of addresses.
  std::size_t addresses = 0;

  // Reads /proc, so call it before the confinement.
  static RendererLimits of_this_process();
};

// The system calls that a renderer may make. It can talk to its socket, take memory and end; it can
// open nothing, start nothing and reach no other process.
inline constexpr std::array kRendererCalls = {
    SYS_read,        SYS_write,         SYS_recvfrom,        SYS_sendto,       SYS_close,
    SYS_mmap,        SYS_munmap,        SYS_mremap,          SYS_mprotect,     SYS_madvise,
    SYS_brk,         SYS_exit,          SYS_exit_group,      SYS_rt_sigreturn, SYS_rt_sigprocmask,
    SYS_futex,       SYS_setitimer,     SYS_getrandom,       SYS_getpid,       SYS_gettid,
    SYS_sched_yield, SYS_clock_gettime, SYS_restart_syscall,
};

// Renders one template (template_frames.h) for the process at the other end of `socket`, until that
// is closed. Runs in a child that the keeper has forked, which it ends. Before it reads anything it
// confines itself to kRendererCalls; no memory becomes executable. A request that takes more than a
// second of processor time ends the process, as does an overflow of the stack.
[[noreturn]] void run_renderer(int socket, const RendererLimits& limits);

}  // namespace redraft
