#include "text/templates/template_host.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "support/system/descriptors.h"
#include "support/system_error.h"
#include "text/templates/template_keeper.h"

namespace redraft {
namespace {

// Nothing that is secret: a template might read it. The time zone keeps the C library from reading
// a file.
std::vector<std::string> environment_of_templates() {
  std::vector<std::string> environment = {"TZ=UTC0"};
  if (const char* libraries = std::getenv("LD_LIBRARY_PATH"))
    environment.push_back(std::string("LD_LIBRARY_PATH=") + libraries);
  return environment;
}

std::string explained(std::int32_t answer) {
  if (answer == -ENOSYS) return "it only runs confined, and this kernel cannot filter system calls";
  return std::string("there is no process to run it (") + std::strerror(-answer) + ")";
}

}  // namespace

TemplateHost::~TemplateHost() {
  if (!keeper_) return;
  keeper_->socket = FileHandle();  // ends it
  wait_for_end(keeper_->id);
}

Result<void> TemplateHost::start() {
  const std::lock_guard lock(mutex_);
  return start_locked();
}

Result<void> TemplateHost::start_locked() {
  if (keeper_) return {};
  Result<SideProcess> keeper =
      start_side_process(command_, SOCK_SEQPACKET, environment_of_templates());
  if (!keeper) return keeper.error();
  keeper_ = *std::move(keeper);
  return {};
}

Result<TemplateHost::Renderer> TemplateHost::open() {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("there is no socket for it");
  Renderer renderer{.socket = FileHandle(ends[0])};
  const FileHandle theirs(ends[1]);
  const std::lock_guard lock(mutex_);
  if (const Result<void> started = start_locked(); !started)
    return Error("there is no process to run it (" + started.error().message() + ")");
  const std::int32_t answer = ask_keeper_to_open(keeper_->socket.get(), theirs.get());
  if (answer <= 0) return Error(explained(answer));
  renderer.id = answer;
  return renderer;
}

void TemplateHost::end(std::int32_t id) {
  const std::lock_guard lock(mutex_);
  if (keeper_) ask_keeper_to_end(keeper_->socket.get(), id);
}

}  // namespace redraft
