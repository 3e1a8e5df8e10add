#include "lsp/transport.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace redraft::lsp {

Transport::Transport(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers)
    : in_(io),
      out_(io),
      limit_(io),
      in_flags_(::fcntl(in_fd, F_GETFL)),
      out_flags_(::fcntl(out_fd, F_GETFL)),
      handlers_(std::move(handlers)) {
  // One descriptor cannot be registered twice: a socket for both directions is duplicated for
  // writing.
  in_.assign(::dup(in_fd));
  out_.assign(::dup(out_fd));
}

Transport::~Transport() {
  // The flags belong to the open file, which a terminal shares with the shell that started us.
  ::fcntl(in_.native_handle(), F_SETFL, in_flags_);
  ::fcntl(out_.native_handle(), F_SETFL, out_flags_);
}

void Transport::start() { read(); }

void Transport::read() {
  if (reading_ || closed_ || queued_bytes_ > kFull) return;
  reading_ = true;
  in_.async_read_some(boost::asio::buffer(chunk_),
                      [this](const boost::system::error_code& error, std::size_t count) {
                        reading_ = false;
                        if (closed_) return;
                        if (!error) {
                          received(count);
                        } else if (error == boost::asio::error::eof && !frames_.at_boundary()) {
                          closed_ = true;
                          handlers_.on_malformed(Error("the input ends within a message"));
                        } else {
                          gone();
                        }
                      });
}

void Transport::received(std::size_t count) {
  frames_.append({chunk_.data(), count});
  while (!closed_) {
    Result<std::optional<std::string>> message = frames_.next();
    if (!message) {
      closed_ = true;
      handlers_.on_malformed(message.error());
      return;
    }
    if (!*message) break;
    handlers_.on_message(std::move(**message));
  }
  read();
}

void Transport::send(std::string_view content) {
  queue_.push_back(frame(content));
  queued_bytes_ += queue_.back().size();
  if (queue_.size() == 1) write();
}

void Transport::write() {
  boost::asio::async_write(
      out_, boost::asio::buffer(queue_.front()),
      [this](const boost::system::error_code& error, std::size_t) { written(error); });
}

void Transport::written(const boost::system::error_code& error) {
  if (error) {
    spdlog::debug("writing to the client: {}", error.message());
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

void Transport::gone() {
  if (std::exchange(closed_, true)) return;
  handlers_.on_gone();
}

void Transport::finish(std::chrono::milliseconds limit, std::function<void()> done) {
  closed_ = true;
  done_ = std::move(done);
  limit_.expires_after(limit);
  limit_.async_wait([this](const boost::system::error_code&) { call_done(); });
  if (queue_.empty()) call_done();
}

void Transport::call_done() {
  if (const auto done = std::exchange(done_, nullptr)) done();
}

}  // namespace redraft::lsp
