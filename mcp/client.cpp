#include "mcp/client.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace redraft::mcp {
namespace {

// If this much waits, the rest stays in the pipe.
constexpr std::size_t kMaxLines = 1000;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

bool Client::pump(int other, std::chrono::milliseconds limit) {
  const bool reads = !at_end_ && lines_.size() < kMaxLines && bytes_ < kMaxBytes;
  std::array<pollfd, 2> waits = {pollfd{reads ? in_ : -1, POLLIN, 0}, pollfd{other, POLLIN, 0}};
  const int timeout = limit.count() < 0 ? -1 : static_cast<int>(limit.count());
  const int ready = ::poll(waits.data(), waits.size(), timeout);
  if (ready <= 0) return false;
  if (waits[0].revents != 0) read();
  return waits[1].revents != 0;
}

void Client::read() {
  std::array<char, std::size_t{1} << 16> buffer;
  const ssize_t size = ::read(in_, buffer.data(), buffer.size());
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  std::optional<Line> line;
  if (size <= 0) {
    at_end_ = true;
    if ((line = reader_.rest())) keep(*std::move(line));
    return;
  }
  reader_.append({buffer.data(), static_cast<std::size_t>(size)});
  while ((line = reader_.next())) keep(*std::move(line));
}

void Client::keep(Line line) {
  if (const auto* text = std::get_if<std::string>(&line)) bytes_ += text->size();
  lines_.push_back(std::move(line));
}

std::optional<Client::Received> Client::next() {
  while (!lines_.empty()) {
    const Line line = std::move(lines_.front());
    lines_.pop_front();
    if (const auto* text = std::get_if<std::string>(&line)) {
      bytes_ -= text->size();
      if (is_blank(*text)) continue;
      return Received{lsp::parse_json(*text), text->size()};
    }
    const std::string size = std::to_string(std::get<LongLine>(line).bytes);
    return Received{
        Error("a message of " + size + " bytes; the limit is " + std::to_string(kLineLimit)), 0};
  }
  return std::nullopt;
}

void Client::send(const Json& message) {
  const std::string line = lsp::to_text(message) + "\n";
  std::string_view left = line;
  while (!left.empty() && !is_gone_) {
    const ssize_t size = ::write(out_, left.data(), left.size());
    if (size >= 0) {
      left.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      pollfd wait{out_, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      is_gone_ = true;
    }
  }
}

}  // namespace redraft::mcp
