// Why the server confines itself. It reads code from unknown authors, with parsers and kernels that
// may have bugs. An attacker who exploits one should get a process that can only do what a server
// must: it can start no program, send nothing to anyone, and write only caches.
//
// Landlock restricts files by their location. The filter of system calls cannot look at paths, but
// restricts everything that is not a file.
#include "support/confine/confinement.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <system_error>

#include "support/confine/call_filter.h"
#include "support/confine/call_groups.h"
#include "support/confine/file_rules.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// Nobody makes links, devices and pipes: the next start would follow a link.
constexpr std::uint64_t kWriting = file_right::kWriteFile | file_right::kMakeFolder |
                                   file_right::kMakeRegular | file_right::kRemove |
                                   file_right::kRefer | file_right::kTruncate;
constexpr std::uint64_t kRestricted =
    kWriting | file_right::kMake | file_right::kExecute | file_right::kControl;

class Place {
 public:
  explicit Place(const fs::path& path) : descriptor_(::open(path.c_str(), O_PATH | O_CLOEXEC)) {}
  ~Place() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  int allow(const FileRules& rules, std::uint64_t rights) const {
    return descriptor_ < 0 ? 0 : rules.allow(descriptor_, rights);
  }

 private:
  int descriptor_;
};

int allow_path(const FileRules& rules, const fs::path& path, std::uint64_t rights) {
  return Place(path).allow(rules, rights);
}

