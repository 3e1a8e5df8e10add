#include "lsp/wire/transport.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <utility>

#include "support/log/log.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kCongested = 1 << 20;
constexpr std::size_t kFull = 64 << 20;

// The end of a client is normal. Anything else that ends a session is reported.
void report(const char* what, const boost::system::error_code& error) {
  namespace failure = boost::asio::error;
  const bool is_end =
      error == failure::eof || error == failure::broken_pipe || error == failure::connection_reset;
  logging::write(is_end ? logging::Level::kDebug : logging::Level::kError,
                 "{} the client failed: {}", {what, error.message()});
}

}  // namespace

// The part that runs in the event loop. Each pending operation keeps it alive: an operation may
// have completed, with its handler still queued, when the transport is destroyed.
class Transport::Flow : public std::enable_shared_from_this<Flow> {
 public:
  Flow(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers);

  void read();
  void send(std::string_view content);
  bool congested() const { return queued_bytes_ > kCongested; }
  void limit_messages(const FrameLimits& limits) { frames_.limit_messages(limits); }
  void hold() { ++holds_; }
  void resume();
  void finish(std::chrono::milliseconds limit, std::function<void()> done);
  void close();  // calls no handler from now on

 private:
  void take_next();
  void take_next_in_turn();
  void write();
  void written(const boost::system::error_code& error);
  void gone();
  void call_done();

  boost::asio::posix::stream_descriptor in_;
  boost::asio::posix::stream_descriptor out_;
  boost::asio::steady_timer limit_;
  int in_flags_;
  int out_flags_;
  Handlers handlers_;
  FrameReader frames_;
  std::array<char, 64 << 10> chunk_;
  std::deque<std::string> queue_;  // the front is being written
  std::size_t queued_bytes_ = 0;
  bool reading_ = false;  // a read is pending
  bool taking_ = false;   // take_next() will be called
  int holds_ = 0;         // while positive, no message is taken
  bool closed_ = false;   // no more input is wanted
  bool dead_ = false;     // the transport is gone
  std::function<void()> done_;
};

Transport::Flow::Flow(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers)
    : in_(io),
      out_(io),
      limit_(io),
      in_flags_(::fcntl(in_fd, F_GETFL)),
      out_flags_(::fcntl(out_fd, F_GETFL)),
      handlers_(std::move(handlers)) {
  // One descriptor cannot be registered twice, so a socket for both directions is duplicated for
  // writing.
  in_.assign(::fcntl(in_fd, F_DUPFD_CLOEXEC, 0));
  out_.assign(::fcntl(out_fd, F_DUPFD_CLOEXEC, 0));
}

void Transport::Flow::close() {
  dead_ = closed_ = true;
  // The flags belong to the open file, which a terminal shares with the shell that started us.
  ::fcntl(in_.native_handle(), F_SETFL, in_flags_);
  ::fcntl(out_.native_handle(), F_SETFL, out_flags_);
  limit_.cancel();
  boost::system::error_code ignored;
  in_.close(ignored);
  out_.close(ignored);
}

void Transport::Flow::read() {
  // Messages that have arrived are taken first; the input may end after them.
  if (reading_ || taking_ || holds_ > 0 || closed_ || queued_bytes_ > kFull) return;
  reading_ = true;
  in_.async_read_some(
      boost::asio::buffer(chunk_),
      [this, self = shared_from_this()](const boost::system::error_code& error, std::size_t count) {
        reading_ = false;
        if (closed_) return;
        if (!error) {
          frames_.append({chunk_.data(), count});
          take_next();
        } else if (error == boost::asio::error::eof && !frames_.at_boundary()) {
          closed_ = true;
          handlers_.on_malformed(Error("the input ends within a message"));
        } else {
          report("reading from", error);
          gone();
        }
      });
}

void Transport::Flow::take_next() {
  if (closed_ || holds_ > 0) return;
  Result<std::optional<Frame>> message = frames_.next();
  if (!message) {
    closed_ = true;
    handlers_.on_malformed(message.error());
  } else if (!*message) {
    read();
  } else {
    if (const auto* unread = std::get_if<UnreadMessage>(&**message)) {
      handlers_.on_unread(*unread);
    } else {
      handlers_.on_message(std::get<std::string>(std::move(**message)));
    }
    take_next_in_turn();
  }
}

void Transport::Flow::take_next_in_turn() {
  if (taking_ || closed_ || holds_ > 0) return;
  taking_ = true;
  boost::asio::post(in_.get_executor(), [this, self = shared_from_this()] {
    taking_ = false;
    take_next();
  });
}

void Transport::Flow::resume() {
  --holds_;
  if (!reading_) take_next_in_turn();
}

void Transport::Flow::send(std::string_view content) {
  queue_.push_back(frame(content));
  const std::size_t size = queue_.back().size();
  try {
    if (queue_.size() == 1) write();
  } catch (...) {
    queue_.pop_back();  // the message is sent, or the caller must learn that it was not
    throw;
  }
  queued_bytes_ += size;
}

void Transport::Flow::write() {
  boost::asio::async_write(
      out_, boost::asio::buffer(queue_.front()),
      [this, self = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        if (!dead_) written(error);
      });
}

void Transport::Flow::written(const boost::system::error_code& error) {
  if (error) {
    report("writing to", error);
    queue_.clear();
    queued_bytes_ = 0;
    gone();
  } else {
    queued_bytes_ -= queue_.front().size();
    queue_.pop_front();
    if (!queue_.empty()) write();
    if (queued_bytes_ <= kFull / 2) read();
  }
  if (queue_.empty()) call_done();
}

void Transport::Flow::gone() {
  if (std::exchange(closed_, true)) return;
  handlers_.on_gone();
}

void Transport::Flow::finish(std::chrono::milliseconds limit, std::function<void()> done) {
  closed_ = true;
  done_ = std::move(done);
  limit_.expires_after(limit);
  limit_.async_wait([this, self = shared_from_this()](const boost::system::error_code&) {
    if (!dead_) call_done();
  });
  if (queue_.empty()) call_done();
}

void Transport::Flow::call_done() {
  if (const auto done = std::exchange(done_, nullptr)) done();
}

Transport::Transport(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers)
    : flow_(std::make_shared<Flow>(io, in_fd, out_fd, std::move(handlers))) {}

Transport::~Transport() { flow_->close(); }

void Transport::start() { flow_->read(); }

void Transport::send(std::string_view content) { flow_->send(content); }

bool Transport::congested() const { return flow_->congested(); }

void Transport::limit_messages(const FrameLimits& limits) { flow_->limit_messages(limits); }

void Transport::hold() { flow_->hold(); }

void Transport::resume() { flow_->resume(); }

void Transport::finish(std::chrono::milliseconds limit, std::function<void()> done) {
  flow_->finish(limit, std::move(done));
}

}  // namespace redraft::lsp
