#pragma once

#include <cstdint>
#include <optional>

#include "support/files/file_handle.h"

namespace redraft::lsp {

// The process that a client says it is. Some clients die without closing our input, because another
// of their children keeps it open.
class ClientProcess {
 public:
  // None for a process that is not visible here: it may be on another machine or in a container.
  static std::optional<ClientProcess> find(std::int64_t id);
  // A zombie, dead but not yet waited for, counts as dead.
  bool is_alive() const;
  // Readable once it is dead. None: the system cannot tell, so ask is_alive() from time to time.
  FileHandle end() const;

 private:
  explicit ClientProcess(int id) : id_(id) {}
  int id_;
};

}  // namespace redraft::lsp
