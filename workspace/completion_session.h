#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "indexing/index_snapshot.h"
#include "support/byte_range.h"
#include "support/result.h"
#include "workspace/document.h"
#include "workspace/engine.h"

namespace redraft {

struct CompletionRequest {
  std::shared_ptr<const Document> document;
  std::size_t offset = 0;  // of the place, in bytes
  // What drafts and snippets are taken from, without the document; null: nothing.
  std::shared_ptr<const IndexSnapshot> repository = {};
  std::shared_ptr<const Datastore> common = {};
  // Other documents that are open, the most recent first.
  std::vector<std::shared_ptr<const Document>> beside = {};
  // The model sees files by their paths from this folder on; those outside by their whole paths.
  std::filesystem::path root = {};
  DecoderName decoder;
  int max_new_tokens = 128;
  std::size_t snippet_tokens = 512;  // that other files may take of the prompt
};

struct CompletionResult {
  std::string text;    // to be inserted at the place; empty: there is nothing to suggest
  std::string output;  // what the model wrote of it
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;
};

// What of a document a completion shows the model. The window's beginning moves in steps of many
// lines and what follows the place is short, so that after a keystroke all but the last tokens of
// the prompt are those of the prompt before.
struct CompletionWindow {
  ByteRange prefix, suffix;
};
CompletionWindow completion_window(const Document& document, std::size_t offset);

// One completion. Blocking; runs on the decode thread. Errors: a place outside the document or
// within a character, a model that cannot fill in. A cancelled one is a result with kCancelled.
Result<CompletionResult> run_completion(Engine& engine, const CompletionRequest& request,
                                        const std::stop_token& stop);

}  // namespace redraft
