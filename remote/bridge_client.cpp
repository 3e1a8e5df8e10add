#include "remote/bridge_client.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "support/system/descriptors.h"
#include "support/system_error.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxRefusal = 1 << 16;  // bytes

Error bridge_ended() {
  return Error("the process that connects to the server has ended. Restart redraft");
}

// Reads head frames, see Frame::Kind.
ExchangeEnd read_head(const std::string& payload) {
  ExchangeEnd end;
  const char* const last = payload.data() + payload.size();
  const auto [rest, problem] = std::from_chars(payload.data(), last, end.status);
  int seconds = 0;
  if (problem == std::errc() && rest < last &&
      std::from_chars(rest + 1, last, seconds).ec == std::errc() && seconds >= 0)
    end.retry_after = std::chrono::seconds(seconds);
  return end;
}

}  // namespace

Result<std::shared_ptr<BridgeClient>> BridgeClient::start(const std::vector<std::string>& command) {
  FileHandle wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return system_error("no eventfd");
  Result<SideProcess> process = start_side_process(command, SOCK_STREAM);
  if (!process) return process.error();
  return std::shared_ptr<BridgeClient>(
      new BridgeClient(std::move(process->socket), std::move(wake), process->id));
}

BridgeClient::BridgeClient(FileHandle socket, FileHandle wake, pid_t process)
    : socket_(std::move(socket)), wake_(std::move(wake)), process_(process) {}

BridgeClient::~BridgeClient() {
  socket_ = FileHandle();  // ends the bridge
  wait_for_end(process_);
}

Result<void> BridgeClient::send(const Frame& frame) {
  std::string bytes;
  append_frame(frame, bytes);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), kSendWithoutSignal);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return bridge_ended();
    rest.remove_prefix(static_cast<std::size_t>(sent));
  }
  return {};
}

Result<std::optional<Frame>> BridgeClient::receive(std::uint32_t exchange,
                                                   const std::stop_token& stop) {
  std::deque<Frame>& own = waiting_[exchange];
  std::array<char, 1 << 16> buffer;
  while (own.empty()) {
    if (stop.stop_requested()) return std::optional<Frame>();
    std::array<pollfd, 2> polled{{{.fd = socket_.get(), .events = POLLIN, .revents = 0},
                                  {.fd = wake_.get(), .events = POLLIN, .revents = 0}}};
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR)
      return system_error("waiting for the server");
    std::uint64_t woken = 0;
    if (polled[1].revents != 0 && ::read(wake_.get(), &woken, sizeof(woken)) > 0) continue;
    if (polled[0].revents == 0) continue;
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return bridge_ended();
    reader_.add({buffer.data(), static_cast<std::size_t>(size)});
    while (true) {
      Result<std::optional<Frame>> frame = reader_.next();
      if (!frame) return frame.error();
      if (!*frame) break;
      // The frames of cancelled exchanges are dropped.
      const auto place = waiting_.find((*frame)->exchange);
      if (place != waiting_.end()) place->second.push_back(std::move(**frame));
    }
  }
  Frame frame = std::move(own.front());
  own.pop_front();
  return std::optional(std::move(frame));
}

Result<ExchangeEnd> BridgeClient::run(const ExchangeRequest& request, const OnData& on_data,
                                      const std::stop_token& stop) {
  const std::uint32_t exchange = ++last_;
  const std::stop_callback wake(stop, [this] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof(one));
  });
  const Result<void> sent = send({Frame::Kind::kRequest, exchange,
                                  request.method + "\n" + request.path + "\n" + request.body});
  if (!sent) return sent.error();
  Result<ExchangeEnd> end = follow(exchange, on_data, stop);
  waiting_.erase(exchange);
  if (end && end->closed_by_us) {
    if (const Result<void> told = send({Frame::Kind::kCancel, exchange}); !told)
      return told.error();
  }
  return end;
}

Result<ExchangeEnd> BridgeClient::follow(std::uint32_t exchange, const OnData& on_data,
                                         const std::stop_token& stop) {
  ExchangeEnd end;
  while (true) {
    const Result<std::optional<Frame>> frame = receive(exchange, stop);
    if (!frame) return frame.error();
    if (!*frame) {
      end.closed_by_us = true;
      return end;
    }
    const std::string& payload = (*frame)->payload;
    switch ((*frame)->kind) {
      case Frame::Kind::kHead:
        end = read_head(payload);
        break;
      case Frame::Kind::kData:
        if (end.status / 100 != 2) {
          end.refusal.append(payload, 0, kMaxRefusal - std::min(kMaxRefusal, end.refusal.size()));
        } else if (!on_data(payload)) {
          end.closed_by_us = true;
          return end;
        }
        break;
      case Frame::Kind::kEnd:
        return end;
      case Frame::Kind::kError:
        return Error(payload);
      case Frame::Kind::kRequest:
      case Frame::Kind::kCancel:
        return Error("the process that connects to the server sent invalid data");
    }
  }
}

}  // namespace redraft
