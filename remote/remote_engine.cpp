#include "remote/remote_engine.h"

#include <algorithm>
#include <utility>

#include "decoding/model_failure.h"
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

// Has a vocabulary and a context length; everything else is on the server.
class RemoteModel final : public LanguageModel {
 public:
  RemoteModel(std::string name, int vocabulary, int context)
      : name_(std::move(name)), vocabulary_(vocabulary), context_(context) {}
  std::string name() const override { return name_; }
  int vocabulary_size() const override { return vocabulary_; }
  int context_length() const override { return context_; }
  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    return std::make_unique<KvCache>(capacity, nullptr);
  }
  Predictions forward(std::span<const TokenId> /*context*/, const DraftTree& /*draft*/,
                      KvCache& /*cache*/, const PredictionNeeds& /*needs*/) override {
    throw ModelFailure("a remote model returns text, not predictions");
  }

 private:
  std::string name_;
  int vocabulary_;
  int context_;
};

// Tokens are bytes here. A server reads thousands of tokens per second and writes some dozens; the
// rows are bytes that are read.
CostCurve guessed_cost() { return CostCurve({{1, 0.006}, {64, 0.009}, {1024, 0.06}}); }

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
  const std::string name = shown_line(info->name);
  Engine::Model target{
      .name = name,
      .model = std::make_unique<RemoteModel>(name, vocabulary->vocabulary_size(), bytes),
      .tokenizer = vocabulary,
      .find_cost = [](LanguageModel&) { return guessed_cost(); },
      .device = Device::server(options.server)};
  target.elsewhere =
      std::make_shared<RemoteDecoder>(*info, vocabulary, std::move(exchange), options.patience_ms);
  return Engine::make(std::move(target), {}, {.context_limit = bytes, .notice = control.notice});
}

}  // namespace redraft
