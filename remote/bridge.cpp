#include "remote/bridge.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "remote/frames.h"
#include "support/system/descriptors.h"

namespace redraft {
namespace {

namespace asio = boost::asio;

class Bridge {
 public:
  Bridge(asio::io_context& io, int socket, const FetchOptions& options)
      : io_(io), socket_(io, socket), options_(options) {}

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
    running_.erase(found);  // what it still says is for nobody
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
    const auto tell = [this, id, same = std::weak_ptr(fetch)](Frame::Kind kind,
                                                              std::string_view payload) {
      const auto found = running_.find(id);
      if (found == running_.end() || found->second != same.lock()) return;
      if (kind == Frame::Kind::kEnd || kind == Frame::Kind::kError) running_.erase(found);
      send({kind, id, std::string(payload)});
    };
    asio::co_spawn(io_, fetch->run(tell), [fetch](const std::exception_ptr&) {});
  }

  // Blocks: the other end reads while it has an exchange.
  void send(const Frame& frame) {
    std::string bytes;
    append_frame(frame, bytes);
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const ssize_t sent =
          ::send(socket_.native_handle(), rest.data(), rest.size(), kSendWithoutSignal);
      if (sent >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        pollfd writable{.fd = socket_.native_handle(), .events = POLLOUT, .revents = 0};
        ::poll(&writable, 1, -1);
      } else if (errno != EINTR) {
        io_.stop();
        return;
      }
    }
  }

  asio::io_context& io_;
  asio::posix::stream_descriptor socket_;
  const FetchOptions& options_;
  FrameReader reader_;
  std::map<std::uint32_t, std::shared_ptr<HttpFetch>> running_;
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
