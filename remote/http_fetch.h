#pragma once

#include <utility>  // which Boost 1.74's awaitable.hpp needs and lacks

// First the line above.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "remote/exchange.h"
#include "remote/frames.h"
#include "remote/remote_address.h"

namespace redraft {

struct FetchOptions {
  RemoteAddress server;
  std::optional<RemoteAddress> proxy;  // for http, and by CONNECT for https
  std::string key;                     // sent to the server as a bearer token; empty: none
  // Sent with every request, so that a router in front of several servers can send all that an
  // editor asks to the one that has read its prompts.
  std::string session;
};

// The proxy for `server` that the environment names (https_proxy, http_proxy in small letters
// alone, since a web server may set the other, all_proxy, no_proxy). An error if it cannot be used.
Result<std::optional<RemoteAddress>> proxy_of_environment(const RemoteAddress& server);

// One request and its answer, over a connection of its own. TLS with the certificates of the
// system, or of SSL_CERT_FILE and SSL_CERT_DIR; names are checked. Redirections are not followed.
class HttpFetch {
 public:
  // Awaited: it takes its time where nobody takes what is told. `payload` is valid until then.
  using Tell =
      std::function<boost::asio::awaitable<void>(Frame::Kind kind, std::string_view payload)>;

  HttpFetch(boost::asio::io_context& io, const FetchOptions& options, ExchangeRequest request);
  ~HttpFetch();
  // Tells of the answer: kHead, kData…, kEnd; or kError, at any place.
  boost::asio::awaitable<void> run(Tell tell);
  // Closes the connection: run() ends with kError.
  void cancel();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace redraft
