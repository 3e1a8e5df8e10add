#include "workspace/edit/edit_retry.h"

#include <algorithm>
#include <span>
#include <utility>

#include "text/thoughts.h"
#include "workspace/edit/code_answer.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/known_name.h"

namespace redraft {
namespace {

// Which of an answer's tokens are code, [first, last): between a thought and the closing fence.
struct CodeTokens {
  std::size_t first = 0, last = 0;
  std::size_t bytes_before = 0;  // of token `first` before the code
};

CodeTokens code_tokens(const Tokenizer& tokenizer, const FirstAnswer& answer) {
  CodeAnswer code(tokenizer, answer.fence, answer.beginning);
  for (const TokenId token : answer.tokens) code.add(token);
  code.end();
  CodeTokens found;
  if (!code.code_begin()) return found;
  std::size_t left = *code.code_begin();
  for (; left > 0 && found.first < answer.tokens.size(); ++found.first) {
    const std::size_t size = answer_bytes(tokenizer, answer.tokens[found.first]).size();
    if (left < size) break;
    left -= size;
  }
  found.bytes_before = left;
  // CodeAnswer may hold back lines; where they end is certain now.
  FencedOutput lines(code.fence());
  for (std::size_t i = found.first; i < answer.tokens.size(); ++i) {
    if (!lines.add(answer_bytes(tokenizer, answer.tokens[i]).substr(left)).empty())
      found.last = i + 1;
    left = 0;
  }
  if (!lines.end().empty()) found.last = answer.tokens.size();
  return found;
}

std::string text_of(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::string text;
  for (const TokenId token : tokens) text += answer_bytes(tokenizer, token);
  return text;
}

// Where the answer can branch, the least certain token first. Excludes branches that would only end
// the code earlier or later, or spell the same text with other tokens.
std::vector<std::size_t> possible_branches(const Tokenizer& tokenizer, const FirstAnswer& answer,
                                           const std::vector<Engine::Alternative>& alternatives) {
  const CodeTokens code = code_tokens(tokenizer, answer);
  const std::string text = text_of(tokenizer, std::span(answer.tokens).subspan(code.first));
  // An answer that deletes all lines consists of the closing fence: its first token counts.
  const std::size_t last = std::max(code.last, code.first + 1);
  std::vector<std::size_t> places;
  std::string_view rest = text;
  for (std::size_t i = code.first; i < std::min(last, answer.tokens.size()); ++i) {
    const TokenId other = alternatives[i].token;
    const bool ends = std::ranges::find(answer.stop_tokens, other) != answer.stop_tokens.end();
    if (!ends && !rest.starts_with(answer_bytes(tokenizer, other))) places.push_back(i);
    rest.remove_prefix(std::min(answer_bytes(tokenizer, answer.tokens[i]).size(), rest.size()));
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
  const CodeTokens code = code_tokens(tokenizer, answer);
  std::size_t left = bytes_before(region, name.place.begin) + code.bytes_before;
  std::size_t at = code.first;
  for (; at < answer.tokens.size(); ++at) {
    const std::size_t size = answer_bytes(tokenizer, answer.tokens[at]).size();
    if (left < size) break;
    left -= size;
  }
  const Error none("none of the known names is likely here");
  if (at == answer.tokens.size()) return none;
  std::vector<TokenId> context = answer.prompt;
  context.insert(context.end(), answer.tokens.begin(),
                 answer.tokens.begin() + static_cast<std::ptrdiff_t>(at));
  const std::string_view unknown =
      std::string_view(region.document().text()).substr(name.place.begin, name.place.size());
  const std::string_view written = answer_bytes(tokenizer, answer.tokens[at]);
  std::vector<TokenId> tokens = write_known_name(
      engine, std::move(context), written.substr(0, left), name.known, unknown, stop);
  if (stop.stop_requested()) return Cancellable<Branch>::cancelled();
  if (tokens.empty()) return none;
  return Cancellable(Branch{at, std::move(tokens)});
}

}  // namespace redraft
