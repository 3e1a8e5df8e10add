#include "http/access.h"

#include <algorithm>
#include <array>

#include "lsp/host/access_token.h"
#include "text/strings/lower_case.h"

namespace redraft::http {
namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr std::size_t kMaxPortDigits = 5;

bool shows(const RequestHead& head, std::string_view token) {
  if (head.authorizations.size() != 1) return false;
  const std::string_view shown = head.authorizations.front();
  return lower_case(shown.substr(0, kBearer.size())) == kBearer &&
         lsp::is_same_secret(shown.substr(kBearer.size()), token);
}

}  // namespace

bool is_loopback_host(std::string_view host) {
  const std::string name = lower_case(host);
  constexpr std::array<std::string_view, 3> kNames{"127.0.0.1", "localhost", "[::1]"};
  return std::ranges::any_of(kNames, [&](std::string_view known) {
    if (!name.starts_with(known)) return false;
    const std::string_view rest = std::string_view(name).substr(known.size());
    return rest.empty() ||
           (rest.size() > 1 && rest.size() <= kMaxPortDigits + 1 && rest.front() == ':' &&
            rest.find_first_not_of("0123456789", 1) == std::string_view::npos);
  });
}

std::optional<ApiError> refusal(const RequestHead& head, std::string_view token) {
  if (head.hosts.size() != 1 || !is_loopback_host(head.hosts.front())) {
    return ApiError{.status = 403,
                    .message =
                        "the Host header must name this machine's loopback interface: "
                        "127.0.0.1, localhost or [::1], and the port",
                    .code = "forbidden_host"};
  }
  if (!head.origins.empty()) {
    return ApiError{.status = 403,
                    .message =
                        "this server does not serve web pages: a request with an Origin header is "
                        "refused",
                    .code = "forbidden_origin"};
  }
  if (token.empty() || head.target == "/health" || shows(head, token)) return std::nullopt;
  return ApiError{.status = 401,
                  .message =
                      "send this server's token with the request: `Authorization: Bearer "
                      "TOKEN`; `redraft serve` prints the file that contains it",
                  .code = "invalid_api_key"};
}

}  // namespace redraft::http
