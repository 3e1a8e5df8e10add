#include "workspace/edit/edit_retry.h"

#include <algorithm>
#include <utility>

#include "workspace/edit/fenced_output.h"
#include "workspace/edit/known_name.h"

namespace redraft {
namespace {

// How many tokens at the beginning of the answer are code: those before the closing fence.
std::size_t count_code(const Tokenizer& tokenizer, const FirstAnswer& answer) {
  FencedOutput output(answer.fence);
  std::size_t count = 0;
  for (std::size_t i = 0; i < answer.tokens.size(); ++i)
    if (!output.add(tokenizer.bytes(answer.tokens[i])).empty()) count = i + 1;
  return output.end().empty() ? count : answer.tokens.size();
}

// Where the answer can branch, the least certain token first. Excludes branches that would only end
// the code earlier or later, or spell the same text with other tokens.
std::vector<std::size_t> possible_branches(const Tokenizer& tokenizer, const FirstAnswer& answer,
                                           const std::vector<Engine::Alternative>& alternatives) {
  const std::string text = tokenizer.decode(answer.tokens);
  // An answer that deletes all lines consists of the closing fence: its first token counts.
  const std::size_t n_code = std::max(count_code(tokenizer, answer), std::size_t{1});
  std::vector<std::size_t> places;
  std::string_view rest = text;
  for (std::size_t i = 0; i < std::min(n_code, answer.tokens.size()); ++i) {
    const TokenId other = alternatives[i].token;
    const bool ends = std::ranges::find(answer.stop_tokens, other) != answer.stop_tokens.end();
    if (!ends && !rest.starts_with(tokenizer.bytes(other))) places.push_back(i);
    rest.remove_prefix(std::min(tokenizer.bytes(answer.tokens[i]).size(), rest.size()));
  }
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return alternatives[i].margin; });
  return places;
}

// How many bytes of the region, with "\n" endings, precede an offset of the document.
std::size_t bytes_before(const EditRegion& region, std::size_t offset) {
  const LineIndex& lines = region.document().lines();
  const int first = lines.line_of(region.range().begin);
  const int line = lines.line_of(offset);
  std::size_t bytes = offset - lines.start(line);
  for (int i = first; i < line; ++i)
    bytes += region.lines()[static_cast<std::size_t>(i - first)].size() + 1;
  return bytes;
}

}  // namespace

Result<Cancellable<Branch>> branch_of_retry(
    Engine& engine, const FirstAnswer& answer, int retry_index,
    const std::function<void(const DecodeStatistics&)>& on_pass, const std::stop_token& stop) {
  const auto alternatives = engine.alternatives(answer.prompt, answer.tokens, on_pass, stop);
  if (!alternatives) return Cancellable<Branch>::cancelled();
  const std::vector<std::size_t> places =
      possible_branches(engine.tokenizer(), answer, *alternatives);
  const auto which = static_cast<std::size_t>(retry_index) - 1;
  if (which >= places.size()) {
    return Error(places.empty()
                     ? "there are no other tries"
                     : "there are no more than " + std::to_string(places.size()) + " other tries");
  }
  const std::size_t at = places[which];
  return Cancellable(Branch{at, {(*alternatives)[at].token}});
}

Result<Cancellable<Branch>> branch_at_name(Engine& engine, const FirstAnswer& answer,
                                           const EditRegion& region, const UnknownNamePlace& name,
                                           const std::stop_token& stop) {
  const Tokenizer& tokenizer = engine.tokenizer();
  std::size_t left = bytes_before(region, name.place.begin);
  std::size_t at = 0;
  for (; at < answer.tokens.size() && left >= tokenizer.bytes(answer.tokens[at]).size(); ++at)
    left -= tokenizer.bytes(answer.tokens[at]).size();
  const Error none("none of the known names is likely here");
  if (at == answer.tokens.size()) return none;
  std::vector<TokenId> context = answer.prompt;
  context.insert(context.end(), answer.tokens.begin(),
                 answer.tokens.begin() + static_cast<std::ptrdiff_t>(at));
  const std::string_view unknown =
      std::string_view(region.document().text()).substr(name.place.begin, name.place.size());
  std::vector<TokenId> tokens = write_known_name(engine, std::move(context),
                                                 tokenizer.bytes(answer.tokens[at]).substr(0, left),
                                                 name.known, unknown, stop);
  if (stop.stop_requested()) return Cancellable<Branch>::cancelled();
  if (tokens.empty()) return none;
  return Cancellable(Branch{at, std::move(tokens)});
}

}  // namespace redraft
