#include "http/connection.h"

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <exception>
#include <iterator>
#include <sstream>
#include <utility>

#include "http/access.h"
#include "http/api/read_generation.h"
#include "support/log/log.h"

namespace redraft::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;

using Clock = asio::steady_timer::clock_type;

constexpr std::size_t kPiece = std::size_t{16} << 10;
// What a client may send before its answer is complete: the beginning of its next request.
constexpr std::size_t kMaxAhead = std::size_t{64} << 10;
// What may wait for a client that does not read. The longest answer of a context is shorter.
constexpr std::size_t kMaxWaiting = std::size_t{64} << 20;
// How much is read and dropped from a client whose request was rejected.
constexpr std::size_t kMaxDrained = 2 * kMaxBodyBytes;

constexpr const char* kJson = "application/json";

std::string to_hex(std::size_t number) {
  std::ostringstream out;
  out << std::hex << number;
  return out.str();
}

// No exception may leave the side thread.
std::variant<Generation, ApiError> read_safely(Interface interface, std::string_view body) {
  try {
    return read_generation(interface, body);
  } catch (const std::exception& failure) {
    return server_error(503, std::string("cannot read the request: ") + failure.what());
  }
}

std::string chunk_of(const std::string& data) {
  return to_hex(data.size()) + "\r\n" + data + "\r\n";
}

}  // namespace

Connection::Connection(Shared& shared, FileHandle socket, std::function<void()> on_end)
    : shared_(shared),
      socket_(shared.io, asio::ip::tcp::v4(), socket.release()),
      deadline_(shared.io),
      on_end_(std::move(on_end)),
      buffer_(kMaxHeadBytes + kMaxAhead) {}

// Must not keep the connection alive: its last owner must be on the loop's thread.
auto Connection::caller() {
  return [weak = weak_from_this(), &io = shared_.io](auto call) {
    asio::post(io, [weak, call = std::move(call)] {
      const std::shared_ptr<Connection> self = weak.lock();
      if (self && !self->ended_) call(*self);
    });
  };
}

void Connection::set_deadline(std::chrono::milliseconds limit) {
  deadline_.expires_after(limit);
  deadline_.async_wait([weak = weak_from_this()](const Error& error) {
    const std::shared_ptr<Connection> self = weak.lock();
    // The expiry may be outdated: another deadline may have been set since.
    if (error || !self || self->ended_ || self->deadline_.expiry() > Clock::now()) return;
    logging::debug("http: a client timed out");
    self->end();
  });
}

void Connection::clear_deadline() { deadline_.expires_at(Clock::time_point::max()); }

void Connection::start() { await_head(shared_.options.limits.head); }

void Connection::end() {
  if (std::exchange(ended_, true)) return;
  if (job_) {
    shared_.engine.queue().cancel(*job_);
    shared_.metrics.cancel_generation();
  }
  job_.reset();
  Error ignored;
  socket_.close(ignored);
  deadline_.cancel();
  on_end_();
}

// The request

void Connection::await_head(std::chrono::milliseconds limit) {
  parser_.emplace();
  version_ = 11;
  limit_parser(*parser_);
  set_deadline(limit);
  beast::http::async_read_header(socket_, buffer_, *parser_,
                                 [self = shared_from_this()](const Error& error, std::size_t) {
                                   if (!self->ended_) self->take_head(error);
                                 });
}

void Connection::take_head(const Error& error) {
  place_ = "other";
  keep_ = false;
  if (error) {
    const std::optional<ApiError> problem = unreadable(error);
    return problem ? answer(*problem) : end();
  }
  version_ = parser_->get().version();
  const RequestHead head = head_of(*parser_);
  if (const std::optional<ApiError> refused = refusal(head, shared_.options.token))
    return answer(*refused);
  const std::variant<Route, ApiError> route = route_of(head);
  if (const auto* problem = std::get_if<ApiError>(&route)) return answer(*problem);
  route_ = std::get<Route>(route);
  place_ = route_.page == Page::kModel ? "/v1/models" : head.target;
  if (route_.page != Page::kHealth && !admitted_) {
    if (!shared_.has_room()) return answer(server_error(503, "too many clients are connected"));
    admitted_ = true;
  }
  keep_ = parser_->keep_alive();
  if (!head.expects_continue || !head.has_body) return read_body();
  writing_ = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](const Error& failed, std::size_t) {
                      if (self->ended_) return;
                      failed ? self->end() : self->read_body();
                    });
}

