#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/host/client_process.h"
#include "lsp/host/side_thread.h"
#include "lsp/recording/recorder.h"
#include "lsp/server.h"
#include "lsp/wire/transport.h"
#include "support/files/file_handle.h"

namespace redraft::lsp {

// One client: its transport joined to its server, and the reasons to end. Lives on the thread that
// runs the event loop; its destructor cancels its work and closes its descriptors.
class ClientSession {
 public:
  // What all sessions of a process share.
  struct Shared {
    boost::asio::io_context& io;
    Post post;
    std::shared_ptr<SideThread> side;
    std::shared_ptr<EngineHost> engine;
    Server::IndexFactories index;
    std::filesystem::path usage_file;    // see Server
    Now now;                             // likewise
    std::shared_ptr<Recorder> recorder;  // for the only session; null: none
    // Shown in the client's log once it is served; empty: nothing.
    std::string notice;
  };
  struct Client {
    FileHandle in, out;
    // The token that its first message has to name; empty: none. See access_token.h.
    std::string token = {};
    // Asked when it has named the token; false: it is turned away.
    std::function<bool()> has_room = [] { return true; };
    // Whether to watch the process that the client names. That is the client's own claim, so it may
    // end no session but this one.
    bool watch_process = true;
  };

  // `on_end` gets the exit code that a process with only this client would have: 0 after
  // `shutdown`, 1 without it or after malformed input. Called once, from within the session.
  ClientSession(const Shared& shared, Client client, std::function<void(int code)> on_end);

  void start() { transport_.start(); }
  // For a client that is gone.
  void end_gone() { end(server_.shut_down() ? 0 : 1); }
  void end(int code);
  // Whether it has named the token, if it has to; and whether it is ending.
  bool admitted() const { return admitted_; }
  bool ending() const { return ending_; }
  // Shows a warning in the client's log.
  void tell_log(const std::string& text);
  // For callers that have time to wait for the threads of the indexes.
  std::vector<IndexSlot> take_indexes() { return server_.take_indexes(); }

 private:
  void receive(std::string content);
  void receive_unread(const UnreadMessage& message);
  bool admit(const std::string& first_message);
  void serve(std::string content);
  void take(ReceivedMessage message);
  void work_aside(Connection::SideWork work);
  void complete(const std::function<void()>& then);
  void end_failed(std::string_view what, const std::exception& failure);
  void await_admission();
  void watch(const ClientProcess& process);
  void end_malformed(const Error& error);

  Client client_;
  boost::asio::io_context& io_;
  std::shared_ptr<SideThread> side_;
  std::shared_ptr<Recorder> recorder_;
  std::string notice_;
  std::function<void(int)> on_end_;
  Transport transport_;
  boost::asio::steady_timer admission_timer_;
  boost::asio::posix::stream_descriptor process_end_;
  boost::asio::steady_timer process_timer_;  // where there is no descriptor for that
  Server server_;
  bool admitted_;
  bool ending_ = false;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace redraft::lsp
