#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "http/http_server.h"
#include "lsp/host/listener.h"
#include "lsp/host/loopback_socket.h"
#include "tests/http/scripted_passes.h"

namespace redraft::http {

// A client on a socket of its own, which can also send what no real one would. Waits have a limit.
class RawClient {
 public:
  explicit RawClient(int port);
  void send(const std::string& bytes);
  // Until `bytes` have come, or the other side has closed; all that came so far.
  const std::string& read_until(const std::string& bytes);
  const std::string& read_to_end();
  void close() { socket_ = FileHandle(); }

 private:
  bool read_more();

  FileHandle socket_;
  std::string received_;
};

// A request with the right head.
std::string post(const std::string& path, const std::string& body, const std::string& more = {});
std::string get(const std::string& path);

// The server on a thread of its own, with a model that answers from `answers` and counts passes.
class HttpTest : public testing::Test {
 protected:
  static constexpr const char* kToken = "the-token";

  HttpTest();
  ~HttpTest() override;

  // The answer to a request on a connection of its own.
  std::string ask(const std::string& request);
  // A member of the metrics, by its name and labels.
  double metric(const std::string& name);
  // Runs a function on the server's thread and waits for it.
  void on_loop(const std::function<void()>& function);
  void wait_until(const std::function<bool()>& condition);

  std::shared_ptr<ScriptedPasses> passes_;
  boost::asio::io_context io_{1};
  std::unique_ptr<EngineHost> engine_;
  std::unique_ptr<lsp::SideThread> side_;
  std::unique_ptr<HttpServer> server_;
  lsp::LoopbackSocket socket_;
  std::unique_ptr<lsp::Listener> listener_;
  int port_ = 0;
  std::thread loop_;
};

}  // namespace redraft::http
