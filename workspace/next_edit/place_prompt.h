#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decoding/decoder.h"
#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/code_answer.h"
#include "workspace/engine/engine.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/next_edit.h"
#include "workspace/next_edit/next_edit_answer.h"
#include "workspace/next_edit/next_edit_prompt.h"

namespace redraft {

// The prompt about one place.
struct PlacePrompt {
  EditRegion region;
  std::vector<TokenId> tokens = {}, original = {}, stop_tokens = {};
  std::string fence = {};                                  // for a conversation
  AnswerBeginning beginning = AnswerBeginning::kMayThink;  // likewise
  const NextEditFormat* format = nullptr;                  // null: it is a conversation
  NextEditPrompt asked = {};                               // the prompt, if there is a format
  std::string refused = {};  // why the model is not used; empty: it is
};

// The format of the engine's model for this request; null: the prompt is a conversation. Fails if
// the request names a format for which the model lacks tokens.
Result<const NextEditFormat*> format_of(Engine& engine, const NextEditRequest& request);

// The prompt in the format or, if that is null, as a conversation. The text before the place is the
// same for all places, so it is read only once.
Result<PlacePrompt> place_prompt(Engine& engine, const NextEditRequest& request,
                                 const NextEditSearch& search, const NextPlace& place,
                                 const NextEditFormat* format);

// A place's lines in the model's version.
struct WrittenLines {
  std::vector<std::string> lines;
  // [lines] natural logarithms: the probability of each line, given the ones before it. Empty:
  // unknown.
  std::vector<double> log_probabilities = {};
};

// Collects the model's answer about one place.
class PlaceAnswer {
 public:
  // Both outlive this.
  PlaceAnswer(const Tokenizer& tokenizer, const PlacePrompt& prompt);

  // Adds a token. `log_probability`: the natural logarithm of its probability. False: the rest is
  // not needed.
  bool add(TokenId token, double log_probability);
  // The place's new lines; nullopt: no edit follows.
  std::optional<WrittenLines> lines(FinishReason reason);

 private:
  WrittenLines code_lines() const;

  const Tokenizer& tokenizer_;
  std::optional<CodeAnswer> code_;                  // for a conversation
  std::optional<NextEditAnswer> formatted_;         // for a format
  std::vector<std::pair<TokenId, double>> tokens_;  // of a conversation, with log_probability
};

}  // namespace redraft
