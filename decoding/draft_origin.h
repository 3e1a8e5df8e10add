#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace redraft {

// Which source guessed a token. Statistics count it as accepted_by_source.
enum class DraftOrigin : std::uint8_t {
  kReuse,         // the original text
  kCopy,          // an earlier position in prompt or output
  kRetrieval,     // a datastore
  kCache,         // what was verified or written earlier, in any request
  kModel,         // the draft model
  kHead,          // the target's draft head
  kSubstitution,  // the original text, with an earlier replacement applied
  kLayout,        // layout rules of lines of code
  kRecycled,      // what followed the same token in an earlier draft's verification
  kOther,         // must be the last
};

// The names of the origins in statistics, tables and documents. A new origin needs its line here
// and its word in the documents (guess_kinds_test.py); everything else follows.
struct NamedDraftOrigin {
  DraftOrigin origin;
  const char* name;
};
inline constexpr std::array kDraftOrigins = std::to_array<NamedDraftOrigin>({
    {DraftOrigin::kReuse, "reuse"},
    {DraftOrigin::kCopy, "copy"},
    {DraftOrigin::kRetrieval, "retrieval"},
    {DraftOrigin::kCache, "cache"},
    {DraftOrigin::kModel, "model"},
    {DraftOrigin::kHead, "head"},
    {DraftOrigin::kSubstitution, "substitution"},
    {DraftOrigin::kLayout, "layout"},
    {DraftOrigin::kRecycled, "recycled"},
    {DraftOrigin::kOther, "other"},
});
inline constexpr int kDraftOriginCount = static_cast<int>(kDraftOrigins.size());

constexpr bool every_draft_origin_has_its_line() {
  for (std::size_t i = 0; i < kDraftOrigins.size(); ++i) {
    if (static_cast<std::size_t>(kDraftOrigins[i].origin) != i) return false;
  }
  return kDraftOrigins.back().origin == DraftOrigin::kOther;
}
static_assert(every_draft_origin_has_its_line());

constexpr const char* to_string(DraftOrigin origin) {
  return kDraftOrigins[static_cast<std::size_t>(origin)].name;
}

}  // namespace redraft
