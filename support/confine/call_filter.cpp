#include "support/confine/call_filter.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace redraft {

int CallFilter::install(bool all) const {
  if (kArchitecture == 0) return EOPNOTSUPP;
  const std::span<const sock_filter> instructions = program();
  sock_fprog filter = {};
  filter.len = static_cast<unsigned short>(instructions.size());
  filter.filter = const_cast<sock_filter*>(instructions.data());  // the kernel only reads it
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  const unsigned flags = all ? SECCOMP_FILTER_FLAG_TSYNC : 0;
  const long answer = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter);
  // A positive answer is a thread that has its own filters.
  return answer < 0 ? errno : answer > 0 ? EBUSY : 0;
}

bool CallFilter::is_available() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace redraft
