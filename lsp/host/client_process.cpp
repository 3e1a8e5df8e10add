#include "lsp/host/client_process.h"

#include <signal.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace redraft::lsp {
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

}  // namespace

std::optional<ClientProcess> ClientProcess::find(std::int64_t id) {
  if (id <= 0 || id > INT32_MAX) return std::nullopt;
  const ClientProcess process(static_cast<int>(id));
  if (!process.is_alive()) return std::nullopt;
  return process;
}

bool ClientProcess::is_alive() const {
  return (::kill(id_, 0) == 0 || errno != ESRCH) && !is_unreaped(id_);
}

}  // namespace redraft::lsp
