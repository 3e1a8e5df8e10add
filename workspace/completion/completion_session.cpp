#include "workspace/completion/completion_session.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "languages/languages.h"
#include "support/trace/trace.h"
#include "support/utf8/utf8.h"
#include "text/chat_template.h"
#include "workspace/completion/completion_prompt.h"
#include "workspace/completion/shown_text.h"
#include "workspace/documents/line_endings.h"

namespace redraft {
namespace {

constexpr const char* kUnsure = "the model is not sure enough of what comes here";

std::string shown_name(const std::string& file, const std::filesystem::path& root) {
  if (root.empty()) return file;
  const std::filesystem::path relative = std::filesystem::path(file).lexically_relative(root);
  return relative.empty() || *relative.begin() == ".." ? file : relative.string();
}

const std::string& file_of(const CompletionRequest& request) {
  return request.file.empty() ? request.document->uri() : request.file;
}

// The text around the cursor, as the model reads it.
struct Surroundings {
  std::string prefix, suffix;
};

Surroundings surroundings(const CompletionRequest& request, const CompletionWindow& window) {
  const std::string_view text = request.document->text();
  return {with_newlines(text.substr(window.prefix.begin, window.prefix.size())),
          with_newlines(text.substr(window.suffix.begin, window.suffix.size()))};
}

std::string language(const CompletionRequest& request) {
  const std::string& id = request.document->language_id();
  return id.empty() ? std::string(language_of(request.document->uri())) : id;
}

// Writes one text at the cursor, from its first token on.
class Writing {
 public:
  Writing(Engine& engine, const CompletionRequest& request)
      : engine_(engine),
        request_(request),
        before_(
            with_newlines(std::string_view(request.document->text()).substr(0, request.offset))),
        after_(with_newlines(std::string_view(request.document->text()).substr(request.offset))),
        shape_(completion_shape(request)),
        ending_(line_ending_at(*request.document, request.offset)) {}

  struct WrittenText {
    std::string output, text;
    FinishReason finish_reason = FinishReason::kStop;
    DecodeStatistics statistics;
    bool gated = false;
  };

  // `first` (-1: none) counts as written; the prompt ends with it.
  Result<WrittenText> write(const DecodeRequest& decode, TokenId first, const std::stop_token& stop,
                            const std::function<void(std::string_view)>& on_text) const {
    DecodeRequest told = decode;
    const bool gated = gate(told);
    ShownText shown(shape_, {before_, after_}, gated ? request_.min_probability : 0);
    const Tokenizer& tokenizer = engine_.tokenizer();
    bool limited = first >= 0 && !shown.add(tokenizer.bytes(first), 0);
    double log_probability = 0;  // of the token that the sink is about to take
    const auto sink = [&](TokenId token) {
      limited = !shown.add(tokenizer.bytes(token), log_probability);
      return !limited;
    };
    if (gated) {
      told.on_emitted = [&](const EmittedToken& token) {
        log_probability = token.log_probability->log_probability;
      };
    }
    if (on_text) {
      told.on_progress = [&](const DecodeStatistics&) { on_text(in_document(shown.written())); };
    }
    WrittenText written;
    if (!limited) {
      Result<DecodeResult> decoded = engine_.decode(Purpose::kCompletion, request_.decoder, told,
                                                    sink, stop, request_.remembering);
      if (!decoded) return decoded.error();
      if (decoded->finish_reason == FinishReason::kStop) shown.finish();
      written.finish_reason = limited ? FinishReason::kStop : decoded->finish_reason;
      written.statistics = decoded->statistics;
    }
    written.output = shown.written();
    written.gated = shown.is_gated();
    written.text = in_document(shown.text(written.finish_reason == FinishReason::kLength));
    return written;
  }

 private:
  // Requests the probabilities that the gate needs. False: there is no gate, because it is switched
  // off or the decoder does not report probabilities.
  bool gate(DecodeRequest& decode) const {
    const bool told = request_.decoder.lossless() && engine_.reports_probabilities();
    if (request_.min_probability <= 0 || !told) return false;
    decode.log_probabilities = 0;
    return true;
  }

  // With the document's line endings, up to the first bytes that are not valid text.
  std::string in_document(std::string_view text) const {
    text = text.substr(0, std::min(text.find('\0'), text.size()));
    text = text.substr(0, first_invalid_utf8(text).value_or(text.size()));
    std::string result;
    for (const char c : text) {
      if (c == '\n') {
        result += ending_;
      } else {
        result += c;
      }
    }
    return result;
  }

