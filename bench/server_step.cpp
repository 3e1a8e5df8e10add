#include "bench/server_step.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "languages/languages.h"
#include "workspace/completion/completion_session.h"
#include "workspace/documents/document.h"
#include "workspace/documents/line_endings.h"

namespace redraft {
namespace {

struct Place {
  std::string before, after;
  std::optional<std::string> reference;
};

Place place_of(const BenchTask& task, const RepositoryView& view) {
  Place place{task.prompt, task.suffix, task.reference};
  if (task.hidden) {
    place.before = view.before;
    place.after = view.after;
  }
  const bool at_margin = place.before.empty() || place.before.ends_with('\n');
  if (!at_margin || !place.reference || !place.reference->ends_with('\n')) return place;
  std::string& reference = *place.reference;
  reference.pop_back();
  const std::size_t text = std::min(reference.find_first_not_of(" \t"), reference.size());
  place.before += reference.substr(0, text);
  place.after.insert(0, "\n");
  reference.erase(0, text);
  return place;
}

// As much of the text as the server would write.
std::string limited(const std::string& text, const ServerEnd& end) {
  CompletionLimit limit(end.shape, end.suffix);
  for (const char c : text) {
    if (!limit.add({&c, 1})) return std::string(limit.text());
  }
  limit.finish();
  return std::string(limit.text());
}

}  // namespace

Result<BenchStep> make_server_step(Engine& engine, const BenchTask& task,
                                   const RepositoryView& view, const StepOptions& options,
                                   const std::shared_ptr<const Datastore>& common) {
  const Place place = place_of(task, view);
  const auto document = Document::make(task.file_name, 0, place.before + place.after,
                                       std::string(language_of(task.file_name)));
  if (!document) return document.error();
  CompletionRequest request;
  request.document = *document;
  request.offset = place.before.size();
  request.repository = view.other_files;
  request.common = common;
  request.context_tokens = options.context_tokens;
  if (options.max_new_tokens > 0) request.max_new_tokens = options.max_new_tokens;
  Result<DecodeRequest> decode = completion_decode(engine, request);
  if (!decode) return decode.error();
  BenchStep step;
  step.request = std::move(*decode);
  step.server_end = ServerEnd{completion_shape(request), with_newlines(place.after)};
  if (place.reference) step.server_end->reference = with_newlines(*place.reference);
  if (!options.replay) return step;
  std::optional<std::string> reference = step.server_end->reference;
  if (reference) reference = limited(*reference, *step.server_end);
  Result<std::vector<TokenId>> tokens =
      replayed_tokens(engine.tokenizer(), task, 1, reference, options);
  if (!tokens) return tokens.error();
  if (tokens->empty()) return Error("the server writes nothing of its reference");
  step.reference = std::move(*tokens);
  step.request.max_new_tokens = static_cast<int>(step.reference.size()) + 1;
  return step;
}

}  // namespace redraft
