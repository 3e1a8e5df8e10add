// One connection of a client, from its first byte to its end.
//
//   head      reads a request's head, which decides before anything else is read
//   body      reads the body, which becomes a Generation on the side thread
//   run       the generation waits for the decode thread and runs there. The connection is read
//             meanwhile, to notice the client's end, which cancels the job
//   answer    writes the rest of the answer
//   then      head again if the client keeps the connection. Otherwise drain: reads and drops what
//             the client still sends, so that the system does not discard the answer
//
// Each wait for the client has a deadline, one at a time. Only `run` may last without one.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "http/api/answer.h"
#include "http/http_options.h"
#include "http/metrics.h"
#include "http/request_parser.h"
#include "lsp/host/side_thread.h"
#include "support/files/file_handle.h"
#include "workspace/engine/engine_host.h"

namespace redraft::http {

// Lives on the event loop's thread, which keeps it alive while it waits.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  // What all connections of a server share. Outlives their last event.
  struct Shared {
    boost::asio::io_context& io;
    EngineHost& engine;
    lsp::SideThread& side;
    const HttpOptions& options;
    Metrics& metrics;
    std::function<bool()> has_room;  // called before a connection is admitted
    std::function<Metrics::Now()> now;
    std::int64_t created = 0;  // seconds since 1970
    int answers = 0;           // so far
  };

  // `on_end` is called once, when the connection is closed.
  Connection(Shared& shared, FileHandle socket, std::function<void()> on_end);

  void start();
  // Closes it and cancels its job. Makes no call afterwards.
  void end();
  // Whether the client has shown the token.
  bool admitted() const { return admitted_; }

 private:
  using Error = boost::beast::error_code;

  void await_head(std::chrono::milliseconds limit);
  void take_head(const Error& error);
  void read_body();
  void take_body(const Error& error);
  void answer_page();
  Json model_entry() const;
  void read_request(std::string body);
  void take_generation(std::variant<Generation, ApiError> read);

  void run(Generation generation);
  GenerationEvents events();
  void begin_answer();
  void add_part(const AnswerPart& part);
  void end_answer(const GenerationEnd& end);
  void watch_client();

  void answer(int status, std::string_view type, std::string body);
  void answer(const ApiError& error);
  void write_stream(const std::string& events, bool last = false);
  void write(std::string bytes, bool last);
  void flush();
  void finish();
  void drain();

  void set_deadline(std::chrono::milliseconds limit);
  void clear_deadline();
  // From another thread: runs a function of (Connection&) on this thread later, unless the
  // connection has ended by then. Keeps the order of the calls.
  auto caller();

  Shared& shared_;
  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer deadline_;
  std::function<void()> on_end_;
  bool admitted_ = false;
  bool ended_ = false;

  // The request:
  boost::beast::flat_buffer buffer_;  // received bytes of the request and of what follows it
  std::optional<RequestParser> parser_;
  Route route_;
  std::string place_;  // for metrics
  bool keep_ = false;  // keep the connection for another request
  unsigned version_ = 11;
  std::shared_ptr<const Generation> generation_;
  std::optional<DecodeQueue::JobId> job_;
  bool watching_ = false;

  // The answer:
  std::optional<Answer> answer_;
  std::vector<AnswerPart> texts_;  // of each choice, for an answer that is not streamed
  bool streaming_ = false;
  std::string writing_, waiting_;  // bytes
  bool is_writing_ = false;
  bool answered_ = false;  // nothing follows
  std::size_t drained_ = 0;
};

}  // namespace redraft::http
