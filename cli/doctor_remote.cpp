#include "cli/doctor_remote.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "cli/common/remote.h"
#include "decoding/model_failure.h"
#include "remote/completions_api.h"
#include "remote/remote_address.h"
#include "remote/remote_engine.h"
#include "text/chat_template.h"
#include "text/prompt_encoder.h"

namespace redraft::cli {
namespace {

constexpr std::size_t kMaxShown = 10;  // of the models

std::string description_of(const RemoteModelInfo& model) {
  std::string text = shown_line(model.name) + ": ";
  text += model.context_length
              ? "a context of " + std::to_string(*model.context_length) + " tokens"
              : "an unknown context, assumed to be " + std::to_string(kUsualContext) + " tokens";
  if (!model.server.empty()) text += ", by " + shown_line(model.server);
  return text + (model.fills ? ", completes at the cursor" : "");
}

std::string descriptions_of(const std::vector<RemoteModelInfo>& models) {
  std::string text;
  for (std::size_t i = 0; i < models.size() && i < kMaxShown; ++i)
    text += (i > 0 ? "\n          " : "") + description_of(models[i]);
  if (models.size() > kMaxShown)
    text += "\n          and " + std::to_string(models.size() - kMaxShown) + " more";
  return text;
}

// The time to the first token. Some servers list models without a key, so this tells whether the
// key is accepted.
Result<double> seconds_to_write(Engine& engine) {
  const auto parts = chat_prompt(engine.tokenizer(), {{"user", "Say yes."}});
  if (!parts) return parts.error();
  Result<std::vector<TokenId>> prompt = encode_prompt(engine.tokenizer(), *parts);
  if (!prompt) return prompt.error();
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return decoder.error();
  DecodeRequest request;
  request.prompt = std::move(*prompt);
  request.max_new_tokens = 1;
  try {
    const Result<DecodeResult> result =
        engine.decode(Purpose::kEdit, *decoder, request, [](TokenId) { return true; }, {});
    if (!result) return result.error();
    return result->statistics.prefill_seconds;
  } catch (const ModelFailure& failure) {
    return Error(failure.what());
  }
}

std::string written_after(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "the first token came after %.2f s", seconds);
  return text;
}

}  // namespace

std::vector<Surrounding> state_of_remote(const CommonOptions& options) {
  std::vector<Surrounding> rows;
  const auto fail = [&](const char* name, const Error& error) {
    rows.push_back({.name = name, .state = error.message(), .sound = false});
    return rows;
  };
  const Result<RemoteAddress> address = parse_remote_address(options.remote);
  if (!address) return fail("remote", address.error().in("--remote"));
  const Result<std::string> key = remote_key();
  if (!key) return fail("key", key.error());
  rows.push_back({.name = "key",
                  .state = key->empty() ? "none: REDRAFT_REMOTE_KEY is not set, and there is no "
                                          "file remote-key in the configuration folder"
                                        : "present; it is sent to the server"});
  const Result<std::shared_ptr<Exchange>> exchange = start_remote(options);
  if (!exchange) return fail("remote", exchange.error());
  const Result<std::vector<RemoteModelInfo>> models = list_remote_models(**exchange, {});
  if (!models) return fail("remote", models.error().in(address->shown()));
  rows.push_back(
      {.name = "remote",
       .state = address->shown() + " answers" +
                (is_readable_on_the_way(*address)
                     ? "; text is sent unencrypted, because the address does not use https"
                     : "")});
  rows.push_back({.name = "", .state = descriptions_of(*models)});
  const Result<std::unique_ptr<Engine>> engine = make_remote_engine(
      {.server = address->shown(), .model = options.remote_model}, *exchange, {});
  if (!engine) return fail("", engine.error());
  const Result<double> seconds = seconds_to_write(**engine);
  if (!seconds) return fail("", seconds.error().in((*engine)->target_name()));
  rows.push_back(
      {.name = "",
       .state = shown_line((*engine)->target_name()) + " writes: " + written_after(*seconds)});
  return rows;
}

}  // namespace redraft::cli