void Connection::read_body() {
  set_deadline(shared_.options.limits.body);
  beast::http::async_read(socket_, buffer_, *parser_,
                          [self = shared_from_this()](const Error& error, std::size_t) {
                            if (!self->ended_) self->take_body(error);
                          });
}

void Connection::take_body(const Error& error) {
  clear_deadline();
  if (error) {
    keep_ = false;
    const std::optional<ApiError> problem = unreadable(error);
    return problem ? answer(*problem) : end();
  }
  if (route_.page != Page::kGeneration) return answer_page();
  read_request(std::move(parser_->get().body()));
}

void Connection::answer_page() {
  if (route_.page == Page::kMetrics) {
    return answer(200, "text/plain; version=0.0.4; charset=utf-8",
                  shared_.metrics.text(shared_.now()));
  }
  if (route_.page == Page::kHealth) {
    using State = EngineStatus::State;
    const State state = shared_.engine.status().state;
    if (state == State::kLoading) return answer(server_error(503, "the model is being loaded"));
    if (state == State::kFailed) return answer(server_error(503, "the model cannot be loaded"));
    return answer(200, kJson, lsp::to_text({{"status", "ok"}}));
  }
  const Json model = model_entry();
  if (route_.page == Page::kModels) {
    return answer(200, kJson, lsp::to_text({{"object", "list"}, {"data", Json::array({model})}}));
  }
  if (route_.model == shared_.options.model) return answer(200, kJson, lsp::to_text(model));
  answer(ApiError{
      .status = 404, .message = "this server does not have that model", .code = "model_not_found"});
}

// Includes vLLM's and llama-server's names for the context length, which OpenAI does not report.
Json Connection::model_entry() const {
  Json model = {{"id", shared_.options.model},
                {"object", "model"},
                {"created", shared_.created},
                {"owned_by", "redraft"}};
  const int loaded = shared_.engine.status().context_length;
  const int context = loaded > 0 ? loaded : shared_.options.context_length;
  if (context > 0) {
    model["max_model_len"] = context;
    model["meta"] = {{"n_ctx", context}};
  }
  return model;
}

// Reading a long body takes a while; other clients do not wait for it.
void Connection::read_request(std::string body) {
  shared_.side.run([call = caller(), interface = route_.interface, body = std::move(body)] {
    call([read = read_safely(interface, body)](Connection& self) { self.take_generation(read); });
  });
}

void Connection::take_generation(std::variant<Generation, ApiError> read) {
  if (const auto* problem = std::get_if<ApiError>(&read)) return answer(*problem);
  run(std::move(std::get<Generation>(read)));
}

// The generation

void Connection::run(Generation generation) {
  generation_ = std::make_shared<const Generation>(std::move(generation));
  answer_.emplace(*generation_, shared_.options.model, shared_.created, ++shared_.answers);
  texts_.assign(static_cast<std::size_t>(generation_->choices), {});
  streaming_ = false;
  job_ = add_generation(shared_.engine, generation_, shared_.options.generation, events());
  shared_.metrics.begin_generation();
  watch_client();
}

// Called from the decode thread. All calls for an earlier request come before its answer ends.
GenerationEvents Connection::events() {
  const auto call = caller();
  return {
      .on_begin = [call] { call([](Connection& self) { self.begin_answer(); }); },
      .on_part =
          [call](AnswerPart part) {
            call([part = std::move(part)](Connection& self) { self.add_part(part); });
          },
      .on_end =
          [call](const GenerationEnd& end) {
            call([end](Connection& self) { self.end_answer(end); });
          },
  };
}

// Notices the client's end. Bytes that the client sends meanwhile are kept for its next request.
void Connection::watch_client() {
  if (buffer_.size() >= kMaxAhead) return end();
  watching_ = true;
  socket_.async_read_some(buffer_.prepare(std::min(kPiece, kMaxAhead - buffer_.size())),
                          [self = shared_from_this()](const Error& error, std::size_t size) {
                            self->watching_ = false;
                            if (self->ended_) return;
                            self->buffer_.commit(size);
                            if (error && error != asio::error::operation_aborted)
                              return self->end();
                            if (self->answered_ && !self->is_writing_) return self->finish();
                            self->watch_client();
                          });
}

