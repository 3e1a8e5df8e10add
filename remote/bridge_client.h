#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "remote/exchange.h"
#include "remote/frames.h"
#include "support/files/file_handle.h"
#include "support/result.h"
#include "support/system/side_process.h"

namespace redraft {

// Connects to a server through a process that runs run_bridge(). Start it before this process
// confines itself; no connection is opened at that point.
class BridgeClient final : public Exchange {
 public:
  // The descriptor at which the bridge finds its socket.
  static constexpr int kSocket = kSideSocket;

  // `command` is a program and its arguments. The bridge inherits only stderr and ends when this
  // object does.
  static Result<std::shared_ptr<BridgeClient>> start(const std::vector<std::string>& command);
  ~BridgeClient() override;

  Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                          const std::stop_token& stop) override;

 private:
  BridgeClient(FileHandle socket, FileHandle wake, pid_t process);
  Result<void> send(const Frame& frame);
  // The next frame of that exchange; frames of others are kept for them. Nothing if `stop` is
  // requested.
  Result<std::optional<Frame>> receive(std::uint32_t exchange, const std::stop_token& stop);
  Result<ExchangeEnd> follow(std::uint32_t exchange, const OnData& on_data,
                             const std::stop_token& stop);

  FileHandle socket_;
  FileHandle wake_;  // an eventfd: a stop was requested
  pid_t process_;
  std::uint32_t last_ = 0;
  FrameReader reader_;
  std::map<std::uint32_t, std::deque<Frame>> waiting_;  // of the running exchanges
};

}  // namespace redraft
