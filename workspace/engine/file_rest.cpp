#include "workspace/engine/file_rest.h"

#include <algorithm>
#include <string_view>

#include "workspace/documents/line_endings.h"

namespace redraft {
namespace {

// A side of fewer bytes is not worth an index.
constexpr std::size_t kMinSideBytes = 32;
// The text below is kept while at most this much of it is shown too, which does no harm, and while
// at most this much is neither shown nor kept.
constexpr std::size_t kMaxOverlapBytes = 4000;
constexpr std::size_t kMaxGapBytes = 400;

}  // namespace

FileRest::Tokens FileRest::of(const Document& document, ByteRange shown,
                              const Tokenizer& tokenizer) {
  if (is_current(document, shown)) return tokens_;
  const std::string& text = document.text();
  const LineIndex& lines = document.lines();
  above_begin_ = 0;
  if (shown.begin > kMaxSideBytes)
    above_begin_ =
        std::min(lines.start(lines.line_of(shown.begin - kMaxSideBytes) + 1), shown.begin);
  above_ = text.substr(above_begin_, shown.begin - above_begin_);
  std::size_t below_end = text.size();
  if (below_end - shown.end > kMaxSideBytes)
    below_end = std::max(lines.start(lines.line_of(shown.end + kMaxSideBytes)), shown.end);
  below_ = text.substr(shown.end, below_end - shown.end);
  below_from_end_ = text.size() - shown.end;
  uri_ = document.uri();
  std::vector<std::vector<TokenId>> tokens;
  for (const std::string* side : {&below_, &above_}) {
    if (side->size() >= kMinSideBytes) tokens.push_back(tokenizer.encode(with_newlines(*side)));
  }
  tokens_ = tokens.empty()
                ? nullptr
                : std::make_shared<const std::vector<std::vector<TokenId>>>(std::move(tokens));
  return tokens_;
}

bool FileRest::is_current(const Document& document, ByteRange shown) const {
  const std::string_view text = document.text();
  if (document.uri() != uri_ || shown.begin != above_begin_ + above_.size() ||
      text.size() < below_from_end_)
    return false;
  const std::size_t below_begin = text.size() - below_from_end_;
  return below_begin <= shown.end + kMaxGapBytes && shown.end <= below_begin + kMaxOverlapBytes &&
         text.substr(above_begin_, above_.size()) == above_ &&
         text.substr(below_begin, below_.size()) == below_;
}

}  // namespace redraft
