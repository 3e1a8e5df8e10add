#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/decoder_name.h"
#include "indexing/store/datastore.h"
#include "support/result.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/text_edit.h"
#include "workspace/engine/engine.h"

namespace redraft {

// Which changes elsewhere follow from those that the user just made.
struct NextEditRequest {
  std::vector<RecentChange> recent;  // the latest at the end; not empty
  // Where follow-ups are looked for: the document the user is in, then others that are open.
  std::vector<std::shared_ptr<const Document>> documents;
  std::vector<std::shared_ptr<const Document>> beside = {};  // see EditRequest
  std::shared_ptr<const Datastore> repository = {};
  DecoderName decoder;
  int max_regions = 2;  // that the model looks at before it is concluded that there is nothing
  std::function<void()> on_pass = {};  // after each forward pass, on the decode thread
};

struct NextEditResult {
  std::shared_ptr<const Document> document;  // null: there is nothing to propose
  std::vector<TextEdit> edits;               // of its lines, ascending
  std::string why_none;
  int regions = 0;  // that the model looked at
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;  // of the last of them
};

// Whether a change of lines follows from the recent ones: it takes away or brings in words that
// they do, changes more than white space, and undoes none of them.
bool follows_from(const std::vector<RecentChange>& recent, const std::vector<std::string>& before,
                  const std::vector<std::string>& after);

// Asks the model about one place after the other until it changes something there that follows from
// the recent changes. Blocking; runs on the decode thread. The model sees each recent change as an
// answer that it gave itself, and lines to which nothing was to be done as another; then the place.
// Its lines are the draft, so one where nothing is to do costs little more than reading it.
Result<NextEditResult> run_next_edit(Engine& engine, const NextEditRequest& request,
                                     const std::stop_token& stop);

}  // namespace redraft
