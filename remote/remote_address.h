#pragma once

#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

// Where a server is.
struct RemoteAddress {
  bool tls = false;
  std::string host;  // a name, or an address without brackets
  std::string port;  // a number
  std::string base;  // what every path begins with: "" or "/v1"-less prefix such as "/proxy"

  // "https://host:port", as people know it; never with a key.
  std::string shown() const;
  // For the header Host.
  std::string authority() const;
  bool is_loopback() const;
};

// `url` is http://HOST[:PORT][/PREFIX] or the same with https. A final "/v1" is left out, since
// people paste it. Errors say what is wrong with it: user names, queries and other schemes.
Result<RemoteAddress> parse_remote_address(std::string_view url);

// Whether text would leave this machine without encryption.
bool is_readable_on_the_way(const RemoteAddress& address);

}  // namespace redraft
