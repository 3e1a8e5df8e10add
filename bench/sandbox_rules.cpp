// Landlock decides about files, a seccomp filter about system calls. Neither needs privileges; both
// apply to all descendants and cannot be undone. The filter refuses what Landlock does not cover
// (modes, owners, times, extended attributes) and what could bypass either (io_uring, new
// namespaces). It also keeps processes in their group, so that one signal ends whatever was
// started. Devices cannot be read, terminals least of all: the code would read what their user
// types.
#include "bench/sandbox_rules.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace redraft {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t kArchitecture = 0;  // not known to the filter, which then cannot be installed
#endif

// Numbers that are the same on all architectures, and missing in some systems' headers.
constexpr int kClone3 = 435;
constexpr int kFchmodat2 = 452;
constexpr int kSetxattrat = 463;
constexpr int kRemovexattrat = 466;
constexpr int kFileSetattr = 469;

constexpr int kForbidden[] = {
    // The network, and what could replace it.
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_io_uring_setup,
    // Other processes.
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_setpriority,
    SYS_ioprio_set,
    SYS_sched_setscheduler,
    SYS_sched_setparam,
    SYS_sched_setattr,
    SYS_sched_setaffinity,
    SYS_process_madvise,
    SYS_migrate_pages,
    SYS_move_pages,
    // Leaving the group that is killed at the end.
    SYS_setsid,
    SYS_setpgid,
    // Namespaces and mounts.
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fsmount,
    SYS_fspick,
    SYS_fsconfig,
    SYS_mount_setattr,
    // What Landlock does not restrict.
    SYS_fchmod,
    SYS_fchmodat,
    kFchmodat2,
    SYS_fchown,
    SYS_fchownat,
    SYS_utimensat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    kSetxattrat,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    kRemovexattrat,
    kFileSetattr,
    SYS_quotactl,
    // Memory that outlives its process.
    SYS_shmget,
    SYS_shmat,
    SYS_msgget,
    SYS_semget,
    SYS_mq_open,
    // The kernel's own configuration.
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_syslog,
    SYS_personality,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_fanotify_init,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_utime,
    SYS_utimes,
    SYS_futimesat,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};
constexpr size_t kForbiddenCount = sizeof kForbidden / sizeof *kForbidden;

// clone's flags that create a namespace: those in the low 32 bits.
constexpr uint32_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

constexpr uint32_t refuse(int error) { return SECCOMP_RET_ERRNO | static_cast<uint32_t>(error); }

constexpr sock_filter load(size_t offset) {
  return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset));
}
constexpr sock_filter answer(uint32_t what) { return BPF_STMT(BPF_RET | BPF_K, what); }
constexpr sock_filter jump(uint16_t test, uint32_t value, uint8_t if_true, uint8_t if_false) {
  return BPF_JUMP(static_cast<uint16_t>(BPF_JMP | test | BPF_K), value, if_true, if_false);
}

constexpr size_t kFilterSize = 23 + 2 * kForbiddenCount;

