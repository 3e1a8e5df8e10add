#include "workspace/documents/file_uri.h"

#include <string>
#include <string_view>

namespace redraft {
namespace {

int hexadecimal_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<std::filesystem::path> path_of_uri(std::string_view uri) {
  if (uri.find('\0') != std::string_view::npos)
    return std::nullopt;  // the system would truncate the path there
  for (const std::string_view scheme : {"file://localhost/", "file:///"}) {
    if (!uri.starts_with(scheme)) continue;
    uri.remove_prefix(scheme.size() - 1);
    std::string path;
    for (std::size_t i = 0; i < uri.size(); ++i) {
      if (uri[i] == '?' || uri[i] == '#')
        return std::nullopt;  // in a path these would be %3F and %23
      if (uri[i] != '%') {
        path += uri[i];
        continue;
      }
      if (i + 2 >= uri.size()) return std::nullopt;
      const int high = hexadecimal_digit(uri[i + 1]);
      const int low = hexadecimal_digit(uri[i + 2]);
      if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
      path += static_cast<char>(high * 16 + low);
      i += 2;
    }
    return std::filesystem::path(path).lexically_normal();
  }
  return std::nullopt;
}

std::string uri_of_path(const std::filesystem::path& path) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char byte : path.string()) {
    const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= '0' && byte <= '9') ||
                          std::string_view("/-._~").find(byte) != std::string_view::npos;
    if (is_plain) {
      uri += byte;
      continue;
    }
    const auto value = static_cast<unsigned char>(byte);
    uri += '%';
    uri += kHexadecimal[value / 16];
    uri += kHexadecimal[value % 16];
  }
  return uri;
}

bool is_within(std::string_view uri, std::string_view of) {
  const auto path = path_of_uri(uri), folder = path_of_uri(of);
  if (!path || !folder) return uri == of;
  const std::filesystem::path below = path->lexically_relative(*folder);
  return !below.empty() && *below.begin() != "..";
}

}  // namespace redraft
