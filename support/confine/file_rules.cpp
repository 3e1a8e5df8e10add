// The C library has no wrappers for these system calls, and structures in some systems' headers
// lack the later members, so both are defined here.
#include "support/confine/file_rules.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace redraft {
namespace {

struct RulesetAttributes {
  std::uint64_t files;
  std::uint64_t ports;   // version 4
  std::uint64_t scoped;  // version 6
};
constexpr std::uint64_t kPorts = 3;   // bind and connect
constexpr std::uint64_t kScopes = 3;  // abstract sockets and signals

constexpr std::uint64_t rights_of(int version) {
  std::uint64_t rights = file_right::kRefer - 1;
  if (version >= 2) rights |= file_right::kRefer;
  if (version >= 3) rights |= file_right::kTruncate;
  if (version >= 5) rights |= file_right::kControl;
  return rights;
}

}  // namespace

int FileRules::version() {
  const long version =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return static_cast<int>(std::max(version, 0L));
}

FileRules::FileRules(const Restricted& restricted) {
  const int known = version();
  if (known == 0) {
    problem_ = EOPNOTSUPP;
    return;
  }
  rights_ = restricted.rights & rights_of(known);
  RulesetAttributes attributes = {.files = rights_, .ports = 0, .scoped = 0};
  std::size_t size = offsetof(RulesetAttributes, ports);
  if (known >= 4) {
    attributes.ports = restricted.ports ? kPorts : 0;
    size = offsetof(RulesetAttributes, scoped);
  }
  if (known >= 6) {
    attributes.scoped = restricted.others ? kScopes : 0;
    size = sizeof attributes;
  }
  ruleset_ = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
  if (ruleset_ < 0) problem_ = errno;
}

FileRules::~FileRules() {
  if (ruleset_ >= 0) ::close(ruleset_);
}

int FileRules::allow(int place, std::uint64_t rights) const {
  if (problem_ != 0) return problem_;
  struct stat status = {};
  if (::fstat(place, &status) != 0) return errno;
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = rights & rights_;
  if (!S_ISDIR(status.st_mode)) rule.allowed_access &= file_right::kOfFiles;
  rule.parent_fd = place;
  if (rule.allowed_access == 0) return 0;
  const long added =
      ::syscall(SYS_landlock_add_rule, ruleset_, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  return added == 0 ? 0 : errno;
}

int FileRules::allow_named(int folder, const char* name, std::uint64_t rights) const {
  const int place = ::openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return errno == ENOENT || errno == EACCES ? problem_ : errno;
  const int problem = allow(place, rights);
  ::close(place);
  return problem;
}

int FileRules::enforce() const {
  if (problem_ != 0) return problem_;
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(SYS_landlock_restrict_self, ruleset_, 0) == 0 ? 0 : errno;
}

}  // namespace redraft
