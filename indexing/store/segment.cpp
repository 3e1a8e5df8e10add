#include "indexing/store/segment.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "indexing/store/suffix_array.h"

namespace redraft {
namespace {

constexpr TokenId kSeparator = SegmentTexts::kSeparator;
// From this many suffixes on, a table of first tokens is worth its 600 KB (for a vocabulary of
// 150,000).
constexpr std::size_t kLarge = std::size_t{1} << 20;

}  // namespace

void SegmentTexts::add(std::span<const TokenId> text,
                       std::span<const StoredDefinition> definitions) {
  // An empty text has no range that could be hidden when the text is replaced.
  if (text.empty()) definitions = {};
  for (StoredDefinition definition : definitions) {
    definition.text = static_cast<std::uint32_t>(text_count());
    definitions_.push_back(definition);
  }
  tokens_.insert(tokens_.end(), text.begin(), text.end());
  tokens_.push_back(kSeparator);
  begins_.push_back(static_cast<std::uint32_t>(tokens_.size()));
}

Segment::Segment(SegmentTexts texts)
    : tokens_(std::move(texts.tokens_)),
      begins_(std::move(texts.begins_)),
      definitions_(std::move(texts.definitions_)) {
  TokenId highest = kSeparator;
  for (const TokenId token : tokens_) {
    assert(token >= kSeparator);
    highest = std::max(highest, token);
  }
  std::vector<std::int32_t> symbols(tokens_.size());
  std::ranges::transform(tokens_, symbols.begin(),
                         [](TokenId token) { return token - kSeparator; });
  suffixes_ = suffix_array(symbols, highest - kSeparator + 1);
  suffixes_.erase(suffixes_.begin(),
                  suffixes_.begin() + static_cast<std::ptrdiff_t>(begins_.size() - 1));
  if (suffixes_.size() >= kLarge) {
    firsts_.assign(static_cast<std::size_t>(highest) + 2, 0);
    for (const std::int32_t suffix : suffixes_)
      ++firsts_[static_cast<std::size_t>(tokens_[static_cast<std::size_t>(suffix)]) + 1];
    for (std::size_t i = 1; i < firsts_.size(); ++i) firsts_[i] += firsts_[i - 1];
  }
  tokens_.shrink_to_fit();
  suffixes_.shrink_to_fit();
  std::ranges::sort(definitions_, std::less());
  definitions_.shrink_to_fit();
  parts_ = {tokens_,     suffixes_, begins_, firsts_, static_cast<std::uint32_t>(highest + 1),
            definitions_};
}

Result<std::shared_ptr<const Segment>> Segment::open(const std::filesystem::path& file,
                                                     std::uint64_t key) {
  Result<SegmentFile> opened = SegmentFile::open(file, key);
  if (!opened) return opened.error();
  const std::shared_ptr<Segment> segment(new Segment());
  segment->parts_ = opened->parts();
  segment->file_ = std::make_unique<SegmentFile>(std::move(*opened));
  return std::shared_ptr<const Segment>(segment);
}

Result<std::shared_ptr<const Segment>> Segment::parse(std::span<const std::byte> bytes,
                                                      std::uint64_t key) {
  const Result<SegmentImage> image = SegmentImage::parse(bytes, key);
  if (!image) return image.error();
  const std::shared_ptr<Segment> segment(new Segment());
  segment->parts_ = image->parts();
  return std::shared_ptr<const Segment>(segment);
}

Result<void> Segment::write(const std::filesystem::path& file, std::uint64_t key) const {
  return SegmentFile::write(file, key, parts_);
}

Result<void> Segment::verify() const { return file_ ? file_->verify() : Result<void>(); }

void Segment::release_pages() const {
  if (file_) file_->release_pages();
}

std::size_t Segment::text_at(std::size_t place) const {
  const auto after = std::ranges::upper_bound(parts_.begins, place);
  return static_cast<std::size_t>(after - parts_.begins.begin()) - 1;
}

std::span<const StoredDefinition> Segment::definitions_of(std::uint32_t name) const {
  const auto& all = parts_.definitions;
  const auto begin = std::ranges::lower_bound(all, name, {}, &StoredDefinition::name);
  return {begin, std::ranges::upper_bound(begin, all.end(), name, {}, &StoredDefinition::name)};
}

// Separators end every comparison in time: no key contains one, and the last token is one.
int Segment::compare(std::int32_t suffix, std::span<const TokenId> key) const {
  if (!holds(suffix)) return -1;
  const TokenId* text = parts_.tokens.data() + suffix;
  for (const TokenId token : key) {
    if (*text != token) return *text < token ? -1 : 1;
    ++text;
  }
  return 0;
}

Segment::Suffixes Segment::find(std::span<const TokenId> key) const {
  Suffixes all = parts_.suffixes;
  if (!parts_.firsts.empty()) {
    const auto first = static_cast<std::size_t>(key.front());
    if (first + 1 >= parts_.firsts.size()) return {};
    all = all.subspan(parts_.firsts[first], parts_.firsts[first + 1] - parts_.firsts[first]);
  }
  const auto goes_on = [&](std::int32_t suffix) {
    return holds(suffix) && is_token(static_cast<std::size_t>(suffix) + key.size());
  };
  const auto begin = std::partition_point(all.begin(), all.end(),
                                          [&](std::int32_t s) { return compare(s, key) < 0; });
  const auto end =
      std::partition_point(begin, all.end(), [&](std::int32_t s) { return compare(s, key) == 0; });
  return {std::partition_point(begin, end, [&](std::int32_t s) { return !goes_on(s); }), end};
}

std::span<const TokenId> Segment::text_after(std::size_t place, std::size_t length) const {
  std::size_t end = place;
  while (end - place < length && is_token(end)) ++end;
  return parts_.tokens.subspan(place, end - place);
}

}  // namespace redraft
