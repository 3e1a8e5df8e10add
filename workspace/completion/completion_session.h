#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "indexing/store/index_snapshot.h"
#include "support/result.h"
#include "workspace/completion/completion_context.h"
#include "workspace/completion/completion_shape.h"
#include "workspace/documents/document.h"
#include "workspace/engine/engine.h"

namespace redraft {

// The maximum number of blocks in a completion that nothing around the cursor ends, for an explicit
// request. While typing it is one.
constexpr int kBlocksWhenInvoked = 2;

struct CompletionRequest {
  std::shared_ptr<const Document> document;
  std::size_t offset = 0;  // of the cursor, in bytes
  // The source of drafts and snippets, without this document; null: there is none.
  std::shared_ptr<const IndexSnapshot> repository = {};
  std::shared_ptr<const Datastore> common = {};
  // Recently removed texts and the other open documents, the most recent first.
  std::vector<std::shared_ptr<const Document>> beside = {};
  std::vector<Snippet> recent = {};  // recent changes, the most recent first
  // The other open documents, the most recent first. Without an index, the prompt shows their
  // definitions of names around the cursor.
  std::vector<std::shared_ptr<const Document>> open = {};
  // Where snippets are searched for; null: here.
  std::shared_ptr<const SnippetPlace> snippet_place = {};
  // Keeps snippets from request to request; null: they are searched each time. Used only on the
  // decode thread.
  std::shared_ptr<SteadySnippets> snippets = {};
  std::string file = {};  // the document's path; empty: its URI is a path
  // The model sees paths relative to this folder, and absolute ones outside of it.
  std::filesystem::path root = {};
  DecoderName decoder;
  int max_new_tokens = 128;
  std::optional<PromptSize> prompt_size = {};  // nothing: the engine's own
  int context_tokens = 0;                      // see completion_budget()
  int alternatives = 1;                        // the number of texts, the model's own choice first
  int blocks = 1;                              // see CompletionShape::max_blocks
  // A text ends where the probability of its tokens together falls below this (0 to 1; 0: nowhere);
  // see ShownText. Has no effect where probabilities are unknown (a lossy decoder, a model on a
  // server).
  double min_probability = 0;
  bool in_comments = true;  // whether to complete within a comment
  Remembering remembering = Remembering::kShared;
  // Called on the decode thread after each pass with the first text so far.
  std::function<void(std::string_view)> on_text = {};

  SnippetPlace place() const { return {document, offset, recent, open}; }
};

struct CompletionResult {
  // To be inserted at the cursor, the best first, all different, none empty.
  std::vector<std::string> texts;
  std::string why_none = {};  // for the user, if there is no text
  // There is no text because its probability was below CompletionRequest::min_probability.
  bool is_unsure = false;
  std::string output = {};  // the model's raw output for the first text
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics = {};            // of the first text
  std::optional<PromptSize> prompt_size = {};  // nothing: the model was not used

  std::string text() const { return texts.empty() ? std::string() : texts.front(); }
};

// The shape of the request's text, and the decode request for it. The bench runs the latter with
// several decoders.
CompletionShape completion_shape(const CompletionRequest& request);
Result<DecodeRequest> completion_decode(Engine& engine, const CompletionRequest& request);

// Runs one completion. Blocking; runs on the decode thread. Fails for an offset outside the
// document or inside a character, and for a model that cannot fill in the middle. A cancelled
// completion is a result with kCancelled.
Result<CompletionResult> run_completion(Engine& engine, const CompletionRequest& request,
                                        const std::stop_token& stop);

// Reads the prompt of such a request ahead of time; see Engine::read_ahead(). Reads nothing where
// the request would not use the model.
Result<void> read_completion_ahead(Engine& engine, const CompletionRequest& request,
                                   const std::function<void(int known)>& on_chunk,
                                   const std::stop_token& stop);

}  // namespace redraft
