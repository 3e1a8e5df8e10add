#include "indexing/store/memory_datastore.h"

#include <memory>
#include <utility>

namespace redraft {
namespace {

std::shared_ptr<const Segment> segment_of(std::span<const std::vector<TokenId>> texts) {
  SegmentTexts all;
  for (const std::vector<TokenId>& text : texts) all.add(text);
  return std::make_shared<const Segment>(std::move(all));
}

}  // namespace

MemoryDatastore::MemoryDatastore(std::span<const std::vector<TokenId>> texts)
    : IndexSnapshot({{segment_of(texts), nullptr}}) {}

}  // namespace redraft
