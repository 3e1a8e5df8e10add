#include "lsp/host/hand_over.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstring>
#include <utility>

#include "support/system/descriptors.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kMaxDescriptors = 8;  // accepted in a message that is not ours

// A message of one byte with space for descriptors.
struct DescriptorMessage {
  DescriptorMessage() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }
  DescriptorMessage(const DescriptorMessage&) = delete;
  DescriptorMessage& operator=(const DescriptorMessage&) = delete;

  char byte = kTaken;
  iovec part = {&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control = {};
  msghdr header = {};
};

}  // namespace

bool hand_over(int socket, int in_fd, int out_fd) {
  const std::array<int, 2> descriptors = {in_fd, out_fd};
  DescriptorMessage message;
  message.header.msg_controllen = CMSG_SPACE(sizeof descriptors);
  cmsghdr* part = CMSG_FIRSTHDR(&message.header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptors);
  std::memcpy(CMSG_DATA(part), descriptors.data(), sizeof descriptors);
  return ::sendmsg(socket, &message.header, kSendWithoutSignal) == 1;
}

std::optional<HandedOver> take_over(int socket) {
  DescriptorMessage message;
  if (::recvmsg(socket, &message.header, kReceiveClosedOnExec | MSG_DONTWAIT) != 1)
    return std::nullopt;
  // Whatever was received is ours to close.
  std::array<FileHandle, kMaxDescriptors> taken;
  std::size_t count = 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message.header); part != nullptr;
       part = CMSG_NXTHDR(&message.header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t size = part->cmsg_len - CMSG_LEN(0);
    for (std::size_t at = 0; at + sizeof(int) <= size && count < taken.size(); at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + at, sizeof descriptor);
      taken[count++] = FileHandle(descriptor);
    }
  }
  if (count != 2 || message.byte != kTaken) return std::nullopt;
  return HandedOver{std::move(taken[0]), std::move(taken[1])};
}

}  // namespace redraft::lsp
