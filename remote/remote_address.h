#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// The address of a server.
struct RemoteAddress {
  bool tls = false;
  std::string host;  // a name, or an address without brackets
  std::string port;  // a number
  std::string base;  // precedes every path: "", or a prefix without "/v1" such as "/proxy"

  // "https://host:port", for display; never contains a key.
  std::string shown() const;
  // For the Host header.
  std::string authority() const;
  bool is_loopback() const;
};

// `url` is http://HOST[:PORT][/PREFIX] or the same with https. A final "/v1" is dropped, because
// people paste it. User names, queries and other schemes are errors that say what is wrong.
Result<RemoteAddress> parse_remote_address(std::string_view url);

// Whether text would leave this machine without encryption.
bool is_readable_on_the_way(const RemoteAddress& address);

}  // namespace redraft
