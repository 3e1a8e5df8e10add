// Landlock restricts files, a seccomp filter restricts system calls. Neither needs privileges; both
// apply to all descendants and cannot be undone. The filter refuses what Landlock does not cover
// (modes, owners, times, extended attributes) and what could bypass either (io_uring, new
// namespaces). It also keeps processes in their group, so that one signal ends everything that was
// started. Devices, above all terminals, cannot be read: otherwise the code could read what the
// user types.
#include "bench/sandbox_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "support/confine/call_filter.h"
#include "support/confine/call_groups.h"
#include "support/confine/file_rules.h"

namespace redraft {
namespace {

// In addition to the groups that are refused.
constexpr int kForbidden[] = {
    // The network.
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    // Other processes.
    SYS_kill,
    SYS_tgkill,
    SYS_pidfd_open,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    // Leaving the group that is killed at the end.
    SYS_setsid,
    SYS_setpgid,
    // Times of files.
    SYS_utimensat,
#if defined(__x86_64__)
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
#endif
    // Memory that outlives its process.
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
};

constexpr CallFilter make_filter() {
  CallFilter filter;
  filter.refuse_all(kForbidden);
  filter.refuse_all(call_groups::kOtherMemory);
  filter.refuse_all(call_groups::kOtherSignals);
  filter.refuse_all(call_groups::kNamespaces);
  filter.refuse_all(call_groups::kAttributes);
  filter.refuse_all(call_groups::kKernel);
  // Its flags are in memory, which no filter can read: the C library then falls back to clone.
  filter.refuse(call_groups::kClone3, ENOSYS);
  filter.refuse_if_any(SYS_clone, 0, call_groups::kNamespaceFlags);
  // Typing into a terminal, and console ioctls.
  filter.refuse_if(SYS_ioctl, 1, TIOCSTI);
  filter.refuse_if(SYS_ioctl, 1, TIOCLINUX);
  filter.refuse_unless(SYS_prlimit64, 0, {0});  // to itself
  return filter;
}

constexpr std::uint64_t kRights = file_right::kReadFile | file_right::kWriteFile |
                                  file_right::kMake | file_right::kRemove | file_right::kRefer |
                                  file_right::kTruncate;

// Allows reading everything except devices: each entry of the root except one, and what is below
// it.
int allow_reading(const FileRules& rules) {
  const int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return errno;
  int problem = 0;
  alignas(dirent64) std::array<char, 4096> entries;  // opendir() would allocate
  for (ssize_t size = 1; size > 0 && problem == 0;) {
    size = getdents64(root, entries.data(), entries.size());
    if (size < 0) problem = errno;
    for (ssize_t at = 0; at < size && problem == 0;) {
      const char* entry = entries.data() + at;
      const char* name = entry + offsetof(dirent64, d_name);
      bool left_out = false;
      for (const char* each : {".", "..", "dev"}) left_out |= std::strcmp(name, each) == 0;
      if (!left_out) problem = rules.allow_named(root, name, file_right::kReadFile);
      unsigned short length = 0;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
      at += length;
    }
  }
  close(root);
  for (const char* device : {"/dev/zero", "/dev/random", "/dev/urandom"}) {
    if (problem == 0) problem = rules.allow_named(AT_FDCWD, device, file_right::kReadFile);
  }
  return problem;
}

}  // namespace

int leave_network(bool root) {
  // The user has no mapping in the user namespace and so is nobody there: exec leaves no
  // capability.
  return unshare(root ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
}

int confine_files(int folder, bool same_user) {
  if (FileRules::version() < 3 && same_user) return EOPNOTSUPP;  // files could be truncated
  const FileRules rules({.rights = kRights});
  if (const int problem = rules.allow(folder, kRights)) return problem;
  if (const int problem = rules.allow_named(AT_FDCWD, "/dev/null", kRights)) return problem;
  if (const int problem = allow_reading(rules)) return problem;
  return rules.enforce();
}

int forbid_system_calls() {
  static constexpr CallFilter kFilter = make_filter();
  return kFilter.install(false);
}

}  // namespace redraft
