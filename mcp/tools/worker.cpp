#include "mcp/tools/worker.h"

#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstddef>

#include "support/system/descriptors.h"

namespace redraft::mcp {
namespace {

constexpr auto kLimit = std::chrono::seconds(40);  // the process gives up before that

constexpr const char* kCrashed =
    "the text or the change could not be parsed: the process that parses them ended or took too "
    "long. Nothing was written";

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::send(socket, bytes.data(), bytes.size(), kSendWithoutSignal);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

}  // namespace

Result<void> Worker::start() {
  if (socket_) return {};
  Result<FileHandle> started = start_worker(answer_);
  if (!started) return started.error();
  socket_ = *std::move(started);
  return {};
}

Result<std::string> Worker::ask(Call& call, std::string_view request) {
  // It may have ended since the last request; then another one is started.
  for (const bool is_first : {true, false}) {
    if (Result<void> started = start(); !started) return started.error();
    if (send_all(socket_.get(), framed(request))) break;
    socket_ = FileHandle();
    if (!is_first) return Error(kCrashed);
  }
  Result<std::string> answer = read_answer(call);
  if (!answer) socket_ = FileHandle();  // an answer that comes late is nobody's
  return answer;
}

Result<std::string> Worker::read_answer(Call& call) {
  std::string bytes;
  std::string buffer(std::size_t{1} << 18, '\0');
  while (bytes.size() < kFrameHead || bytes.size() < kFrameHead + frame_size(bytes)) {
    if (!call.await(socket_.get(), kLimit))
      return Error(call.is_cancelled() ? "the call was cancelled" : kCrashed);
    const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return Error(kCrashed);
    bytes.append(buffer, 0, static_cast<std::size_t>(size));
    if (bytes.size() >= kFrameHead && frame_size(bytes) > kMaxFrame) return Error(kCrashed);
  }
  return bytes.substr(kFrameHead, frame_size(bytes));
}

}  // namespace redraft::mcp
