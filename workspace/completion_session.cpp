#include "workspace/completion_session.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "decoding/text/chat_template.h"
#include "indexing/file_kind.h"
#include "workspace/completion_prompt.h"
#include "workspace/completion_shape.h"
#include "workspace/snippets.h"

namespace redraft {
namespace {

constexpr std::size_t kPrefixBytes = 6000;  // about 1,700 tokens
constexpr std::size_t kSuffixBytes = 240;   // about 64: they are read again after each keystroke
// The prefix begins at a line whose number is a multiple of this.
constexpr int kWindowStep = 64;

bool within_character(const std::string& text, std::size_t offset) {
  return offset < text.size() && (static_cast<unsigned char>(text[offset]) & 0xC0) == 0x80;
}

std::string_view part(const std::string& text, const ByteRange& range) {
  return std::string_view(text).substr(range.begin, range.size());
}

std::string shown_name(const std::string& file, const std::filesystem::path& root) {
  if (root.empty()) return file;
  const std::filesystem::path relative = std::filesystem::path(file).lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

Result<DecodeRequest> decode_request(Engine& engine, const CompletionRequest& request) {
  const Document& document = *request.document;
  const Tokenizer& tokenizer = engine.tokenizer();
  std::vector<Snippet> snippets;
  if (request.repository && request.snippet_tokens > 0) {
    snippets = find_snippets(*request.repository, tokenizer,
                             {.text = document.text(),
                              .offset = request.offset,
                              .tree = document.syntax(),
                              .most_tokens = request.snippet_tokens});
    for (Snippet& snippet : snippets) snippet.file = shown_name(snippet.file, request.root);
  }
  const CompletionWindow window = completion_window(document, request.offset);
  const Result<std::vector<PromptPart>> parts =
      completion_prompt(tokenizer, {.file = shown_name(document.uri(), request.root),
                                    .prefix = part(document.text(), window.prefix),
                                    .suffix = part(document.text(), window.suffix),
                                    .snippets = snippets});
  if (!parts) return parts.error();
  Result<std::vector<TokenId>> tokens = engine.prompt_encoder(Purpose::kCompletion).encode(*parts);
  if (!tokens) return tokens.error();
  const int room = engine.context_length() - static_cast<int>(tokens->size());
  if (room < 1) return Error("the model's context is too short to complete anything");
  DecodeRequest decode;
  decode.prompt = std::move(*tokens);
  decode.stop_tokens = completion_ends(tokenizer);
  std::ranges::copy(end_of_turn_tokens(tokenizer), std::back_inserter(decode.stop_tokens));
  if (tokenizer.end_of_text() >= 0) decode.stop_tokens.push_back(tokenizer.end_of_text());
  decode.max_new_tokens = std::min(request.max_new_tokens, room);
  decode.open_files = engine.open_files(request.beside);
  decode.repository = request.repository;
  decode.common = request.common;
  return decode;
}

}  // namespace

CompletionWindow completion_window(const Document& document, std::size_t offset) {
  const LineIndex& lines = document.lines();
  const std::string& text = document.text();
  const int line = lines.line_of(offset);
  CompletionWindow window{{0, offset}, {offset, text.size()}};
  int first = 0;
  while (offset - lines.start(first) > kPrefixBytes && first + kWindowStep <= line)
    first += kWindowStep;
  window.prefix.begin = lines.start(first);
  if (window.prefix.size() > 2 * kPrefixBytes) {  // lines of great length
    window.prefix.begin = offset - kPrefixBytes;
    while (within_character(text, window.prefix.begin)) ++window.prefix.begin;
  }
  if (window.suffix.size() > kSuffixBytes) {
    window.suffix.end = offset + kSuffixBytes;
    const std::size_t newline = text.rfind('\n', window.suffix.end - 1);
    if (newline != std::string::npos && newline > offset) window.suffix.end = newline + 1;
    while (within_character(text, window.suffix.end)) --window.suffix.end;
  }
  return window;
}

Result<CompletionResult> run_completion(Engine& engine, const CompletionRequest& request,
                                        const std::stop_token& stop) {
  const std::string& text = request.document->text();
  if (request.offset > text.size() || within_character(text, request.offset))
    return Error("the place to complete is not one of the text");
  const Result<DecodeRequest> decode = decode_request(engine, request);
  if (!decode) return decode.error().in("completion");
  const std::string_view suffix = std::string_view(text).substr(request.offset);
  const std::string language = request.document->language_id().empty()
                                   ? std::string(language_of(request.document->uri()))
                                   : request.document->language_id();
  CompletionLimit limit(completion_shape(text, request.offset, language), suffix);
  const Tokenizer& tokenizer = engine.tokenizer();
  bool limited = false;
  const auto sink = [&](TokenId token) {
    limited = !limit.add(tokenizer.bytes(token));
    return !limited;
  };
  Result<DecodeResult> decoded =
      engine.decode(Purpose::kCompletion, request.decoder, *decode, sink, stop);
  if (!decoded) return decoded.error();
  if (decoded->finish_reason == FinishReason::kStop) limit.finish();
  CompletionResult result;
  result.output = limit.text();
  result.text = trimmed_completion(limit.text(), suffix);
  result.finish_reason = limited ? FinishReason::kStop : decoded->finish_reason;
  result.statistics = std::move(decoded->statistics);
  return result;
}

}  // namespace redraft