constexpr std::array<sock_filter, kFilterSize> make_filter() {
  // The low halves of the arguments, little-endian.
  constexpr size_t kFirstArgument = offsetof(seccomp_data, args);
  constexpr size_t kSecondArgument = kFirstArgument + sizeof(uint64_t);
  constexpr uint32_t kOtherNumbering = 0x40000000;  // the bit of the x32 ABI
  std::array<sock_filter, kFilterSize> filter{};
  size_t at = 0;
  filter[at++] = load(offsetof(seccomp_data, arch));
  filter[at++] = jump(BPF_JEQ, kArchitecture, 1, 0);
  filter[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  filter[at++] = load(offsetof(seccomp_data, nr));
  filter[at++] = jump(BPF_JGE, kOtherNumbering, 0, 1);
  filter[at++] = answer(SECCOMP_RET_KILL_PROCESS);
  for (const int call : kForbidden) {
    filter[at++] = jump(BPF_JEQ, static_cast<uint32_t>(call), 0, 1);
    filter[at++] = answer(refuse(EPERM));
  }
  // Its flags are in memory, which no filter can read: the C library then falls back to clone.
  filter[at++] = jump(BPF_JEQ, kClone3, 0, 1);
  filter[at++] = answer(refuse(ENOSYS));
  // Typing into a terminal, and console ioctls. The kernel uses only the low half of the request.
  // Jumps count the instructions that they skip.
  filter[at++] = jump(BPF_JEQ, SYS_ioctl, 0, 5);
  filter[at++] = load(kSecondArgument);
  filter[at++] = jump(BPF_JEQ, TIOCSTI, 2, 0);
  filter[at++] = jump(BPF_JEQ, TIOCLINUX, 1, 0);
  filter[at++] = answer(SECCOMP_RET_ALLOW);
  filter[at++] = answer(refuse(EPERM));
  filter[at++] = jump(BPF_JEQ, SYS_clone, 0, 3);
  filter[at++] = load(kFirstArgument);
  filter[at++] = jump(BPF_JSET, kNamespaceFlags, 4, 0);
  filter[at++] = answer(SECCOMP_RET_ALLOW);
  filter[at++] = jump(BPF_JEQ, SYS_prlimit64, 0, 3);
  filter[at++] = load(kFirstArgument);
  filter[at++] = jump(BPF_JEQ, 0, 1, 0);  // to itself
  filter[at++] = answer(refuse(EPERM));
  filter[at++] = answer(SECCOMP_RET_ALLOW);
  return filter;
}

// Landlock's rights, by the kernel's numbers, because some systems' headers lack the later ones.
constexpr uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr uint64_t kMakeAndRemove =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
constexpr uint64_t kRefer = uint64_t{1} << 13;     // version 2: links and moves between folders
constexpr uint64_t kTruncate = uint64_t{1} << 14;  // version 3

int allow_beneath(int ruleset, int place, uint64_t rights) {
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = rights;
  rule.parent_fd = place;
  const long added = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  return added == 0 ? 0 : errno;
}

// Allows `name` in `folder` (or a path by itself). A file that does not exist needs no rule.
int allow_named(int ruleset, int folder, const char* name, uint64_t rights) {
  const int place = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return errno == ENOENT || errno == EACCES ? 0 : errno;
  const int problem = allow_beneath(ruleset, place, rights);
  close(place);
  return problem;
}

// Allows reading everything except devices: each entry of the root except one, and what is below
// it.
int allow_reading(int ruleset) {
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
      if (!left_out) problem = allow_named(ruleset, root, name, kReadFile);
      unsigned short length = 0;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof length);
      at += length;
    }
  }
  close(root);
  for (const char* device : {"/dev/zero", "/dev/random", "/dev/urandom"}) {
    if (problem == 0) problem = allow_named(ruleset, AT_FDCWD, device, kReadFile);
  }
  return problem;
}

int allow(int ruleset, int folder, uint64_t rights) {
  if (const int problem = allow_beneath(ruleset, folder, rights)) return problem;
  const uint64_t of_a_file = rights & (kReadFile | kWriteFile | kTruncate);
  if (const int problem = allow_named(ruleset, AT_FDCWD, "/dev/null", of_a_file)) return problem;
  return allow_reading(ruleset);
}

}  // namespace

int leave_network(bool root) {
  // The user has no mapping in the user namespace and so is nobody there: exec leaves no
  // capability.
  return unshare(root ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : errno;
}

int confine_files(int folder, bool same_user) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  if (version < 3 && same_user) return EOPNOTSUPP;  // files could be truncated
  uint64_t rights = kReadFile | kWriteFile | kMakeAndRemove;
  if (version >= 2) rights |= kRefer;
  if (version >= 3) rights |= kTruncate;
  landlock_ruleset_attr attributes = {};
  attributes.handled_access_fs = rights;
  const auto ruleset = static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.handled_access_fs, 0));
  if (ruleset < 0) return errno;
  int problem = allow(ruleset, folder, rights);
  if (problem == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) problem = errno;
  if (problem == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) problem = errno;
  close(ruleset);
  return problem;
}

int forbid_system_calls() {
  if (kArchitecture == 0) return EOPNOTSUPP;
  static constexpr std::array<sock_filter, kFilterSize> kFilter = make_filter();
  sock_fprog program = {};
  program.len = static_cast<unsigned short>(kFilter.size());
  program.filter = const_cast<sock_filter*>(kFilter.data());  // read only, says the interface
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 0 : errno;
}

}  // namespace redraft
