#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/edit_pair.h"
#include "tuning/example.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"
#include "workspace/engine/engine.h"

namespace redraft {

struct ExampleLimits {
  int max_tokens = 1024;  // prompt and target together
  int max_lines = 60;     // of a region
};

// The lines that the model is asked to edit: those around what the pair changed. A whole definition
// if it fits, otherwise three lines of context on both sides. Nothing, with the reason, if nothing
// changed, if the changes are too far apart, or if the text is not valid.
struct ChosenRegion {
  std::optional<EditRegion> region;
  LeftOutReason why_none;
};
ChosenRegion region_of(const EditPair& pair, int max_lines);

struct MadeExample {
  std::optional<TuningExample> example;
  LeftOutReason why_none;
  bool cancelled = false;
  bool asked = false;  // the target wrote an answer
};

// Lets the target write the edit of a pair, greedily, with the prompt of `redraft edit`, as
// EfficientEdit does (section V-B). Keeps it if it ends, changes something, adds a line, and does
// not increase the number of syntax errors.
class ExampleMaker {
 public:
  ExampleMaker(Engine& engine, const ExampleLimits& limits, DecoderName decoder);
  // Blocks as long as the target takes to write.
  Result<MadeExample> make(const EditPair& pair, const std::stop_token& stop);

 private:
  MadeExample judged(const EditPair& pair, const EditRegion& region, const EditPrompt& prompt,
                     const EditResult& result) const;

  Engine& engine_;
  ExampleLimits limits_;
  DecoderName decoder_;
  std::vector<std::string> control_;  // spellings of special tokens
  std::string end_of_turn_;
};

// The answer to learn, if the model has closed its fence: `raw` up to the closing fence, and where
// that fence begins.
struct ClosedAnswer {
  std::string text;
  std::size_t code_end = 0;
};
std::optional<ClosedAnswer> closed_answer(const std::string& raw, const std::string& fence);

}  // namespace redraft
