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

// Several segments at one moment, combined into one datastore.
class IndexSnapshot : public Datastore {
 public:
  struct Part {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const HiddenRanges> hidden = nullptr;  // null: none
    // One name for each of the segment's texts; null: they have no names.
    std::shared_ptr<const std::vector<std::string>> names = nullptr;
  };
  // One text of the snapshot.
  struct TextPlace {
    std::size_t part = 0, text = 0;
    friend bool operator==(const TextPlace&, const TextPlace&) = default;
  };
  struct DefinitionPlace {
    TextPlace text;
    ByteRange range;  // as stored: check it against the text
  };
  struct Occurrence {
    TextPlace text;
    std::size_t token = 0;  // index in the text
  };
  explicit IndexSnapshot(std::vector<Part> parts) : parts_(std::move(parts)) {}

  // A hidden range separates the text before it from the text after it. If there are more than
  // `most` occurrences, examines `most` of them, including hidden ones.
  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const override;
  std::size_t token_count() const override;

  // At most `most` definitions of this name. Names are compared by hash, so occasionally a result
  // defines another name.
  std::vector<DefinitionPlace> definitions(std::string_view name, std::size_t most) const;
  // The occurrences of `key` (not empty) with something after it. If a part has more than `most`,
  // `most` of them at equal distances in the order of what follows.
  std::vector<Occurrence> occurrences(std::span<const TokenId> key, std::size_t most) const;
  const std::string& name(const TextPlace& place) const;  // empty: it has no name
  std::span<const TokenId> tokens(const TextPlace& place) const;
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

}  // namespace redraft
