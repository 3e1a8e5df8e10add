// redraft generate: continues a prompt.
#include <charconv>
#include <cstdint>
#include <iostream>
#include <optional>
#include <system_error>

#include "cli/common/command.h"
#include "cli/common/decoding_setup.h"
#include "cli/common/engine_loader.h"
#include "cli/common/files.h"
#include "cli/common/report.h"
#include "decoding/sampling.h"
#include "text/chat_template.h"
#include "text/prompt_encoder.h"

namespace redraft::cli {
namespace {

struct GenerateOptions {
  CommonOptions common;
  InsideOptions inside;
  CodeFolders code;
  std::string prompt;
  std::string prompt_file;
  bool chat = false;
  std::string decoder;  // empty: by choose_decoder()
  int max_new_tokens = 512;
  std::string prediction;  // a file; empty: none
  std::optional<double> temperature, top_p, min_p;
  std::optional<int> top_k;
  std::optional<std::uint64_t> seed;
  std::optional<int> log_probabilities;
  Format format = Format::kText;
};

Result<SamplingOptions> sampling_of(const GenerateOptions& options, const DecoderName& decoder) {
  SamplingOptions sampling;
  sampling.temperature = options.temperature.value_or(sampling.temperature);
  sampling.top_p = options.top_p.value_or(sampling.top_p);
  sampling.top_k = options.top_k.value_or(sampling.top_k);
  sampling.min_p = options.min_p.value_or(sampling.min_p);
  sampling.seed = options.seed.value_or(sampling.seed);
  const Result<void> checked = check_choices(decoder, sampling, options.log_probabilities);
  if (!checked) return checked.error();
  const char* const idle = options.top_p   ? "--top-p"
                           : options.top_k ? "--top-k"
                           : options.min_p ? "--min-p"
                           : options.seed  ? "--seed"
                                           : nullptr;
  if (sampling.greedy() && idle != nullptr)
    return Error(std::string(idle) + " changes nothing without a --temperature above 0");
  if (options.log_probabilities && options.format != Format::kJson)
    return Error("--logprobs requires --format json");
  return sampling;
}

Result<std::string> prompt_of(const GenerateOptions& options) {
  return options.prompt_file.empty() ? Result<std::string>(options.prompt)
                                     : read_file(options.prompt_file);
}

Result<DecodeRequest> make_request(const GenerateOptions& options, const std::string& prompt,
                                   const Tokenizer& tokenizer) {
  Result<std::vector<PromptPart>> parts = std::vector<PromptPart>{{prompt, false}};
  if (options.chat) parts = chat_prompt(tokenizer, {{"user", prompt}});
  if (!parts) return parts.error();
  Result<std::vector<TokenId>> tokens = encode_prompt(tokenizer, *parts);
  if (!tokens) return tokens.error();
  DecodeRequest request;
  request.prompt = std::move(*tokens);
  request.stop_tokens = end_of_turn_tokens(tokenizer);
  if (tokenizer.end_of_text() >= 0) request.stop_tokens.push_back(tokenizer.end_of_text());
  request.max_new_tokens = options.max_new_tokens;
  return request;
}

nlohmann::ordered_json to_json(const TokenLogProbability& of, const Tokenizer& tokenizer) {
  return {{"token", of.token},
          {"text", tokenizer.bytes(of.token)},
          {"log_probability", of.log_probability}};
}

nlohmann::ordered_json log_probabilities_json(const DecodeResult& result,
                                              const Tokenizer& tokenizer) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.tokens.size(); ++i) {
    const EmittedLogProbability& of = result.log_probabilities[i];
    nlohmann::ordered_json& one =
        all.emplace_back(to_json({result.tokens[i], of.log_probability}, tokenizer));
    one["likeliest"] = nlohmann::ordered_json::array();
    for (const TokenLogProbability& other : of.likeliest)
      one["likeliest"].push_back(to_json(other, tokenizer));
  }
  return all;
}

int report(const GenerateOptions& options, const DecoderName& decoder, const DecodeResult& result,
           const Engine& engine) {
  const Tokenizer& tokenizer = engine.tokenizer();
  const std::string text = tokenizer.decode(result.tokens);
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json =
        to_json(Report{text, text, result.finish_reason, result.statistics, decoder.text,
                       engine.target_name(), engine.device()});
    if (options.log_probabilities)
      json["log_probabilities"] = log_probabilities_json(result, tokenizer);
    std::cout << dump(json) << std::endl;
  } else {
    std::cout << std::endl;
    std::cerr << figures(result.statistics) << std::endl;
  }
  return result.finish_reason == FinishReason::kCancelled ? kInterrupted : kSuccess;
}

// Applies the options other than the prompt's text.
Result<void> add_choices(const GenerateOptions& options, const SamplingOptions& sampling,
                         const Tokenizer& tokenizer, DecodeRequest& request) {
  request.sampling = sampling;
  request.log_probabilities = options.log_probabilities;
  if (options.prediction.empty()) return {};
  const Result<std::string> prediction = read_file(options.prediction);
  if (!prediction) return prediction.error();
  request.original = tokenizer.encode(*prediction);
  return {};
}