  Engine& engine_;
  const CompletionRequest& request_;
  std::string before_, after_;
  CompletionShape shape_;
  std::string_view ending_;
};

// Adds other texts, each beginning with a different one of the likeliest first tokens.
Result<void> add_alternatives(Engine& engine, const Writing& writing, const DecodeRequest& decode,
                              int wanted, const std::stop_token& stop,
                              std::vector<std::string>& texts) {
  const std::vector<TokenId> firsts = engine.likeliest(decode.prompt, wanted);
  for (std::size_t i = 1; i < firsts.size() && !stop.stop_requested(); ++i) {
    if (std::ranges::find(decode.stop_tokens, firsts[i]) != decode.stop_tokens.end()) continue;
    DecodeRequest other = decode;
    other.prompt.push_back(firsts[i]);
    if (--other.max_new_tokens < 1) break;
    const Result<Writing::WrittenText> written = writing.write(other, firsts[i], stop, {});
    if (!written) return written.error();
    const bool complete = written->finish_reason != FinishReason::kCancelled;
    if (complete && !written->text.empty() &&
        std::ranges::find(texts, written->text) == texts.end())
      texts.push_back(written->text);
  }
  return {};
}

bool is_off_here(const CompletionRequest& request) {
  const SyntaxTree* tree = request.in_comments ? nullptr : request.document->syntax();
  return tree != nullptr && tree->in_comment(request.offset);
}

}  // namespace

CompletionShape completion_shape(const CompletionRequest& request) {
  return completion_shape(request.document->text(), request.offset, language(request),
                          request.blocks);
}

Result<DecodeRequest> completion_decode(Engine& engine, const CompletionRequest& request) {
  const Span span("prompt");
  const Tokenizer& tokenizer = engine.tokenizer();
  const CompletionBudget budget = completion_budget(engine, engine.prompt_size(request.prompt_size),
                                                    request.context_tokens, request.max_new_tokens);
  SteadySnippets own;
  SteadySnippets& steady = request.snippets ? *request.snippets : own;
  std::vector<Snippet> snippets;
  if (budget.snippet_tokens > 0) {
    const IndexSnapshot* index = engine.reads_indexes() ? request.repository.get() : nullptr;
    const auto place = request.snippet_place
                           ? request.snippet_place
                           : std::make_shared<const SnippetPlace>(request.place());
    snippets = steady.at(place, index, budget.snippet_tokens, tokenizer);
    for (Snippet& snippet : snippets) snippet.file = shown_name(snippet.file, request.root);
  }
  const CompletionWindow window = completion_window(*request.document, request.offset, budget);
  const Surroundings around = surroundings(request, window);
  const std::string names = engine.target_names();
  const Result<std::vector<PromptPart>> parts =
      completion_prompt(tokenizer, {.file = shown_name(file_of(request), request.root),
                                    .prefix = around.prefix,
                                    .suffix = around.suffix,
                                    .snippets = snippets,
                                    .model = names});
  if (!parts) return parts.error();
  Result<std::vector<TokenId>> tokens = engine.prompt_encoder(Purpose::kCompletion).encode(*parts);
  if (!tokens) return tokens.error();
  const int room = engine.context_length() - static_cast<int>(tokens->size());
  if (room < 1)
    return Error("the model's context is too short for a completion; raise the context length");
  DecodeRequest decode;
  decode.prompt = std::move(*tokens);
  // There is no original: the text after the cursor is what the model is least likely to begin
  // with, and a draft of it would spend the drafts' loss budget on the first pass. It can be copied
  // from, like the rest of the file.
  decode.stop_tokens = completion_ends(tokenizer, names);
  std::ranges::copy(end_of_turn_tokens(tokenizer), std::back_inserter(decode.stop_tokens));
  if (tokenizer.end_of_text() >= 0) decode.stop_tokens.push_back(tokenizer.end_of_text());
  decode.max_new_tokens = std::min(request.max_new_tokens, room);
  decode.rest_of_file = engine.rest_of_file(Purpose::kCompletion, *request.document,
                                            {window.prefix.begin, window.suffix.end});
  decode.open_files = engine.open_files(request.beside);
  decode.repository = request.repository;
  decode.common = request.common;
  return decode;
}

Result<CompletionResult> run_completion(Engine& engine, const CompletionRequest& request,
                                        const std::stop_token& stop) {
  const std::string& text = request.document->text();
  if (request.offset > text.size() || is_within_character(text, request.offset))
    return Error("the offset of the completion is outside the text or inside a character");
  if (is_off_here(request))
    return CompletionResult{.texts = {}, .why_none = "completion is off within comments"};
  const Result<DecodeRequest> decode = completion_decode(engine, request);
  if (!decode) return decode.error().in("completion");
  const Writing writing(engine, request);
  Result<Writing::WrittenText> first = writing.write(*decode, -1, stop, request.on_text);
  if (!first) return first.error();
  CompletionResult result;
  result.finish_reason = first->finish_reason;
  result.output = std::move(first->output);
  result.statistics = first->statistics;
  result.prompt_size = engine.prompt_size(request.prompt_size);
  if (result.finish_reason == FinishReason::kCancelled) return result;
  if (!first->text.empty()) result.texts.push_back(std::move(first->text));
  if (request.alternatives > 1) {
    const Result<void> added =
        add_alternatives(engine, writing, *decode, request.alternatives, stop, result.texts);
    if (!added) return added.error();
  }
  if (result.texts.empty()) {
    result.is_unsure = first->gated;
    result.why_none = first->gated ? kUnsure
                      : result.output.empty()
                          ? "the model has nothing to add here"
                          : "the text after the cursor already has what the model wrote";
  }
  return result;
}

Result<void> read_completion_ahead(Engine& engine, const CompletionRequest& request,
                                   const std::function<void(int known)>& on_chunk,
                                   const std::stop_token& stop) {
  if (is_off_here(request)) return {};
  const Result<DecodeRequest> decode = completion_decode(engine, request);
  if (!decode) return decode.error();
  const int size = static_cast<int>(decode->prompt.size());
  engine.read_ahead(decode->prompt, size, on_chunk, stop);
  return {};
}

}  // namespace redraft
