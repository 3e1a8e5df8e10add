#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/decoder_name.h"
#include "indexing/store/datastore.h"
#include "indexing/store/index_snapshot.h"
#include "support/byte_range.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/engine/engine.h"
#include "workspace/engine/prompt_size.h"

namespace redraft {

// A message of a compiler or linter.
struct EditProblem {
  ByteRange range;  // of the document
  std::string message;
};

// What a client asks for. decide() (edit_decision.h) says what becomes of it; nothing changes a
// request after the client has made it.
struct EditRequest {
  std::shared_ptr<const Document> document;
  std::string instruction;  // not blank, unless there is a change
  // Code that another assistant wrote, to be merged into the document; see parse_change(). Empty:
  // there is none. With a change, the range matters only if nothing else says where the code goes.
  std::string change = {};
  // Texts that drafts may come from: recently removed text and the other open documents, the most
  // recent first.
  std::vector<std::shared_ptr<const Document>> beside = {};
  // Where decoders that retrieve look up drafts; null: nowhere.
  std::shared_ptr<const Datastore> repository = {};
  std::shared_ptr<const Datastore> common = {};  // code of other projects
  // The selection, or the cursor. Required unless the scope is the file or places in it. The model
  // rewrites whole lines: it cannot know which part of a changed line belonged to the selection.
  // All other lines stay as they are.
  std::optional<ByteRange> range;
  // The cursor's offset, if `range` is the region around the cursor and not a selection.
  std::optional<std::size_t> cursor = {};
  EditScope scope = EditScope::kFile;
  // With kPlaces: the places to edit. Each one is the whole lines that its range touches. Empty:
  // redraft finds the places.
  std::vector<ByteRange> places = {};
  // What the instruction is about. The prompt also shows definitions of the names in the messages.
  std::vector<EditProblem> problems = {};
  // Where definitions in other files are looked up; null: nowhere.
  std::shared_ptr<const IndexSnapshot> definitions = {};
  bool are_definitions_complete = false;  // of all files
  DecoderName decoder;
  // The model must answer, even if the instruction only renames something. A client sets this if
  // its user chose a model or a decoder for this request.
  bool model_renames = false;
  int max_new_tokens = 0;  // 0: depends on the size of the region and the room in the context
  Remembering remembering = Remembering::kShared;
  // How much the prompt shows and how large a region is. Nothing: the engine's own size, see
  // Engine::prompt_size().
  std::optional<PromptSize> prompt_size = {};
  // The maximum number of bytes of the file that the prompt shows around the region. Nothing: by
  // the size.
  std::optional<std::size_t> context_bytes = {};
  // Which retry of the edit of a region this is; 0 is the first answer. Retry n starts with the
  // first answer's tokens up to the n-th least certain one: the token whose logit was least above
  // the second best. It takes the second best token there and continues greedily.
  int retry_index = 0;
  // Whether to fix doubtful answers, see edit_repair.h.
  bool repairs = true;
};

}  // namespace redraft
