// Any sequence of messages on the socket by which clients are handed over, with any numbers of
// descriptors in any parts: a client is taken over from one with two descriptors and the byte that
// says so, and from no other; what a message brought is open as long as that client is there, and
// no longer.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "lsp/host/hand_over.h"

namespace {

using redraft::FileHandle;
using redraft::lsp::HandedOver;
using redraft::lsp::take_over;

constexpr std::size_t kMaxSent = 12;  // more than are taken from a message

void require(bool holds) {
  if (!holds) std::abort();
}

// The lowest descriptor that is free: it comes back if all that were opened meanwhile are closed.
int lowest_free() {
  const FileHandle probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  require(static_cast<bool>(probe));
  return probe.get();
}

struct Message {
  char byte = 0;
  bool empty = false;           // no byte at all
  std::vector<std::size_t> of;  // descriptors in each part
};

std::size_t descriptors(const Message& message) {
  std::size_t all = 0;
  for (const std::size_t count : message.of) all += count;
  return all;
}

bool send(int socket, const Message& message) {
  std::array<char, 1024> control = {};
  char byte = message.byte;
  iovec content = {&byte, message.empty ? 0U : 1U};
  msghdr header = {};
  header.msg_iov = &content;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  std::size_t used = 0;
  for (const std::size_t count : message.of) {
    auto* const part = reinterpret_cast<cmsghdr*>(control.data() + used);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(count * sizeof(int));
    const std::vector<int> sent(count, socket);
    if (count > 0) std::memcpy(CMSG_DATA(part), sent.data(), count * sizeof(int));
    used += CMSG_SPACE(count * sizeof(int));
  }
  header.msg_controllen = used;
  return ::sendmsg(socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

// A byte each: what is sent, and how many descriptors in up to two parts.
Message next_message(std::span<const std::uint8_t>& bytes) {
  const std::uint8_t kind = bytes[0];
  const std::uint8_t counts = bytes[1];
  bytes = bytes.subspan(2);
  Message message{.byte = (kind & 1) != 0 ? redraft::lsp::kTaken : static_cast<char>(kind),
                  .empty = (kind & 0x80) != 0,
                  .of = {}};
  message.of.push_back((counts & 15) % (kMaxSent + 1));
  if ((kind & 2) != 0) message.of.push_back((counts >> 4) % (kMaxSent + 1));
  return message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int free_before = lowest_free();
  {
    std::array<int, 2> ends = {};
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const FileHandle near(ends[0]), far(ends[1]);
    require(!take_over(far.get()));
    for (std::span<const std::uint8_t> bytes(data, size); bytes.size() >= 2;) {
      const Message message = next_message(bytes);
      const int free_here = lowest_free();
      if (!send(near.get(), message)) continue;
      {
        const std::optional<HandedOver> taken = take_over(far.get());
        const bool is_ours = !message.empty && message.byte == redraft::lsp::kTaken;
        require(taken.has_value() == (is_ours && descriptors(message) == 2));
        if (taken) require(::fcntl(taken->in.get(), F_GETFD) == FD_CLOEXEC);
      }
      require(lowest_free() == free_here);
    }
  }
  require(lowest_free() == free_before);
  return 0;
}
