#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "indexing/store/segment_file.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// Texts in a row, each followed by a separator. A text may be empty.
class SegmentTexts {
 public:
  // Sorts before every token: a text that ends is a prefix of those that continue.
  static constexpr TokenId kSeparator = -1;

  // Token ids are >= 0; all texts and separators together are fewer than 2^31. The `text` of
  // `definitions` is ignored; an empty text has none.
  void add(std::span<const TokenId> text, std::span<const StoredDefinition> definitions = {});

  std::size_t token_count() const { return tokens_.size(); }  // including separators
  std::size_t text_count() const { return begins_.size() - 1; }

 private:
  friend class Segment;
  std::vector<TokenId> tokens_;
  std::vector<std::uint32_t> begins_ = {0};  // of each text in tokens_, and the end
  std::vector<StoredDefinition> definitions_;
};

// Texts with a suffix array: eight bytes per token, in memory or in a mapped file, of which a
// search only reads the pages it needs. Immutable: any thread may use it.
class Segment {
 public:
  using Suffixes = std::span<const std::int32_t>;

  // Builds a segment in memory, at a few million tokens per second.
  explicit Segment(SegmentTexts texts);
  // Opens a file that write() wrote with the same key. Detects a wrong size, and damage that would
  // make a search go out of bounds; verify() detects other damage. The file must not change while
  // the segment lives; it may be unlinked.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& file,
                                                     std::uint64_t key);

  // The same for bytes that outlive the segment.
  static Result<std::shared_ptr<const Segment>> parse(std::span<const std::byte> bytes,
                                                      std::uint64_t key);

  // `key` identifies the meaning of the tokens.
  Result<void> write(const std::filesystem::path& file, std::uint64_t key) const;
  // Reads everything and checks that nothing is damaged. A segment in memory never is.
  Result<void> verify() const;

  std::size_t text_count() const { return parts_.begins.size() - 1; }
  // Without separators.
  std::size_t token_count() const { return parts_.suffixes.size(); }
  // The separator of a text is at its end.
  std::size_t text_begin(std::size_t text) const { return parts_.begins[text]; }
  std::size_t text_end(std::size_t text) const { return parts_.begins[text + 1] - 1; }
  std::span<const TokenId> text(std::size_t text) const {
    return parts_.tokens.subspan(text_begin(text), text_end(text) - text_begin(text));
  }

  // The index of the text with the token at `place`, which may be its separator.
  std::size_t text_at(std::size_t place) const;
  // Sorted. In a damaged file their texts and bytes may be wrong.
  std::span<const StoredDefinition> definitions() const { return parts_.definitions; }
  std::span<const StoredDefinition> definitions_of(std::uint32_t name) const;

  // The positions where `key` (not empty, without separators) occurs with something after it, in
  // the order of what follows.
  Suffixes find(std::span<const TokenId> key) const;
  // Up to `length` tokens of the text, beginning at `place`.
  std::span<const TokenId> text_after(std::size_t place, std::size_t length) const;
  // Whether `place` is within bounds; false only in a damaged file.
  bool holds(std::int32_t place) const {
    return static_cast<std::uint32_t>(place) < parts_.tokens.size();
  }
  bool in_memory() const { return !file_; }
  // Tells the kernel that the file's pages are not needed soon.
  void release_pages() const;

 private:
  Segment() = default;
  // Whether the token at `place` is not a separator, not damaged and not beyond the end.
  bool is_token(std::size_t place) const {
    return place < parts_.tokens.size() &&
           static_cast<std::uint32_t>(parts_.tokens[place]) < parts_.token_limit;
  }
  int compare(std::int32_t suffix, std::span<const TokenId> key) const;

  SegmentParts parts_;  // views of the vectors, or of the file
  std::vector<TokenId> tokens_;
  std::vector<std::int32_t> suffixes_;
  std::vector<std::uint32_t> begins_, firsts_;
  std::vector<StoredDefinition> definitions_;
  std::unique_ptr<SegmentFile> file_;
};

}  // namespace redraft