// Whether a link may have been made for a folder of redraft's own: it leads to a folder of this
// user, which is not above `folder`.
bool leads_to_own_folder(const fs::path& link, const fs::path& folder) {
  struct stat status = {};
  if (::stat(link.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  if (status.st_uid != ::geteuid()) return false;
  std::error_code problem;
  const fs::path target = fs::canonical(link, problem);
  if (problem) return false;
  const fs::path inside = fs::canonical(folder, problem);
  const auto [end, _] = std::mismatch(target.begin(), target.end(), inside.begin(), inside.end());
  return !problem && end != target.end();
}

// Users with little space at home replace a cache folder by a link to another disk.
int allow_links_in(const FileRules& rules, const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    std::error_code unknown;
    if (!entry.is_symlink(unknown) || !leads_to_own_folder(entry.path(), folder)) continue;
    if (const int failed = allow_path(rules, entry.path(), kWriting)) return failed;
  }
  return 0;
}

int allow_all(const FileRules& rules, const ConfinementOptions& options) {
  for (const fs::path& path : options.writable) {
    if (const int problem = allow_path(rules, path, kWriting)) return problem;
    if (const int problem = allow_links_in(rules, path)) return problem;
  }
  for (const fs::path& path : options.removable) {
    if (const int problem = allow_path(rules, path, file_right::kRemove)) return problem;
  }
  for (const fs::path& file : options.changeable) {
    constexpr std::uint64_t kChanging = file_right::kWriteFile | file_right::kTruncate;
    if (const int problem = rules.allow_named(AT_FDCWD, file.c_str(), kChanging)) return problem;
  }
  if (options.gpu) {
    constexpr std::uint64_t kDevices = file_right::kWriteFile | file_right::kControl;
    if (const int problem = allow_path(rules, "/dev", kDevices)) return problem;
  }
  return allow_path(rules, "/dev/null", kRestricted);
}

bool has_other_threads() {
  std::error_code problem;
  const fs::directory_iterator threads("/proc/self/task", problem);
  return !problem && std::distance(fs::begin(threads), fs::end(threads)) > 1;
}

Error refused(int problem) { return Error(std::strerror(problem)); }

Result<int> confine_files(const ConfinementOptions& options) {
  const int version = FileRules::version();
  if (version == 0) return Error("this kernel has no Landlock");
  const FileRules rules({.rights = kRestricted, .ports = !options.network, .others = !options.gpu});
  int problem = rules.problem();
  if (problem == 0) problem = allow_all(rules, options);
  if (problem == 0) problem = rules.enforce();
  if (problem != 0) return refused(problem);
  if (has_other_threads()) return Error("threads that were already running are not confined");
  return version;
}

CallFilter make_filter(const ConfinementOptions& options) {
  const auto self = static_cast<std::uint32_t>(::getpid());
  CallFilter filter;
  for (const int call : {SYS_execve, SYS_execveat, SYS_bind, SYS_listen}) filter.refuse(call);
  if (options.gpu) {
    filter.refuse_unless(SYS_socket, 0, {AF_UNIX, AF_NETLINK});
  } else if (options.network) {
    // Name resolution uses local sockets, too.
    filter.refuse_unless(SYS_socket, 0, {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK});
  } else {
    filter.refuse(SYS_socket);
    filter.refuse(SYS_connect);
  }
  // Testing whether a process exists is allowed.
  filter.refuse_unless(SYS_kill, 1, {0});
  filter.refuse_unless(SYS_tgkill, 0, {self});
  filter.refuse_unless(SYS_prlimit64, 0, {0, self});
  filter.refuse_if(SYS_ioctl, 1, TIOCSTI);
  filter.refuse_if(SYS_ioctl, 1, TIOCLINUX);
  filter.refuse_if_any(SYS_clone, 0, call_groups::kNamespaceFlags);
  // Its flags are in memory, which no filter can read. The C library then falls back to clone.
  filter.refuse(call_groups::kClone3, ENOSYS);
  filter.refuse_all(call_groups::kOtherMemory);
  filter.refuse_all(call_groups::kOtherSignals);
  filter.refuse_all(call_groups::kNamespaces);
  filter.refuse_all(call_groups::kLinks);
  filter.refuse_all(call_groups::kShared);
  filter.refuse_all(call_groups::kIdentity);
  // Of this process, not of others.
  filter.refuse_unless(SYS_setpriority, 1, {0, self});
  filter.refuse_unless(SYS_sched_setaffinity, 0, {0, self});
  if (!options.attributes) filter.refuse_all(call_groups::kAttributes);
  filter.refuse_all(call_groups::kKernel);
  return filter;
}

// Root keeps the right to read and write files of any owner, which the rules on files bound, and no
// other privilege. A driver may need more, and so does who sets owners.
int drop_privileges(const ConfinementOptions& options) {
  if (options.gpu || options.attributes) return 0;
  constexpr std::uint32_t kKept = 1U << CAP_DAC_OVERRIDE | 1U << CAP_DAC_READ_SEARCH;
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return errno;
  for (__user_cap_data_struct& set : sets) {
    const std::uint32_t kept = &set == sets ? kKept : 0;
    set.effective &= kept;
    set.permitted &= kept;
    set.inheritable = 0;
  }
  return ::syscall(SYS_capset, &header, sets) == 0 ? 0 : errno;
}

Result<void> confine_calls(const ConfinementOptions& options) {
  if (!CallFilter::is_available()) return Error("this kernel cannot filter system calls");
  const int problem = make_filter(options).install(true);
  if (problem != 0) return refused(problem);
  return {};
}

}  // namespace

std::string Confinement::description() const {
  constexpr std::string_view kFiles = "writes only below its own folders";
  constexpr std::string_view kCalls = "starts no program and opens no connection";
  const std::string by_files =
      files ? std::string(kFiles) + " (Landlock " + std::to_string(*files) + ")"
            : "may write wherever its user may (" + files.error().message() + ")";
  const std::string by_calls =
      calls ? std::string(kCalls) + " (seccomp)"
            : "may start programs and open connections (" + calls.error().message() + ")";
  return by_files + (complete() ? ", " : files || calls ? " but " : " and ") + by_calls;
}

Confinement confine(const ConfinementOptions& options) {
  if (const int problem = drop_privileges(options))
    return {.files = refused(problem), .calls = confine_calls(options)};
  Result<int> files = confine_files(options);
  return {.files = std::move(files), .calls = confine_calls(options)};
}

Confinement possible_confinement() {
  const int version = FileRules::version();
  return {.files = version > 0 ? Result<int>(version) : Error("this kernel has no Landlock"),
          .calls = CallFilter::is_available() ? Result<void>()
                                              : Error("this kernel cannot filter system calls")};
}

}  // namespace redraft