void Connection::begin_answer() {
  if (!generation_->stream) return;
  streaming_ = true;
  shared_.metrics.count_answer(place_, 200);
  beast::http::response<beast::http::empty_body> head(beast::http::status::ok, version_);
  head.set(beast::http::field::content_type, "text/event-stream");
  head.set(beast::http::field::cache_control, "no-store");
  if (version_ < 11) keep_ = false;  // closing the connection ends the answer
  head.keep_alive(keep_);
  if (version_ >= 11) head.chunked(true);
  std::ostringstream out;
  out << head.base();
  write(out.str(), false);
  write_stream(answer_->first_events());
}

void Connection::add_part(const AnswerPart& part) {
  if (streaming_) return write_stream(answer_->part_event(part));
  AnswerPart& all = texts_[static_cast<std::size_t>(part.choice)];
  all.text += part.text;
  all.thoughts += part.thoughts;
  std::ranges::copy(part.likelihoods, std::back_inserter(all.likelihoods));
}

void Connection::end_answer(const GenerationEnd& end) {
  job_.reset();
  shared_.metrics.end_generation(end);
  if (!end.error && end.is_cancelled()) return this->end();
  if (streaming_) {
    return write_stream(end.error ? Answer::error_event(*end.error) : answer_->last_events(end),
                        true);
  }
  if (end.error) return answer(*end.error);
  answer(200, kJson, lsp::to_text(answer_->whole(texts_, end)));
}

// The answer

void Connection::answer(const ApiError& error) {
  answer(error.status, kJson, lsp::to_text(to_json(error)));
}

void Connection::answer(int status, std::string_view type, std::string body) {
  shared_.metrics.count_answer(place_, status);
  logging::debug("http: {} {}", place_, status);
  beast::http::response<beast::http::empty_body> head(static_cast<beast::http::status>(status),
                                                      version_);
  head.set(beast::http::field::content_type, beast::string_view(type.data(), type.size()));
  head.set(beast::http::field::cache_control, "no-store");
  if (status == 401) head.set(beast::http::field::www_authenticate, "Bearer");
  if (status == 405) {
    const beast::string_view target = parser_->get().target();
    const std::string_view allowed = method_of({target.data(), target.size()});
    head.set(beast::http::field::allow, beast::string_view(allowed.data(), allowed.size()));
  }
  head.keep_alive(keep_);
  head.content_length(body.size());
  std::ostringstream out;
  out << head.base();
  write(out.str() + body, true);
}

void Connection::write_stream(const std::string& events, bool last) {
  const bool chunked = version_ >= 11;
  std::string bytes;
  if (!events.empty()) bytes = chunked ? chunk_of(events) : events;
  if (last && chunked) bytes += "0\r\n\r\n";
  if (last || !bytes.empty()) write(std::move(bytes), last);
}

void Connection::write(std::string bytes, bool last) {
  waiting_ += bytes;
  answered_ = answered_ || last;
  if (waiting_.size() > kMaxWaiting) return end();
  if (!is_writing_) flush();
}

void Connection::flush() {
  if (waiting_.empty()) {
    clear_deadline();
    if (answered_) finish();
    return;
  }
  is_writing_ = true;
  writing_ = std::exchange(waiting_, {});
  set_deadline(shared_.options.limits.write);
  asio::async_write(socket_, asio::buffer(writing_),
                    [self = shared_from_this()](const Error& error, std::size_t) {
                      self->is_writing_ = false;
                      if (self->ended_) return;
                      error ? self->end() : self->flush();
                    });
}

void Connection::finish() {
  if (watching_) {  // continues here once it is cancelled
    Error ignored;
    socket_.cancel(ignored);
    return;
  }
  answered_ = false;
  if (!keep_) return drain();
  await_head(shared_.options.limits.idle);
}

// Closing a socket with unread bytes makes the system discard output that the client has not read.
void Connection::drain() {
  Error ignored;
  if (drained_ == 0) {
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    set_deadline(shared_.options.limits.drain);
  }
  buffer_.clear();
  socket_.async_read_some(buffer_.prepare(kPiece),
                          [self = shared_from_this()](const Error& error, std::size_t size) {
                            if (self->ended_) return;
                            self->drained_ += size;
                            if (error || self->drained_ > kMaxDrained) return self->end();
                            self->drain();
                          });
}

}  // namespace redraft::http
