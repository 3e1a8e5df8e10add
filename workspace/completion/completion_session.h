#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "indexing/store/index_snapshot.h"
#include "support/result.h"
#include "workspace/completion/completion_context.h"
#include "workspace/documents/document.h"
#include "workspace/engine/engine.h"

namespace redraft {

// Of the blocks that a completion may have where nothing around its place ends it: two for who asks
// by hand, one for who is only typing.
constexpr int kBlocksWhenInvoked = 2;

struct CompletionRequest {
  std::shared_ptr<const Document> document;
  std::size_t offset = 0;  // of the place, in bytes
  // What drafts and snippets are taken from, without the document; null: nothing.
  std::shared_ptr<const IndexSnapshot> repository = {};
  std::shared_ptr<const Datastore> common = {};
  // What was removed lately and the other documents that are open, the most recent first.
  std::vector<std::shared_ptr<const Document>> beside = {};
  std::vector<Snippet> recent = {};  // places that changed lately, the most recent first
  // Keeps them from request to request; null: they are found anew. Used on the decode thread alone.
  std::shared_ptr<SteadySnippets> snippets = {};
  std::string file = {};  // the document's path; empty: its uri is one
  // The model sees files by their paths from this folder on; those outside by their whole paths.
  std::filesystem::path root = {};
  DecoderName decoder;
  int max_new_tokens = 128;
  int context_tokens = 0;   // see completion_budget()
  int alternatives = 1;     // texts that are wanted, the model's own choice first
  int blocks = 1;           // see CompletionShape::max_blocks
  bool in_comments = true;  // whether to complete within a comment
  Remembering remembering = Remembering::kShared;
  // Called after each pass with the first text as far as it is written, on the decode thread.
  std::function<void(std::string_view)> on_text = {};
};

struct CompletionResult {
  // To be inserted at the place, the best first, all different, none empty.
  std::vector<std::string> texts;
  std::string why_none = {};  // for the user, where there is none
  std::string output = {};    // what the model wrote of the first
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics = {};  // of the first

  std::string text() const { return texts.empty() ? std::string() : texts.front(); }
};

// One completion. Blocking; runs on the decode thread. Errors: a place outside the document or
// within a character, a model that cannot fill in. A cancelled one is a result with kCancelled.
Result<CompletionResult> run_completion(Engine& engine, const CompletionRequest& request,
                                        const std::stop_token& stop);

}  // namespace redraft
