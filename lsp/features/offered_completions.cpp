#include "lsp/features/offered_completions.h"

#include <algorithm>
#include <utility>

#include "text/strings/trimmed.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kOffers = 16;
constexpr std::size_t kMaxBytes = std::size_t{4} << 20;  // of the documents of all offers together
constexpr std::size_t kRejected = 32;

// The part of the line of `offset` that precedes `offset`.
std::string_view line_before(const Document& document, std::size_t offset) {
  const std::string_view before = std::string_view(document.text()).substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  return newline == std::string_view::npos ? before : before.substr(newline + 1);
}

// The last line above that is not blank, without its indentation.
std::string_view line_above(const Document& document, std::size_t offset) {
  std::string_view before = std::string_view(document.text()).substr(0, offset);
  before.remove_suffix(line_before(document, offset).size());
  const std::size_t end = before.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return {};
  before = before.substr(0, end + 1);
  const std::size_t newline = before.rfind('\n');
  return trimmed(newline == std::string_view::npos ? before : before.substr(newline + 1));
}

}  // namespace

std::int64_t OfferedCompletions::add(Offer offer) {
  offer.id = ++last_id_;
  offers_.push_back(std::move(offer));
  std::size_t bytes = 0;
  for (const Offer& each : offers_) bytes += each.document->text().size();
  while (offers_.size() > kOffers || (offers_.size() > 1 && bytes > kMaxBytes)) {
    bytes -= offers_.front().document->text().size();
    offers_.pop_front();
  }
  return last_id_;
}

const OfferedCompletions::Offer* OfferedCompletions::find(std::int64_t id) const {
  const auto found = std::ranges::find(offers_, id, &Offer::id);
  return found == offers_.end() ? nullptr : &*found;
}

void OfferedCompletions::reject(const Offer& offer) {
  const std::string begin(line_before(*offer.document, offer.range.begin));
  const std::string above(line_above(*offer.document, offer.range.begin));
  for (const std::string& text : offer.texts) {
    rejected_.push_back({offer.document->uri(), above, begin, text});
    if (rejected_.size() > kRejected) rejected_.pop_front();
  }
}

bool OfferedCompletions::is_rejected(const Document& document, ByteRange range,
                                     std::string_view text) const {
  std::string line(line_before(document, range.begin));
  const std::string_view above = line_above(document, range.begin);
  const std::size_t begin = line.size();
  line += text;
  return std::ranges::any_of(rejected_, [&](const Rejected& each) {
    return each.uri == document.uri() && each.above == above && begin >= each.begin.size() &&
           line == each.begin + each.text;
  });
}

}  // namespace redraft::lsp
