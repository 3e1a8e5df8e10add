#include "remote/bridge.h"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "remote/frames.h"

namespace redraft {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMaxWaiting = std::size_t{1} << 20;  // bytes

class Bridge {
 public:
  Bridge(asio::io_context& io, int socket, const FetchOptions& options)
      : io_(io),
        socket_(io, asio::local::stream_protocol(), socket),
        options_(options),
        room_(io, asio::steady_timer::time_point::max()) {}

  asio::awaitable<void> run() {
    std::array<char, 1 << 16> buffer;
    while (!problem_) {
      boost::system::error_code ended;
      const std::size_t size = co_await socket_.async_read_some(
          asio::buffer(buffer), asio::redirect_error(asio::use_awaitable, ended));
      if (ended) break;
      reader_.add({buffer.data(), size});
      take_frames();
    }
    io_.stop();
  }

  const std::optional<Error>& problem() const { return problem_; }

 private:
  void take_frames() {
    while (true) {
      Result<std::optional<Frame>> frame = reader_.next();
      if (!frame) {
        problem_ = frame.error();
        return;
      }
      if (!*frame) return;
      if ((*frame)->kind == Frame::Kind::kCancel) {
        cancel((*frame)->exchange);
      } else if ((*frame)->kind == Frame::Kind::kRequest) {
        begin(std::move(**frame));
      }
    }
  }

  void cancel(std::uint32_t exchange) {
    const auto found = running_.find(exchange);
    if (found == running_.end()) return;
    found->second->cancel();
    running_.erase(found);  // nobody needs the rest of it
    room_.cancel();
  }

  void begin(Frame frame) {
    const std::uint32_t id = frame.exchange;
    const std::size_t method = std::min(frame.payload.find('\n'), frame.payload.size());
    const std::size_t path = std::min(frame.payload.find('\n', method + 1), frame.payload.size());
    if (path == frame.payload.size()) return;
    ExchangeRequest request{.method = frame.payload.substr(0, method),
                            .path = frame.payload.substr(method + 1, path - method - 1),
                            .body = frame.payload.substr(path + 1)};
    const auto fetch = std::make_shared<HttpFetch>(io_, options_, std::move(request));
    running_[id] = fetch;
    const auto tell = [this, id, same = std::weak_ptr(fetch)](
                          Frame::Kind kind, std::string_view payload) -> asio::awaitable<void> {
      return pass_on({kind, id, std::string(payload)}, same);
    };
    asio::co_spawn(io_, fetch->run(tell), [fetch](const std::exception_ptr&) {});
  }

  bool runs(std::uint32_t id, const std::weak_ptr<HttpFetch>& fetch) const {
    const auto found = running_.find(id);
    return found != running_.end() && found->second == fetch.lock();
  }

  // The other end may stop reading for a while. Then its server has to wait, while this process
  // continues to read other requests.
  asio::awaitable<void> pass_on(Frame frame, std::weak_ptr<HttpFetch> fetch) {
    const std::uint32_t id = frame.exchange;
    if (!runs(id, fetch)) co_return;
    if (frame.kind == Frame::Kind::kEnd || frame.kind == Frame::Kind::kError) running_.erase(id);
    append_frame(frame, waiting_);
    if (!std::exchange(is_writing_, true)) asio::co_spawn(io_, write(), asio::detached);
    while (waiting_.size() > kMaxWaiting && runs(id, fetch)) {
      boost::system::error_code woken;
      co_await room_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
  }

  asio::awaitable<void> write() {
    while (!waiting_.empty()) {
      const std::string bytes = std::exchange(waiting_, {});
      boost::system::error_code problem;
      co_await asio::async_write(socket_, asio::buffer(bytes),
                                 asio::redirect_error(asio::use_awaitable, problem));
      if (problem) io_.stop();
      room_.cancel();
    }
    is_writing_ = false;
  }

  asio::io_context& io_;
  asio::local::stream_protocol::socket socket_;
  const FetchOptions& options_;
  FrameReader reader_;
  std::map<std::uint32_t, std::shared_ptr<HttpFetch>> running_;
  std::string waiting_;  // to be written
  bool is_writing_ = false;
  asio::steady_timer room_;  // never expires; cancelled when waiting_ may have room
  std::optional<Error> problem_;
};

}  // namespace

Result<void> run_bridge(int socket, const FetchOptions& options) {
  asio::io_context io(1);
  Bridge bridge(io, socket, options);
  asio::co_spawn(io, bridge.run(), asio::detached);
  io.run();
  if (bridge.problem()) return *bridge.problem();
  return {};
}

}  // namespace redraft
