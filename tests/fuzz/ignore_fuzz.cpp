// libFuzzer entry: any bytes are an ignore file, for any path, in little time; and a line after
// them that spells the path decides about it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "indexing/files/ignore_rules.h"

namespace redraft {
namespace {

// A pattern that matches `path` and nothing else.
std::string spelled(std::string_view path) {
  std::string pattern = "/";
  for (const char c : path) {
    if (std::string_view("\\*?[] ").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The first line is the path, the rest are the rules.
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return 0;
  const std::string_view path = bytes.substr(0, end);
  const std::string rules(bytes.substr(end + 1));
  const IgnorePatterns patterns(rules);
  if (patterns.verdict(path, false) != IgnoreVerdict::kNoRule && patterns.empty()) std::abort();
  patterns.verdict(path, true);
  // No file can have such a name.
  if (path.empty() || path.find('\0') != std::string_view::npos) return 0;
  if (path.starts_with('/') || path.ends_with('/') || path.ends_with('\r')) return 0;
  const std::string line = spelled(path) + "\n";
  if (IgnorePatterns(rules + "\n" + line).verdict(path, false) != IgnoreVerdict::kIgnored) {
    std::abort();
  }
  if (IgnorePatterns(rules + "\n!" + line).verdict(path, false) != IgnoreVerdict::kKept) {
    std::abort();
  }
  const std::string longer = std::string(path) + "x";
  if (IgnorePatterns(line).verdict(longer, false) != IgnoreVerdict::kNoRule) std::abort();
  return 0;
}

}  // namespace redraft
