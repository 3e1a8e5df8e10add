#include "remote/remote_engine.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "remote/completions_api.h"
#include "remote/remote_decoder.h"
#include "remote/remote_prompt.h"

namespace redraft {
namespace {

// A token of code has more bytes than this on average, so a prompt planned with this number fits.
constexpr int kBytesPerToken = 3;
constexpr int kMinContext = 512;
constexpr int kMaxContextBytes = 1 << 20;
constexpr std::size_t kMaxListBytes = std::size_t{4} << 20;  // of the server's models

// Knows no predictions and has nothing to read ahead, keep or measure: all of that is on the
// server.
class RemoteEngine final : public Engine {
 public:
  RemoteEngine(EngineInfo info, const std::shared_ptr<const Tokenizer>& vocabulary,
               const RemoteModelInfo& model, std::shared_ptr<Exchange> exchange, int patience_ms)
      : Engine(std::move(info), vocabulary),
        decoder_(model, vocabulary, std::move(exchange), patience_ms) {}

  int known_tokens(std::span<const TokenId> prompt, const std::stop_token& /*stop*/) override {
    return static_cast<int>(prompt.size());
  }
  std::vector<TokenId> likeliest(std::span<const TokenId> /*context*/, int /*count*/) override {
    return {};
  }
  std::optional<std::vector<Alternative>> alternatives(
      std::span<const TokenId> /*prompt*/, std::span<const TokenId> output,
      const std::function<void(const DecodeStatistics&)>& /*on_pass*/,
      const std::stop_token& /*stop*/) override {
    return std::vector<Alternative>(output.size(), {-1, std::numeric_limits<float>::infinity()});
  }

 private:
  // A server reads thousands of tokens per second.
  PromptSize choose_prompt_size() override { return PromptSize::kHuge; }
  Result<DecodeResult> run(Purpose purpose, const DecoderName& name, const DecodeRequest& request,
                           const TokenSink& sink, std::stop_token stop,
                           Remembering /*remembering*/) override {
    return run_observed(decoder_, purpose, name, request, sink, std::move(stop));
  }
  bool read_prompts(std::span<const std::vector<TokenId>> prompts, int /*limit*/,
                    const OnChunk& /*on_chunk*/, const std::stop_token& /*stop*/) override {
    return std::ranges::all_of(prompts, [this](const auto& prompt) { return fits(prompt); });
  }

  RemoteDecoder decoder_;
};

// The body of the server's answer.
Result<std::string> ask_for_models(Exchange& exchange, const std::stop_token& stop) {
  std::string list;
  const auto take = [&](std::string_view bytes) {
    list += bytes;
    return list.size() <= kMaxListBytes;
  };
  const Result<ExchangeEnd> end =
      exchange.run({.method = "GET", .path = "/v1/models", .body = {}}, take, stop);
  if (!end) return end.error();
  if (end->status == 401 || end->status == 403)
    return Error("the server requires a key or rejected this one (" + std::to_string(end->status) +
                 "). Set REDRAFT_REMOTE_KEY, or write the key to the file remote-key in redraft's "
                 "configuration folder");
  if (end->status / 100 != 2)
    return Error("the server did not list its models (" + std::to_string(end->status) +
                 "): " + reason_of_refusal(*end));
  return list;
}

}  // namespace

Result<std::vector<RemoteModelInfo>> list_remote_models(Exchange& exchange,
                                                        const std::stop_token& stop) {
  const Result<std::string> list = ask_for_models(exchange, stop);
  return list ? read_model_list(*list) : list.error();
}

Result<std::unique_ptr<Engine>> make_remote_engine(const RemoteOptions& options,
                                                   std::shared_ptr<Exchange> exchange,
                                                   const LoadControl& control) {
  const Result<std::string> list = ask_for_models(*exchange, control.stop);
  if (!list) return list.error().in(options.server);
  const Result<RemoteModelInfo> info = read_models(*list, options.model);
  if (!info) return info.error().in(options.server);
  const int tokens = std::max(info->context_length.value_or(kUsualContext), kMinContext);
  const int bytes = std::min(tokens, kMaxContextBytes / kBytesPerToken) * kBytesPerToken;
  const std::shared_ptr<const Tokenizer> vocabulary = remote_vocabulary(info->fills);
  EngineInfo engine{
      .target_name = shown_line(info->name),
      .device = Device::server(options.server),
      .context_length = bytes,
      .tokens_per_subword = kBytesPerToken,
      .reports_probabilities = false,
      .reads_indexes = false,
      .own_decoder = OwnDecoder{
          .name = "remote",
          .reason = "The server at " + options.server +
                    " writes the text; redraft does not compare it with plain decoding."}};
  return std::unique_ptr<Engine>(std::make_unique<RemoteEngine>(
      std::move(engine), vocabulary, *info, std::move(exchange), options.patience_ms));
}

}  // namespace redraft
