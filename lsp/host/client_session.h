#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lsp/host/client_process.h"
#include "lsp/recording/recorder.h"
#include "lsp/server.h"
#include "lsp/wire/transport.h"
#include "support/files/file_handle.h"

namespace redraft::lsp {

// One client: its transport and its server joined, and the reasons to end. Lives on the thread that
// runs the event loop; when it goes, its work is cancelled and its descriptors are closed.
class ClientSession {
 public:
  // What all sessions of a process have in common.
  struct Shared {
    boost::asio::io_context& io;
    Post post;
    std::shared_ptr<EngineHost> engine;
    Server::IndexFactories index;
    std::filesystem::path usage_file;    // see Server
    std::shared_ptr<Recorder> recorder;  // of the one session there is; null: none
    std::string notice;  // goes into the client's log once it is served; empty: none
  };
  struct Client {
    FileHandle in, out;
    // What its first message has to name; empty: nothing. See access_token.h.
    std::string token = {};
    // Whether the process that it says it is should be watched: its own word, so only where it
    // decides about itself alone.
    bool watch_process = true;
  };

  // `on_end` gets the exit code that a process of this one client would have: 0 after `shutdown`, 1
  // without or after malformed input. Called once, from within the session.
  ClientSession(const Shared& shared, Client client, std::function<void(int code)> on_end);

  void start() { transport_.start(); }
  // The client is gone.
  void end_gone() { end(server_.shut_down() ? 0 : 1); }
  void end(int code);
  // A warning in the client's log.
  void tell_log(const std::string& text);
  // For those who have the time to wait for their threads.
  std::vector<IndexSlot> take_indexes() { return server_.take_indexes(); }

 private:
  void receive(const std::string& content);
  void receive_unread(const UnreadMessage& message);
  bool admit(const std::string& first_message);
  void serve(const std::string& content);
  void await_admission();
  void watch(const ClientProcess& process);
  void end_malformed(const Error& error);

  Client client_;
  std::shared_ptr<Recorder> recorder_;
  std::string notice_;
  std::function<void(int)> on_end_;
  Transport transport_;
  boost::asio::steady_timer admission_timer_;
  boost::asio::steady_timer process_timer_;
  Server server_;
  bool admitted_;
  bool ending_ = false;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace redraft::lsp
