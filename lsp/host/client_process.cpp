#include "lsp/host/client_process.h"

#include "support/system/processes.h"

namespace redraft::lsp {

std::optional<ClientProcess> ClientProcess::find(std::int64_t id) {
  if (id <= 0 || id > INT32_MAX) return std::nullopt;
  const ClientProcess process(static_cast<int>(id));
  if (!process.is_alive()) return std::nullopt;
  return process;
}

bool ClientProcess::is_alive() const { return is_running(id_); }

FileHandle ClientProcess::end() const { return end_of_process(id_); }

}  // namespace redraft::lsp
