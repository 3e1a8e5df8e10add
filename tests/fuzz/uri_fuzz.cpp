// Any bytes are a URI or are refused, and an accepted one is a path that can be passed to the
// system: absolute, normalized, without NUL. Any path is recovered from every spelling.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "workspace/documents/file_uri.h"

namespace {

using redraft::path_of_uri;

void require(bool holds) {
  if (!holds) std::abort();
}

// Escapes what must not appear in a URI, or everything; with hex digits of either case.
std::string spelled(std::string_view path, bool everything, bool capital) {
  const std::string_view digits = capital ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string uri = capital ? "file://localhost" : "file://";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '/' || (!everything && std::string_view("%?#").find(c) == std::string_view::npos)) {
      uri += c;
    } else {
      uri += {'%', digits[byte >> 4], digits[byte & 15]};
    }
  }
  return uri;
}

void read(std::string_view uri) {
  const auto path = path_of_uri(uri);
  if (!path) return;
  const std::string& name = path->native();
  require(path->is_absolute() && *path == path->lexically_normal());
  require(name.find('\0') == std::string::npos);
  for (const auto& part : *path) require(part != "." && part != "..");
  for (const bool everything : {false, true})
    require(path_of_uri(spelled(name, everything, everything)) == path);
}

void write(std::string_view bytes) {
  if (bytes.find('\0') != std::string_view::npos) return;
  const std::filesystem::path path("/" + std::string(bytes));
  for (const bool everything : {false, true}) {
    for (const bool capital : {false, true})
      require(path_of_uri(spelled(path.native(), everything, capital)) == path.lexically_normal());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read("file:///" + std::string(bytes));
  write(bytes);
  return 0;
}
