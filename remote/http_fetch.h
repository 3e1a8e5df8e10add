#pragma once

#include <utility>  // Boost 1.74's awaitable.hpp needs it but does not include it

// Must follow the line above.
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
  // Sent with every request, so that a router in front of several servers can send all requests of
  // an editor to the server that has read its prompts.
  std::string session;
};

// The proxy for `server` from the environment: https_proxy, http_proxy (lower case only, because a
// web server may set HTTP_PROXY), all_proxy, no_proxy. An error if it cannot be used.
Result<std::optional<RemoteAddress>> proxy_of_environment(const RemoteAddress& server);

// One request and its answer, over its own connection. TLS uses the system's certificates or those
// in SSL_CERT_FILE and SSL_CERT_DIR, and checks names. Redirections are not followed.
class HttpFetch {
 public:
  // Awaited: it takes as long as the receiver does. `payload` is valid until it returns.
  using Tell =
      std::function<boost::asio::awaitable<void>(Frame::Kind kind, std::string_view payload)>;

  HttpFetch(boost::asio::io_context& io, const FetchOptions& options, ExchangeRequest request);
  ~HttpFetch();
  // Reports the answer: kHead, kData…, kEnd; or kError at any point.
  boost::asio::awaitable<void> run(Tell tell);
  // Closes the connection; run() then ends with kError.
  void cancel();

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace redraft
