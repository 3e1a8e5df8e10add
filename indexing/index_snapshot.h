#pragma once

#include <memory>
#include <vector>

#include "indexing/datastore.h"
#include "indexing/hidden_ranges.h"
#include "indexing/segment.h"

namespace redraft {

// Several segments, as they are at one moment, seen as one datastore.
class IndexSnapshot : public Datastore {
 public:
  struct Part {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const HiddenRanges> hidden;  // null: nothing is
  };
  explicit IndexSnapshot(std::vector<Part> parts) : parts_(std::move(parts)) {}

  // A hidden stretch parts the text before it from that after it. Of more than `most` occurrences
  // `most` are looked at, hidden ones among them.
  Continuations continuations(std::span<const TokenId> context,
                              const ContinuationQuery& query) const override;
  std::size_t token_count() const override;
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

}  // namespace redraft
