#include "lsp/host/attached_client.h"

#include <sys/socket.h>

#include <utility>

#include "lsp/host/hand_over.h"
#include "support/log/log.h"
#include "support/system/descriptors.h"

namespace redraft::lsp {
namespace {

using Descriptor = boost::asio::posix::stream_descriptor;
constexpr auto kHandOverLimit = std::chrono::seconds(10);

bool send_byte(int socket, char byte) {
  return ::send(socket, &byte, 1, kSendWithoutSignal | MSG_DONTWAIT) == 1;
}

}  // namespace

AttachedClient::AttachedClient(SessionHost& host, FileHandle connection)
    : host_(host), connection_(host.io(), connection.release()), limit_(host.io()) {}

void AttachedClient::start() {
  if (!is_own_peer(connection_.native_handle())) return;
  limit_.expires_after(kHandOverLimit);
  limit_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && !self->session_) self->close();
  });
  connection_.async_wait(Descriptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (!error) self->take_client();
                         });
}

void AttachedClient::take_client() {
  limit_.cancel();
  if (!host_.has_room()) return close();
  std::optional<HandedOver> client = take_over(connection_.native_handle());
  // Answer first: from now on nobody else reads the client's messages.
  if (!client || !send_byte(connection_.native_handle(), kTaken)) return close();
  session_ = host_.add({.in = std::move(client->in), .out = std::move(client->out)},
                       [self = shared_from_this()](int code) {
                         if (self->connection_.is_open())
                           send_byte(self->connection_.native_handle(), static_cast<char>(code));
                         self->close();
                       });
  session_ ? await_departure() : close();
}

// The process sends nothing more, so all that can be read is the end of input.
void AttachedClient::await_departure() {
  connection_.async_wait(Descriptor::wait_read,
                         [self = shared_from_this()](const boost::system::error_code& error) {
                           if (error) return;
                           logging::debug("the process of client {} is gone", *self->session_);
                           self->host_.drop(*self->session_);
                         });
}

void AttachedClient::close() {
  boost::system::error_code ignored;
  connection_.close(ignored);
}

}  // namespace redraft::lsp
