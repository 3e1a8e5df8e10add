// Decides which requests are served. The port is on the loopback interface. Any program of any user
// of this machine may connect to it, and so may any web page in a browser on this machine. Three
// checks keep web pages out; each one would be sufficient:
//
// - a page does not know the token, which only this user can read;
// - its script requests carry their origin, and requests with an origin are rejected (there are no
//   CORS headers either, so it could not read an answer);
// - if its own name resolves to 127.0.0.1 (DNS rebinding), which makes its requests "same origin",
//   the Host header contains that name, and only names of this machine are accepted.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request_head.h"

namespace redraft::http {

// Why the request is rejected, before its body is read; nothing if it is accepted. It must show
// `token` ("Authorization: Bearer TOKEN") unless it only asks for the health; empty: no token.
std::optional<ApiError> refusal(const RequestHead& head, std::string_view token);

// Whether the value of a Host header names this machine's loopback interface, with any port.
bool is_loopback_host(std::string_view host);

}  // namespace redraft::http
