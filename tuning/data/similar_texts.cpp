#include "tuning/data/similar_texts.h"

#include <algorithm>

#include "text/strings/lines.h"
#include "text/strings/trimmed.h"

namespace redraft {

namespace {

constexpr std::size_t kLines = 3;      // lines per shingle
constexpr int kTellingCharacters = 4;  // minimum per telling line

bool is_telling(std::string_view line) {
  int count = 0;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_word = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                         (byte >= 'A' && byte <= 'Z') || byte >= 0x80;
    if (is_word && ++count == kTellingCharacters) return true;
  }
  return false;
}

// FNV-1a of the lines, each followed by a byte that no line contains.
std::uint64_t hash_of(const std::string_view* lines, std::size_t count) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto take = [&](unsigned char byte) { hash = (hash ^ byte) * 1099511628211ULL; };
  for (std::size_t i = 0; i < count; ++i) {
    for (const char c : lines[i]) take(static_cast<unsigned char>(c));
    take('\n');
  }
  return hash;
}

}  // namespace

std::vector<std::uint64_t> SimilarTexts::shingles_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::string_view line = trimmed(take_line(text));
    if (is_telling(line)) lines.push_back(line);
  }
  std::vector<std::uint64_t> out;
  if (lines.empty()) return out;
  if (lines.size() < kLines) out.push_back(hash_of(lines.data(), lines.size()));
  for (std::size_t i = 0; i + kLines <= lines.size(); ++i)
    out.push_back(hash_of(lines.data() + i, kLines));
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

double SimilarTexts::share_known(std::string_view text) const {
  const std::vector<std::uint64_t> all = shingles_of(text);
  if (all.empty()) return 0;
  const auto known = std::count_if(all.begin(), all.end(),
                                   [&](std::uint64_t each) { return shingles_.contains(each); });
  return static_cast<double>(known) / static_cast<double>(all.size());
}

void SimilarTexts::add(std::string_view text) {
  for (const std::uint64_t shingle : shingles_of(text)) shingles_.insert(shingle);
}

}  // namespace redraft
