#include "text/templates/template_keeper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "support/confine/call_filter.h"
#include "support/files/file_handle.h"
#include "support/system/descriptors.h"
#include "support/system/side_process.h"
#include "text/templates/renderer_process.h"

namespace redraft {
namespace {

// A message to the keeper: 0 asks for a renderer and carries its socket, any other number is the id
// of a renderer to end. The answer to the former is an id.
using Number = std::int32_t;
using Control = std::array<char, CMSG_SPACE(sizeof(int))>;

// What a fork and the confinement of the child need, in addition to what a renderer may do.
constexpr std::array kKeeperCalls = {
    SYS_clone,     SYS_wait4,   SYS_kill,      SYS_recvmsg,         SYS_sendmsg,
    SYS_prctl,     SYS_seccomp, SYS_prlimit64, SYS_sigaltstack,     SYS_rt_sigaction,
    SYS_dup3,      SYS_getppid, SYS_getrlimit, SYS_set_robust_list, SYS_set_tid_address,
    SYS_setrlimit,
#if defined(__x86_64__)
    SYS_dup2,
#endif
};

int confine_keeper() {
  if (!CallFilter::is_available()) return ENOSYS;
  CallFilter filter;
  std::vector<int> calls(kKeeperCalls.begin(), kKeeperCalls.end());
  calls.insert(calls.end(), kRendererCalls.begin(), kRendererCalls.end());
  filter.allow_only(calls);
  return filter.install(false);
}

struct Request {
  Number id = 0;
  FileHandle socket;
};

// Nothing at the end of the connection.
bool receive(int socket, Request& request) {
  iovec data = {.iov_base = &request.id, .iov_len = sizeof request.id};
  alignas(cmsghdr) Control control = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t size = 0;
  do {
    size = ::recvmsg(socket, &message, kReceiveClosedOnExec);
  } while (size < 0 && errno == EINTR);
  if (size != sizeof request.id) return false;
  const cmsghdr* const part = CMSG_FIRSTHDR(&message);
  if (part != nullptr && part->cmsg_type == SCM_RIGHTS) {
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(part), sizeof descriptor);
    request.socket = FileHandle(descriptor);
  }
  return true;
}

// The child has the renderer's socket and no other descriptor.
[[noreturn]] void become_renderer(pid_t keeper, int socket, const RendererLimits& limits) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != keeper) ::_exit(1);
  constexpr int kOwn = 3;
  if (socket != kOwn && ::dup2(socket, kOwn) != kOwn) ::_exit(1);
  for (const int other : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, socket}) {
    if (other != kOwn) ::close(other);
  }
  run_renderer(kOwn, limits);
}

class Keeper {
 public:
  explicit Keeper(int socket)
      : socket_(socket), limits_(RendererLimits::of_this_process()), problem_(confine_keeper()) {}
  ~Keeper() {
    while (!renderers_.empty()) end(renderers_.back());
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  void run() {
    Request request;
    while (receive(socket_, request)) {
      if (request.id != 0) {
        end(request.id);
      } else if (request.socket) {
        const Number answer = start(request.socket.get());
        ::send(socket_, &answer, sizeof answer, kSendWithoutSignal);
      }
      request = {};
    }
  }

 private:
  Number start(int socket) {
    if (problem_ != 0) return -problem_;
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child == 0) become_renderer(self, socket, limits_);
    if (child < 0) return -errno;
    renderers_.push_back(child);
    return child;
  }

  // A child that has ended is a zombie until then, so its id belongs to no other process.
  void end(Number id) {
    if (std::erase(renderers_, id) == 0) return;
    ::kill(id, SIGKILL);
    wait_for_end(id);
  }

  int socket_;
  RendererLimits limits_;  // measured before the confinement
  int problem_;            // an errno: why there is no renderer
  std::vector<pid_t> renderers_;
};

}  // namespace

Result<void> run_template_keeper(int socket) {
  close_descriptors_from(socket + 1);
  ::prctl(PR_SET_DUMPABLE, 0);
  Keeper(socket).run();
  return {};
}

std::int32_t ask_keeper_to_open(int keeper, int descriptor) {
  Number request = 0;
  iovec data = {.iov_base = &request, .iov_len = sizeof request};
  alignas(cmsghdr) Control control = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  if (::sendmsg(keeper, &message, kSendWithoutSignal) < 0) return -errno;
  Number answer = 0;
  ssize_t size = 0;
  do {
    size = ::recv(keeper, &answer, sizeof answer, 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return -errno;
  return size == sizeof answer && answer != 0 ? answer : -ECONNRESET;
}

void ask_keeper_to_end(int keeper, std::int32_t id) {
  ::send(keeper, &id, sizeof id, kSendWithoutSignal);
}

}  // namespace redraft
