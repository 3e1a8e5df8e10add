// redraft complete: completions at one position of a file.
#include <filesystem>
#include <iostream>

#include "cli/common/command.h"
#include "cli/common/decoding_setup.h"
#include "cli/common/engine_loader.h"
#include "cli/common/prompt_size_store.h"
#include "cli/common/report.h"
#include "cli/common/text_range.h"
#include "workspace/completion/completion_session.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

struct CompleteOptions {
  CommonOptions common;
  InsideOptions inside;
  std::string file;
  std::string at;
  std::string workspace;
  std::string decoder;  // empty: by choose_decoder()
  int max_new_tokens = CompletionRequest().max_new_tokens;
  std::optional<PromptSize> prompt_size = kDefaultPromptSize;
  Format format = Format::kText;
};

// The request without the indexes.
Result<CompletionRequest> make_request(const CompleteOptions& options, const DecoderName& decoder) {
  const Result<TextPosition> position = parse_text_position(options.at);
  if (!position) return position.error().in("--at");
  const fs::path file = fs::absolute(options.file);
  const Result<std::shared_ptr<const Document>> document = Document::read(file);
  if (!document) return document.error();
  const Result<std::size_t> offset = to_offset(*position, **document);
  if (!offset) return offset.error().in("--at");
  return CompletionRequest{.document = *document,
                           .offset = *offset,
                           .root = options.workspace.empty()
                                       ? file.parent_path()
                                       : fs::weakly_canonical(fs::path(options.workspace)),
                           .decoder = decoder,
                           .max_new_tokens = options.max_new_tokens,
                           .prompt_size = options.prompt_size,
                           .blocks = kBlocksWhenInvoked};
}

int report(const CompleteOptions& options, const DecoderName& decoder,
           const CompletionResult& result, const Engine& engine) {
  if (options.format == Format::kJson) {
    std::cout << dump(to_json(Report{result.text(), result.output, result.finish_reason,
                                     result.statistics, decoder.text, engine.target_name(),
                                     engine.device(), result.prompt_size}))
              << std::endl;
  } else {
    if (!result.texts.empty()) std::cout << result.text() << std::endl;
    if (result.texts.empty() && !result.why_none.empty())
      std::cerr << "nothing to suggest: " << result.why_none << " · ";
    std::cerr << figures(result.statistics) << std::endl;
  }
  return result.finish_reason == FinishReason::kCancelled ? kInterrupted : kSuccess;
}

int run_complete(const CompleteOptions& options) {
  const Result<DecoderName> decoder = choose_decoder(options.decoder, options.common);
  if (!decoder) return misuse(decoder.error());
  if (const Result<TextPosition> position = parse_text_position(options.at); !position)
    return misuse(position.error().in("--at"));
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  CodeFolders code;
  if (!options.workspace.empty()) code.repository.push_back(options.workspace);
  if (const Result<void> checked = check(code); !checked) return fail(checked.error());
  Result<CompletionRequest> request = make_request(options, *decoder);
  if (!request) return fail(request.error());

  const InterruptWatch watch;
  StatusLine status;
  DecodingSetup setup;
  if (const std::optional<int> end = set_up(options.common, options.inside, *decoder, code,
                                            request->document->uri(), status, watch, setup))
    return *end;
  request->repository = std::move(setup.stores.repository);
  const Result<CompletionResult> result = run_completion(*setup.engine, *request, watch.token());
  if (!result) return fail(result.error());
  return report(options, *decoder, *result, *setup.engine);
}

}  // namespace

void add_complete(CommandLine app, Command& chosen) {
  const CommandLine complete =
      app.add_subcommand("complete", "Complete the text at a position in a file");
  const auto options = std::make_shared<CompleteOptions>();
  complete.add_option("FILE", options->file, "The file").required();
  complete.add_option("--at", options->at, "LINE:COLUMN, from 1, columns in bytes").required();
  complete.add_option("--workspace", options->workspace,
                      "The project's folder, as a source of context and drafts");
  add_decoder_option(complete, options->decoder);
  complete
      .add_option("--max-new-tokens", options->max_new_tokens, "Maximum length of the completion")
      .check(in_range(1, 1 << 16))
      .show_default();
  complete
      .add_option("--format", options->format, "Output format: the text, or an object with figures")
      .transform(text_or_json());
  add_prompt_size_option(complete, options->prompt_size);
  add_inside_options(complete, options->inside);
  add_common_options(complete, options->common);
  add_remote_options(complete, options->common);
  complete.callback([&chosen, options] { chosen = [options] { return run_complete(*options); }; });
}

}  // namespace redraft::cli
