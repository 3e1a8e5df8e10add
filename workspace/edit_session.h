#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "support/result.h"
#include "workspace/document.h"
#include "workspace/engine.h"
#include "workspace/text_edit.h"

namespace redraft {

enum class EditScope { kSelection, kSymbol, kFile };

struct EditRequest {
  std::shared_ptr<const Document> document;
  std::string instruction;  // not blank
  std::optional<ByteRange> range;  // the selection; with kSelection only these bytes are rewritten
  EditScope scope = EditScope::kFile;
  DecoderName decoder;
  int max_new_tokens = 0;  // 0: as many as the scope's size suggests and the context holds
};

// One changed place, final when it is sent: later output never alters it. Against the request's document version.
struct Hunk {
  int id = 0;  // ascending from 0 within an edit, in file order
  TextEdit edit;
  std::string old_text;
};

struct EditProgress {
  double fraction = 0;  // of the original already covered, 0..1
  DecodeStatistics statistics;
};

// Called on the decode thread.
struct EditObserver {
  std::function<void(const Hunk&)> on_hunk;
  std::function<void(const EditProgress&)> on_progress;  // at most once a pass
};

struct EditResult {
  std::vector<Hunk> hunks;  // all, in file order; applying them gives `text`
  std::string text;         // the whole new file
  std::string output;       // the model's raw output text
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;
};

// One edit request, from instruction to streamed text edits. Blocking; runs on the decode thread. Errors: blank
// instruction, range outside the document, a scope beyond the context; a cancelled edit is a result with kCancelled
// and whatever hunks were final.
Result<EditResult> run_edit(Engine& engine, const EditRequest& request, const EditObserver& observer,
                            std::stop_token stop);

}  // namespace redraft
