#include "workspace/engine/engine.h"

#include <cstddef>
#include <utility>

#include "support/trace/trace.h"
#include "workspace/documents/line_endings.h"

namespace redraft {
namespace {

// No more than this of open documents is encoded: a megabyte takes 16 ms, while an edit waits.
constexpr std::size_t kMaxOpenBytes = std::size_t{1} << 20;

}  // namespace

Engine::Engine(EngineInfo info, std::shared_ptr<const Tokenizer> tokenizer)
    : info_(std::move(info)),
      tokenizer_(std::move(tokenizer)),
      prompt_encoders_(
          PerPurpose<PromptEncoder>::made_by([this] { return PromptEncoder(*tokenizer_); })) {}

PromptSize Engine::prompt_size(std::optional<PromptSize> named) {
  if (named) return *named;
  if (!prompt_size_) prompt_size_ = choose_prompt_size();
  return *prompt_size_;
}

std::shared_ptr<const std::vector<std::vector<TokenId>>> Engine::open_files(
    const std::vector<std::shared_ptr<const Document>>& documents) {
  if (documents == open_documents_) return open_files_;
  std::vector<std::vector<TokenId>> files;
  std::size_t bytes = 0;
  for (const auto& document : documents) {
    bytes += document->text().size();
    if (bytes > kMaxOpenBytes) break;
    files.push_back(tokenizer_->encode(with_newlines(document->text())));
  }
  open_documents_ = documents;
  open_files_ = std::make_shared<const std::vector<std::vector<TokenId>>>(std::move(files));
  return open_files_;
}

std::shared_ptr<const std::vector<std::vector<TokenId>>> Engine::rest_of_file(
    Purpose purpose, const Document& document, ByteRange shown) {
  const Span span("rest of file");
  return rests_[purpose].of(document, shown, *tokenizer_);
}

Result<DecodeResult> Engine::decode(Purpose purpose, const DecoderName& name,
                                    const DecodeRequest& request, const TokenSink& sink,
                                    std::stop_token stop, Remembering remembering) {
  const int n_prompt = static_cast<int>(request.prompt.size());
  if (n_prompt >= context_length()) {
    return Error("the prompt needs " + std::to_string(n_prompt) +
                 " tokens and leaves no room for an answer: the context holds " +
                 std::to_string(context_length()));
  }
  return run(purpose, name, request, sink, std::move(stop), remembering);
}

Result<DecodeResult> Engine::run_observed(Decoder& decoder, Purpose purpose,
                                          const DecoderName& name, DecodeRequest request,
                                          const TokenSink& sink, std::stop_token stop) {
  if (!observer_) return decoder.run(request, sink, std::move(stop));
  if (observer_->on_emitted) {
    request.on_emitted = [this, own = std::move(request.on_emitted)](const EmittedToken& token) {
      observer_->on_emitted(token);
      if (own) own(token);
    };
  }
  observer_->on_begin(purpose, name, request);
  Result<DecodeResult> result = decoder.run(request, sink, std::move(stop));
  if (result) observer_->on_end(*result);
  return result;
}

}  // namespace redraft
