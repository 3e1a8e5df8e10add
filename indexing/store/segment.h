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

// Texts one behind the other, a separator after each. A text may be empty.
class SegmentTexts {
 public:
  // Comes before every token: a text that ends is the beginning of those that go on.
  static constexpr TokenId kSeparator = -1;

  // Token ids are >= 0; all texts and separators together are fewer than 2^31. What `definitions`
  // say of the text they are in is not asked for.
  void add(std::span<const TokenId> text, std::span<const StoredDefinition> definitions = {});

  std::size_t token_count() const { return tokens_.size(); }  // separators included
  std::size_t text_count() const { return begins_.size() - 1; }

 private:
  friend class Segment;
  std::vector<TokenId> tokens_;
  std::vector<std::uint32_t> begins_ = {0};  // of each text in tokens_, and the end
  std::vector<StoredDefinition> definitions_;
};

// Texts with the order of all their suffixes: eight bytes a token, in memory or in a file that is
// read where a search touches it. Immutable: any thread may use it.
class Segment {
 public:
  using Suffixes = std::span<const std::int32_t>;

  // In memory; a few million tokens a second.
  explicit Segment(SegmentTexts texts);
  // From a file that write() wrote with the same key. Damage of what is needed to search without
  // going astray, and a wrong size, are found here; see verify() for the rest. The file must not
  // change as long as the segment lives; it may be unlinked.
  static Result<std::shared_ptr<const Segment>> open(const std::filesystem::path& file,
                                                     std::uint64_t key);

  // The same of bytes that outlive the segment.
  static Result<std::shared_ptr<const Segment>> parse(std::span<const std::byte> bytes,
                                                      std::uint64_t key);

  // `key` says what the tokens mean.
  Result<void> write(const std::filesystem::path& file, std::uint64_t key) const;
  // Reads everything: whether all is as it was written. Fine for what lies in memory.
  Result<void> verify() const;

  std::size_t text_count() const { return parts_.begins.size() - 1; }
  // Separators not counted.
  std::size_t token_count() const { return parts_.suffixes.size(); }
  // The separator of a text stands at its end.
  std::size_t text_begin(std::size_t text) const { return parts_.begins[text]; }
  std::size_t text_end(std::size_t text) const { return parts_.begins[text + 1] - 1; }
  std::span<const TokenId> text(std::size_t text) const {
    return parts_.tokens.subspan(text_begin(text), text_end(text) - text_begin(text));
  }

  // Whose tokens stand at `place`, its separator included.
  std::size_t text_at(std::size_t place) const;
  // In order. What a damaged file says of texts and bytes may be wrong.
  std::span<const StoredDefinition> definitions() const { return parts_.definitions; }
  std::span<const StoredDefinition> definitions_of(std::uint32_t name) const;

  // The places where `key` (not empty, of tokens) stands with something after it, in the order of
  // what follows.
  Suffixes find(std::span<const TokenId> key) const;
  // Up to `length` tokens of the text that begin at `place`.
  std::span<const TokenId> text_after(std::size_t place, std::size_t length) const;
  // Whether what lies at `place` can be looked at; false in a damaged file only.
  bool holds(std::int32_t place) const {
    return static_cast<std::uint32_t>(place) < parts_.tokens.size();
  }
  bool in_memory() const { return !file_; }
  // Tells the kernel that the file's pages are not needed soon.
  void release_pages() const;

 private:
  Segment() = default;
  // Neither a separator nor damaged nor beyond the end.
  bool is_token(std::size_t place) const {
    return place < parts_.tokens.size() &&
           static_cast<std::uint32_t>(parts_.tokens[place]) < parts_.token_limit;
  }
  int compare(std::int32_t suffix, std::span<const TokenId> key) const;

  SegmentParts parts_;  // of the vectors, or of the file
  std::vector<TokenId> tokens_;
  std::vector<std::int32_t> suffixes_;
  std::vector<std::uint32_t> begins_, firsts_;
  std::vector<StoredDefinition> definitions_;
  std::unique_ptr<SegmentFile> file_;
};

}  // namespace redraft
