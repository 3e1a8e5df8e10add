#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/engine/engine.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/next_edit.h"
#include "workspace/next_edit/next_edit_answer.h"
#include "workspace/next_edit/next_edit_prompt.h"

namespace redraft {

// How the model is asked about one place.
struct PlacePrompt {
  EditRegion region;
  std::vector<TokenId> tokens = {}, original = {}, stop_tokens = {};
  std::string fence = {};                  // of a conversation
  const NextEditFormat* format = nullptr;  // null: it is a conversation
  NextEditPrompt asked = {};               // in the format
  std::string refused = {};                // why the model is not asked; empty: it is
};

// The format of the engine's model for this request; null: it is asked in a conversation. An error
// if a format was named that the model lacks tokens for.
Result<const NextEditFormat*> format_of(Engine& engine, const NextEditRequest& request);

// In the format or, if that is null, as a conversation: the text before the place is the same for
// all places, so that it is read once.
Result<PlacePrompt> place_prompt(Engine& engine, const NextEditRequest& request,
                                 const NextEditSearch& search, const NextPlace& place,
                                 const NextEditFormat* format);

// A place's lines as the model writes them.
struct WrittenLines {
  std::vector<std::string> lines;
  // [lines] natural logarithms: how likely each line was, given those before it. Empty: not known.
  std::vector<double> log_probabilities = {};
};

// What the model writes for one place.
class PlaceAnswer {
 public:
  // Both outlive this.
  PlaceAnswer(const Tokenizer& tokenizer, const PlacePrompt& prompt);

  // `log_probability`: the natural logarithm of the token's probability. False: the rest is not
  // needed.
  bool add(TokenId token, double log_probability);
  // The place's lines as they should be; nothing: no edit follows.
  std::optional<WrittenLines> lines(FinishReason reason);

 private:
  void take(std::vector<std::string> lines);

  const Tokenizer& tokenizer_;
  std::optional<FencedOutput> fenced_;       // of a conversation
  std::optional<NextEditAnswer> formatted_;  // of a format
  WrittenLines written_;
  double log_probability_ = 0;  // of the line that is being written
};

}  // namespace redraft
