#include "support/system/side_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/system_error.h"

extern char** environ;

namespace redraft {
namespace {

// Owns the settings of a spawned program.
struct SpawnSettings {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
};

// As posix_spawn() takes them; they refer to `texts`.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<SideProcess> start_side_process(const std::vector<std::string>& command, int socket_type,
                                       const std::optional<std::vector<std::string>>& environment) {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, socket_type | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("no socket");
  SideProcess started{.socket = FileHandle(ends[0])};
  const FileHandle theirs(ends[1]);
  const std::vector<char*> arguments = pointers_to(command);
  const std::vector<char*> variables =
      pointers_to(environment.value_or(std::vector<std::string>()));
  SpawnSettings settings;
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&settings.attributes, &none);
  posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_addopen(&settings.files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&settings.files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&settings.files, theirs.get(), kSideSocket);
  const int problem =
      ::posix_spawn(&started.id, arguments[0], &settings.files, &settings.attributes,
                    arguments.data(), environment ? variables.data() : environ);
  if (problem != 0) return Error(command.front() + ": " + std::strerror(problem));
  return started;
}

void wait_for_end(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace redraft
