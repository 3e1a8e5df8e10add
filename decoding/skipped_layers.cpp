#include "decoding/skipped_layers.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace redraft {
namespace {

// Removes a layer's number from the beginning of `text` and returns it.
std::optional<int> take_layer(std::string_view& text, int layers) {
  int layer = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), layer);
  if (problem != std::errc() || text.front() == '-' || layer >= layers) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return layer;
}

// Parses "a3" or "m3-5".
bool add(std::string_view part, SkippedLayers& skipped) {
  if (part.empty() || (part.front() != 'a' && part.front() != 'm')) return false;
  std::vector<bool>& kind = part.front() == 'a' ? skipped.attention : skipped.feed_forward;
  part.remove_prefix(1);
  const std::optional<int> first = take_layer(part, skipped.layers());
  std::optional<int> last = first;
  if (first && !part.empty() && part.front() == '-') {
    part.remove_prefix(1);
    last = take_layer(part, skipped.layers());
  }
  if (!first || !last || *last < *first || !part.empty()) return false;
  std::fill(kind.begin() + *first, kind.begin() + *last + 1, true);
  return true;
}

void append(const std::vector<bool>& kind, char letter, std::string& text) {
  for (std::size_t first = 0; first < kind.size(); ++first) {
    if (!kind[first]) continue;
    std::size_t last = first;
    while (last + 1 < kind.size() && kind[last + 1]) ++last;
    if (!text.empty()) text += '+';
    text += letter + std::to_string(first);
    if (last > first) text += '-' + std::to_string(last);
    first = last;
  }
}

}  // namespace

bool SkippedLayers::empty() const {
  return std::ranges::count(attention, true) + std::ranges::count(feed_forward, true) == 0;
}

Result<SkippedLayers> parse_skipped_layers(std::string_view text, int layers) {
  SkippedLayers skipped(layers);
  for (std::string_view rest = text;;) {
    const std::size_t plus = std::min(rest.find('+'), rest.size());
    const std::string_view part = rest.substr(0, plus);
    if (!add(part, skipped)) {
      return Error("'" + std::string(part) + "' does not name layers from 0 to " +
                   std::to_string(layers - 1) +
                   ": write a for attention and m for MLP, as in a3-5+m6");
    }
    if (plus == rest.size()) return skipped;
    rest.remove_prefix(plus + 1);
  }
}

std::string to_string(const SkippedLayers& skipped) {
  std::string text;
  append(skipped.attention, 'a', text);
  append(skipped.feed_forward, 'm', text);
  return text;
}

}  // namespace redraft