int run_generate(const GenerateOptions& options) {
  const Result<DecoderName> decoder = choose_decoder(options.decoder, options.common);
  if (!decoder) return misuse(decoder.error());
  const Result<SamplingOptions> sampling = sampling_of(options, *decoder);
  if (!sampling) return misuse(sampling.error());
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  if (const Result<void> checked = check(options.code); !checked) return fail(checked.error());
  const Result<std::string> prompt = prompt_of(options);
  if (!prompt) return fail(prompt.error());
  if (prompt->empty()) return misuse(Error("the prompt is empty; there is nothing to continue"));

  const InterruptWatch watch;
  StatusLine status;
  DecodingSetup setup;
  if (const std::optional<int> end =
          set_up(options.common, options.inside, *decoder, options.code, {}, status, watch, setup))
    return *end;
  const Tokenizer& tokenizer = setup.engine->tokenizer();
  Result<DecodeRequest> request = make_request(options, *prompt, tokenizer);
  if (!request) return fail(request.error());
  if (const Result<void> added = add_choices(options, *sampling, tokenizer, *request); !added)
    return fail(added.error());
  request->repository = std::move(setup.stores.repository);
  request->common = std::move(setup.stores.common);

  request->on_progress = [&](const DecodeStatistics& statistics) {
    if (statistics.passes == 0)
      status.show(percent(statistics.prefill_fraction()) + " · reading the prompt");
  };
  const auto show = [&](TokenId token) {
    status.clear();
    if (options.format == Format::kText) std::cout << tokenizer.bytes(token) << std::flush;
    return std::cout.good();
  };
  const Result<DecodeResult> result =
      setup.engine->decode(Purpose::kEdit, *decoder, *request, show, watch.token());
  status.clear();
  if (!result) return fail(result.error());
  return report(options, *decoder, *result, *setup.engine);
}

// CLI11 silently converts a number that is too large or negative.
WordCheck seed_check() {
  const auto check = [](const std::string& text) {
    std::uint64_t seed = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, seed);
    const bool is_seed = error == std::errc() && at == end;
    return is_seed ? std::string() : text + " is not a whole number from 0 to 2^64 - 1";
  };
  return {check, "0 to 2^64 - 1"};
}

void add_choice_options(CommandLine generate, GenerateOptions& options) {
  generate
      .add_option("--temperature", options.temperature,
                  "Sample from the model's distribution at this temperature; 0, the default: write "
                  "the likeliest tokens")
      .check(in_range(0.0, kMaxTemperature));
  generate
      .add_option(
          "--top-p", options.top_p,
          "Sample from the likeliest tokens with this share of the probability (default: 1)")
      .check(in_range(0.0, 1.0));
  generate
      .add_option("--top-k", options.top_k,
                  "Sample from so many of the likeliest tokens (default: 0, all)")
      .check(in_range(0, INT32_MAX));
  generate
      .add_option(
          "--min-p", options.min_p,
          "Sample from tokens with at least this share of the likeliest token's probability "
          "(default: 0)")
      .check(in_range(0.0, 1.0));
  generate
      .add_option("--seed", options.seed,
                  "Seed for sampling: the same seed gives the same text (default: 0)")
      .check(seed_check());
  generate
      .add_option(
          "--logprobs", options.log_probabilities,
          "With --format json: the log probability of each token and the N likeliest tokens")
      .check(in_range(0, kMaxLikeliest));
  generate.add_option("--prediction", options.prediction,
                      "A file that the output probably resembles, to draft from");
}

}  // namespace

void add_generate(CommandLine app, Command& chosen) {
  const CommandLine generate = app.add_subcommand("generate", "Continue a prompt");
  const auto options = std::make_shared<GenerateOptions>();
  const CommandLine prompt = generate.add_alternatives("prompt");
  prompt.add_option("--prompt", options->prompt, "The text to continue or, with --chat, to answer");
  prompt.add_option("--prompt-file", options->prompt_file, "A file that contains the prompt");
  generate.add_flag("--chat", options->chat, "Send the prompt in the model's chat format");
  add_decoder_option(generate, options->decoder);
  generate.add_option("--max-new-tokens", options->max_new_tokens, "Maximum length of the output")
      .check(in_range(1, 1 << 20))
      .show_default();
  add_choice_options(generate, *options);
  generate
      .add_option("--format", options->format, "Output format: the text, or an object with figures")
      .transform(text_or_json());
  add_code_options(generate, options->code);
  add_inside_options(generate, options->inside);
  add_common_options(generate, options->common);
  add_remote_options(generate, options->common);
  generate.callback([&chosen, options] { chosen = [options] { return run_generate(*options); }; });
}

}  // namespace redraft::cli
