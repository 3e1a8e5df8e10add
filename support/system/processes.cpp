#include "support/system/processes.h"

#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace redraft {
namespace {

// In /proc the state follows the program's name, which may contain any characters.
bool is_unreaped(int id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text;
  if (!std::getline(file, text, '\0')) return false;
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  const char state = text[name_end + 2];
  return state == 'Z' || state == 'X';
}

// Without /proc: the name with which the program was started.
std::filesystem::path name_at_start() {
  const auto name = ::getauxval(AT_EXECFN);
  if (name == 0) return {};
  std::error_code problem;
  return std::filesystem::canonical(reinterpret_cast<const char*>(name), problem);
}

}  // namespace

std::filesystem::path executable() {
  std::error_code problem;
  std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", problem);
  if (!problem) return file;
  static const std::filesystem::path started = name_at_start();
  return started;
}

std::string namespaces() {
  std::string all;
  for (const char* kind : {"mnt", "pid", "user"}) {
    std::error_code problem;  // without /proc all processes have the same name
    all +=
        std::filesystem::read_symlink(std::string("/proc/self/ns/") + kind, problem).string() + " ";
  }
  return all;
}

bool is_running(int id) { return (::kill(id, 0) == 0 || errno != ESRCH) && !is_unreaped(id); }

FileHandle end_of_process(int id) {
#ifdef SYS_pidfd_open
  return FileHandle(static_cast<int>(::syscall(SYS_pidfd_open, id, 0)));
#else
  (void)id;
  return {};
#endif
}

}  // namespace redraft
