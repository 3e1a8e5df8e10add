// The content of a client's messages, one per line, without the framing that mutation mostly
// breaks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/fuzzed_server.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  redraft::lsp::FuzzedServer server;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    server.receive(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  return 0;
}
