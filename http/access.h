// Who is served. The port is on the loopback interface, where any program of any user of this
// machine may connect, and so may any web page that a browser on it shows. A page gets past neither
// of three checks, each of which would do alone:
//
// - it does not know the token, which only this user can read;
// - what it requests by script carries its origin, and no origin is served (there are no CORS
//   headers either, so it could not read an answer);
// - if its own name leads to 127.0.0.1 (DNS rebinding), which makes its requests "same origin", the
//   header Host has that name, and only names of this machine are served.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/request_head.h"

namespace redraft::http {

// Why the request is not served, before its body is read; none: it is. `token` is what it has to
// show ("Authorization: Bearer TOKEN"), unless it asks for the health alone; empty: nothing.
std::optional<ApiError> refusal(const RequestHead& head, std::string_view token);

// Whether the value of a Host header names this machine's loopback interface, with any port.
bool is_loopback_host(std::string_view host);

}  // namespace redraft::http
