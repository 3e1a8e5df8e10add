#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcp/files/root_folders.h"
#include "mcp/message.h"
#include "support/result.h"

namespace redraft::mcp {

// Where the folders come from that an agent may edit in.
struct RootChoice {
  // Given on the command line: then nobody is asked.
  std::vector<std::filesystem::path> fixed = {};
  // For a client that names no folder. Empty: such a client may edit nothing.
  std::filesystem::path working_directory = {};
};

// The folders of one client. A client with a handshake may change them at any time.
class Roots {
 public:
  using Folders = std::shared_ptr<const RootFolders>;

  explicit Roots(const RootChoice& choice);

  // Whether they depend on the client.
  bool asks() const { return !fixed_; }
  // For a client that cannot name any.
  Result<Folders> unnamed() const;
  // Of a client's answer to `roots/list`.
  Result<Folders> named(const Json& result) const;

  // For a client with a handshake. The id of the next request `roots/list`; answers to earlier ones
  // do not count any more.
  std::string ask();
  bool is_asked() const { return !awaited_.empty(); }
  bool is_known() const { return latest_.has_value(); }
  void forget() { latest_.reset(); }  // they changed
  // Takes the client's answer. `message` has a result or an error.
  void receive(const Json& message);
  const Result<Folders>& latest() const { return *latest_; }  // if is_known()

 private:
  Result<Folders> checked(Folders folders, const std::vector<std::string>& problems) const;

  bool fixed_ = false;
  Folders unnamed_;
  std::vector<std::string> problems_;  // of unnamed_
  int n_asked_ = 0;
  std::string awaited_;  // the id of the request that is not answered yet
  bool has_named_ = false;
  std::optional<Result<Folders>> latest_;
};

}  // namespace redraft::mcp
