// redraft generate: continues a prompt.
#include <iostream>

#include "cli/common/command.h"
#include "cli/common/decoding_setup.h"
#include "cli/common/engine_loader.h"
#include "cli/common/files.h"
#include "cli/common/report.h"
#include "decoding/text/chat_template.h"
#include "decoding/text/prompt_encoder.h"

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
  Format format = Format::kText;
};

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

int report(const GenerateOptions& options, const DecoderName& decoder, const DecodeResult& result,
           const Engine& engine) {
  const std::string text = engine.tokenizer().decode(result.tokens);
  if (options.format == Format::kJson) {
    std::cout << dump(to_json(Report{text, text, result.finish_reason, result.statistics,
                                     decoder.text, engine.target_name(), engine.device()}))
              << std::endl;
  } else {
    std::cout << std::endl;
    std::cerr << figures(result.statistics) << std::endl;
  }
  return result.finish_reason == FinishReason::kCancelled ? kInterrupted : kSuccess;
}

int run_generate(const GenerateOptions& options) {
  const Result<DecoderName> decoder = choose_decoder(options.decoder, options.common);
  if (!decoder) return misuse(decoder.error());
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

}  // namespace

void add_generate(CLI::App& app, Command& chosen) {
  CLI::App* generate = app.add_subcommand("generate", "Continue a prompt");
  const auto options = std::make_shared<GenerateOptions>();
  CLI::Option_group* prompt = generate->add_option_group("prompt");
  prompt->add_option("--prompt", options->prompt, "The text to continue, or with --chat to answer");
  prompt->add_option("--prompt-file", options->prompt_file, "A file that holds it");
  prompt->require_option(1);
  generate->add_flag("--chat", options->chat, "Ask the prompt in the model's chat format");
  add_decoder_option(*generate, options->decoder);
  generate->add_option("--max-new-tokens", options->max_new_tokens, "Longest output")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  generate
      ->add_option("--format", options->format,
                   "What is printed: the text, or an object with figures")
      ->transform(text_or_json());
  add_code_options(*generate, options->code);
  add_inside_options(*generate, options->inside);
  add_common_options(*generate, options->common);
  add_remote_options(*generate, options->common);
  generate->callback([&chosen, options] { chosen = [options] { return run_generate(*options); }; });
}

}  // namespace redraft::cli
