#include "lsp/status/taken_back.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

namespace redraft::lsp {
namespace {

constexpr auto kSoon = std::chrono::seconds(10);
constexpr std::size_t kMaxWatched = 8;

// An edit that only inserts text: where, and which text. Nothing if the edit is of another kind.
struct Insertion {
  std::size_t offset = 0;
  std::string_view text;
};

std::optional<Insertion> as_insertion(const Document& before, const std::vector<TextEdit>& edits) {
  if (edits.size() != 1) return std::nullopt;
  const auto& [range, new_text] = edits.front();
  const std::string_view old = std::string_view(before.text()).substr(range.begin, range.size());
  if (!new_text.starts_with(old)) return std::nullopt;
  return Insertion{range.end, std::string_view(new_text).substr(old.size())};
}

}  // namespace

// The user may have continued typing after the insertion.
bool TakenBack::Watched::is_made_in(const Document& now) const {
  const std::string_view text = now.text();
  const std::optional<Insertion> put_in = as_insertion(*before, edits);
  if (!put_in) return text == apply_edits(before->text(), edits);
  const std::string_view head = std::string_view(before->text()).substr(0, put_in->offset);
  return text.starts_with(head) && text.substr(head.size()).starts_with(put_in->text);
}

// When the insertion is undone, some text that was typed before it may be gone too, because an
// editor may treat both as one step.
bool TakenBack::Watched::is_undone_in(const Document& now) const {
  const std::string_view text = now.text(), earlier = before->text();
  const std::optional<Insertion> put_in = as_insertion(*before, edits);
  if (!put_in) return text == earlier;
  const std::string_view head = earlier.substr(0, put_in->offset);
  const std::string_view tail = earlier.substr(put_in->offset);
  return text.ends_with(tail) && head.starts_with(text.substr(0, text.size() - tail.size()));
}

void TakenBack::watch(Count count, std::shared_ptr<const Document> before,
                      std::vector<TextEdit> edits, const Document& now) {
  forget_what_is_over();
  watched_.push_back({.count = count,
                      .before = std::move(before),
                      .edits = std::move(edits),
                      .until = now_() + kSoon});
  if (watched_.size() > kMaxWatched) watched_.pop_front();
  Watched& added = watched_.back();
  added.made = added.is_made_in(now);
}

void TakenBack::forget_what_is_over() {
  const Instant time = now_();
  std::erase_if(watched_, [&](const Watched& each) { return time >= each.until; });
}

void TakenBack::changed(const Document& now) {
  if (watched_.empty()) return;
  forget_what_is_over();
  for (Watched& each : watched_) {
    if (each.before->uri() == now.uri()) each.made = each.made || each.is_made_in(now);
  }
  std::erase_if(watched_, [&](const Watched& each) {
    const bool is_undone = each.before->uri() == now.uri() && each.made && each.is_undone_in(now);
    if (is_undone) usage_.count(each.count.event, each.count.times);
    return is_undone;
  });
}

}  // namespace redraft::lsp
