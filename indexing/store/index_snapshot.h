#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/store/datastore.h"
#include "indexing/store/hidden_ranges.h"
#include "indexing/store/segment.h"
#include "support/byte_range.h"

namespace redraft {

// Several segments, at one moment, seen as one datastore.
class IndexSnapshot : public Datastore {
 public:
  struct Part {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const HiddenRanges> hidden = nullptr;  // null: none
    // One for each of the segment's texts; null: they have none.
    std::shared_ptr<const std::vector<std::string>> names = nullptr;
  };
  // One text of the snapshot.
  struct TextPlace {
    std::size_t part = 0, text = 0;
    friend bool operator==(const TextPlace&, const TextPlace&) = default;
  };
  struct DefinitionPlace {
    TextPlace text;
    ByteRange range;  // as it was stored: check it against the text
  };
  struct Occurrence {
    TextPlace text;
    std::size_t token = 0;  // of the text
  };
  explicit IndexSnapshot(std::vector<Part> parts) : parts_(std::move(parts)) {}

  // A hidden range separates the text before it from that after it. Of more than `most` occurrences
  // `most` are examined, including hidden ones.
  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const override;
  std::size_t token_count() const override;

  // Where this name is defined, at most `most` places. Names are compared by hash, so occasionally
  // a place defines another name.
  std::vector<DefinitionPlace> definitions(std::string_view name, std::size_t most) const;
  // Where `key` (not empty) occurs with something after it. Of more than `most` places in a part,
  // `most` at equal distances in the order of what follows.
  std::vector<Occurrence> occurrences(std::span<const TokenId> key, std::size_t most) const;
  const std::string& name(const TextPlace& place) const;  // empty: it has none
  std::span<const TokenId> tokens(const TextPlace& place) const;
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

}  // namespace redraft
