#include "workspace/completion/completion_context.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "support/utf8/utf8.h"
#include "workspace/completion/open_definitions.h"

namespace redraft {
namespace {

// From this many tokens on, other files get a quarter of them.
constexpr int kPlenty = 1024;
constexpr std::size_t kBytesPerToken = 3;
// At most this many tokens after the cursor are read again after each keystroke.
constexpr std::size_t kRereadTokens = 80;
// Snippets are searched again when the cursor has moved by this many lines.
constexpr int kSteadyLines = 40;
}  // namespace

CompletionBudget completion_budget(PromptSize size, int context_tokens, int most) {
  const int wanted = context_tokens > 0 ? context_tokens : prompt_limits(size).completion;
  const int tokens = std::min(wanted, most);
  CompletionBudget budget;
  if (tokens >= kPlenty) budget.snippet_tokens = static_cast<std::size_t>(tokens) / 4;
  const std::size_t text_tokens =
      static_cast<std::size_t>(std::max(tokens, 1)) - budget.snippet_tokens;
  const std::size_t suffix_tokens = std::min(kRereadTokens, text_tokens / 4);
  budget.suffix_bytes = kBytesPerToken * suffix_tokens;
  budget.prefix_bytes = kBytesPerToken * (text_tokens - suffix_tokens);
  return budget;
}

CompletionBudget completion_budget(const Engine& engine, PromptSize size, int context_tokens,
                                   int new_tokens) {
  const int unit = engine.tokens_per_subword();
  const int context = engine.context_length() / unit;
  CompletionBudget budget =
      completion_budget(size, context_tokens, std::max(context - new_tokens, 1));
  budget.snippet_tokens *= static_cast<std::size_t>(unit);
  return budget;
}

CompletionWindow completion_window(const Document& document, std::size_t offset,
                                   const CompletionBudget& budget) {
  const LineIndex& lines = document.lines();
  const std::string& text = document.text();
  CompletionWindow window{{0, offset}, {offset, text.size()}};
  if (offset > budget.prefix_bytes) {
    const std::size_t step = std::max<std::size_t>(budget.prefix_bytes / 2, 1);
    const std::size_t least = offset - budget.prefix_bytes;
    const std::size_t begin = (least + step - 1) / step * step;
    const int line = lines.line_of(begin);
    window.prefix.begin = lines.start(line) == begin ? begin : lines.start(line + 1);
    if (window.prefix.begin > offset) {  // a very long line
      window.prefix.begin = begin;
      while (is_within_character(text, window.prefix.begin)) ++window.prefix.begin;
    }
  }
  if (window.suffix.size() > budget.suffix_bytes) {
    window.suffix.end = offset + budget.suffix_bytes;
    const std::size_t newline = text.rfind('\n', window.suffix.end - 1);
    if (newline != std::string::npos && newline > offset) window.suffix.end = newline + 1;
    while (is_within_character(text, window.suffix.end)) --window.suffix.end;
  }
  return window;
}

std::string_view line_ending_at(const Document& document, std::size_t offset) {
  const LineIndex& lines = document.lines();
  for (int line = lines.line_of(offset); line >= 0; --line) {
    const std::size_t end = lines.content_end(line);
    const std::size_t next = lines.start(line + 1);
    if (next > end) return std::string_view(document.text()).substr(end, next - end);
  }
  return "\n";
}

namespace {

std::vector<std::string> uris_of(const std::vector<std::shared_ptr<const Document>>& documents) {
  std::vector<std::string> uris;
  for (const auto& document : documents) uris.push_back(document->uri());
  std::ranges::sort(uris);
  return uris;
}

}  // namespace

bool SteadySnippets::shows(const Snippet& snippet) const {
  return std::ranges::any_of(snippets_, [&](const Snippet& shown) {
    return shown.file == snippet.file && shown.text.find(snippet.text) != std::string::npos;
  });
}

std::shared_ptr<const SnippetPlace> steady_place(const std::shared_ptr<const SnippetPlace>& last,
                                                 SnippetPlace now) {
  const auto line_of = [](const SnippetPlace& place) {
    return place.document->lines().line_of(place.offset);
  };
  const bool is_steady = last && last->document->uri() == now.document->uri() &&
                         std::abs(line_of(now) - line_of(*last)) <= kSteadyLines &&
                         uris_of(last->open) == uris_of(now.open);
  return is_steady ? last : std::make_shared<const SnippetPlace>(std::move(now));
}

const std::vector<Snippet>& SteadySnippets::at(const std::shared_ptr<const SnippetPlace>& place,
                                               const IndexSnapshot* index, std::size_t max_tokens,
                                               const Tokenizer& tokenizer) {
  if (place == place_ && max_tokens == max_tokens_ && (index != nullptr) == had_index_)
    return snippets_;
  place_ = place;
  max_tokens_ = max_tokens;
  had_index_ = index != nullptr;
  snippets_.clear();
  std::size_t left = max_tokens;
  for (Snippet snippet : place->recent) {
    snippet.tokens = tokenizer.encode(snippet.text).size();
    if (snippet.tokens > left / 2) continue;  // at most half of the remaining tokens
    left -= snippet.tokens;
    snippets_.insert(snippets_.begin(), std::move(snippet));
  }
  if (left > 0) {
    const Document& document = *place->document;
    const SnippetQuery wanted{.text = document.text(),
                              .offset = place->offset,
                              .tree = document.syntax(),
                              .max_tokens = left};
    std::vector<Snippet> found = index != nullptr
                                     ? find_snippets(*index, tokenizer, wanted)
                                     : open_definitions(place->open, tokenizer, wanted);
    std::erase_if(found, [this](const Snippet& snippet) { return shows(snippet); });
    snippets_.insert(snippets_.begin(), std::make_move_iterator(found.begin()),
                     std::make_move_iterator(found.end()));
  }
  return snippets_;
}

}  // namespace redraft
