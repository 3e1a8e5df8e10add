#include "remote/remote_address.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace redraft {
namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool consists_of(std::string_view text, std::string_view others) {
  return std::ranges::all_of(text, [&](char c) {
    return kLetters.find(c) != std::string_view::npos || others.find(c) != std::string_view::npos;
  });
}

bool is_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  return problem == std::errc() && rest == text.data() + text.size() && port > 0;
}

bool take(std::string_view& text, std::string_view beginning) {
  if (!text.starts_with(beginning)) return false;
  text.remove_prefix(beginning.size());
  return true;
}

std::string with_brackets(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

std::string RemoteAddress::authority() const {
  const bool usual = port == (tls ? "443" : "80");
  return with_brackets(host) + (usual ? "" : ":" + port);
}

std::string RemoteAddress::shown() const { return (tls ? "https://" : "http://") + authority(); }

bool RemoteAddress::is_loopback() const {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos);
}

bool is_readable_on_the_way(const RemoteAddress& address) {
  return !address.tls && !address.is_loopback();
}

Result<RemoteAddress> parse_remote_address(std::string_view url) {
  const auto wrong = [&](const std::string& why) {
    return Error("the address '" + std::string(url) + "' " + why +
                 ". Write it as https://HOST:PORT or http://HOST:PORT");
  };
  std::string_view rest = url;
  RemoteAddress address;
  address.tls = take(rest, "https://");
  if (!address.tls && !take(rest, "http://"))
    return wrong("does not begin with https:// or http://");
  if (rest.find('@') != std::string_view::npos)
    return Error(
        "the address contains a user name or a key. Put keys in the variable REDRAFT_REMOTE_KEY or "
        "in the file remote-key in redraft's configuration folder");
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view place = rest.substr(0, slash);
  std::string_view path = rest.substr(slash);
  if (take(place, "[")) {
    const std::size_t end = place.find(']');
    if (end == std::string_view::npos) return wrong("has an unclosed bracket");
    address.host = place.substr(0, end);
    place.remove_prefix(end + 1);
    if (!consists_of(address.host, ":.")) return wrong("has no valid address in brackets");
  } else {
    const std::size_t colon = std::min(place.find(':'), place.size());
    address.host = place.substr(0, colon);
    place.remove_prefix(colon);
    if (!consists_of(address.host, ".-_")) return wrong("has no valid host");
  }
  if (address.host.empty()) return wrong("names no host");
  address.port = address.tls ? "443" : "80";
  if (take(place, ":")) {
    if (!is_port(place)) return wrong("has no valid port");
    address.port = place;
  } else if (!place.empty()) {
    return wrong("has unexpected text between host and path");
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with("/v1")) path.remove_suffix(3);
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!consists_of(path, "/-._~%")) return wrong("has a path that redraft does not support");
  address.base = path;
  return address;
}

}  // namespace redraft
