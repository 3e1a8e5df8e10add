#pragma once

#include <sched.h>
#include <sys/syscall.h>

#include <cstdint>

// System calls grouped by purpose, for a CallFilter. Numbers that some systems' headers lack are
// given here; they are the same on all processors.
namespace redraft::call_groups {

inline constexpr int kClone3 = 435;

// Reading, writing or tracing other processes.
inline constexpr int kOtherMemory[] = {
    SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd,
    SYS_kcmp,   SYS_process_madvise,  SYS_migrate_pages,     SYS_move_pages,
};

// Signals with more information than kill() and tgkill(), or under another name.
inline constexpr int kOtherSignals[] = {
    SYS_tkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_pidfd_send_signal,
};

inline constexpr int kNamespaces[] = {
    SYS_unshare, SYS_setns,      SYS_mount,         SYS_umount2, SYS_pivot_root,
    SYS_chroot,  SYS_move_mount, SYS_open_tree,     SYS_fsopen,  SYS_fsmount,
    SYS_fspick,  SYS_fsconfig,   SYS_mount_setattr,
};
// The flags of clone() that create a namespace, as far as they are in the low 32 bits.
inline constexpr std::uint32_t kNamespaceFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS |
                                                 CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |
                                                 CLONE_NEWNET;

// Modes, owners and extended attributes of files, which Landlock does not restrict.
inline constexpr int kAttributes[] = {
    SYS_fchmod,
    SYS_fchmodat,
    452 /* fchmodat2 */,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    463 /* setxattrat */,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    466 /* removexattrat */,
    469 /* file_setattr */,
    SYS_quotactl,
#if defined(__x86_64__)
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
#endif
};

// Further names of files, and files that are none. A link in a folder that a process may write
// would lead whoever follows it, and files of other kinds keep readers waiting.
inline constexpr int kLinks[] = {
    SYS_symlinkat, SYS_linkat, SYS_mknodat,
#if defined(__x86_64__)
    SYS_symlink,   SYS_link,   SYS_mknod,
#endif
};

// Memory, messages and semaphores that are shared by name with other processes (System V).
inline constexpr int kShared[] = {
    SYS_shmget, SYS_shmat,  SYS_shmctl, SYS_semget, SYS_semop,  SYS_semtimedop,
    SYS_semctl, SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open,
};

// Who a process is, and the machine's name and time.
inline constexpr int kIdentity[] = {
    SYS_setuid,       SYS_setgid,        SYS_setreuid,    SYS_setregid,
    SYS_setresuid,    SYS_setresgid,     SYS_setgroups,   SYS_setfsuid,
    SYS_setfsgid,     SYS_capset,        SYS_sethostname, SYS_setdomainname,
    SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,    SYS_clock_adjtime,
};

// The kernel's configuration, and parts of the kernel in which vulnerabilities are often found.
inline constexpr int kKernel[] = {
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
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
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
#endif
};

}  // namespace redraft::call_groups
