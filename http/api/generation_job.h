#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decoding/decoder_name.h"
#include "decoding/statistics.h"
#include "http/api/api_error.h"
#include "http/api/generation.h"
#include "workspace/engine/engine_host.h"

namespace redraft::http {

// The probability of a token in the answer.
struct TokenLikelihood {
  std::string bytes;
  double log_probability = 0;
  struct Other {
    std::string bytes;
    double log_probability = 0;
  };
  std::vector<Other> likeliest = {};
};

// A part of an answer. A token whose bytes are not all certain yet gets its likelihood in a later
// part.
struct AnswerPart {
  std::string text;                               // may be empty if there are tokens
  std::vector<TokenLikelihood> likelihoods = {};  // of the text, if they were requested
  std::string thoughts = {};  // of a chat: what the model thinks before its text
  int choice = 0;             // which text it is a part of, if there are several
};

// How one of its texts ended.
struct ChoiceEnd {
  enum class Reason { kEndOfText, kStopString, kLength, kLimit, kCancelled };
  Reason reason = Reason::kEndOfText;
  std::string stopping_word = {};  // for kStopString
  DecodeStatistics statistics = {};
};

// The outcome of a generation that was not rejected.
struct GenerationEnd {
  std::vector<ChoiceEnd> choices = {};
  DecodeStatistics statistics = {};  // of all texts; the prompt counts once
  int prediction_tokens = 0;
  int accepted_prediction_tokens = 0;  // of the output, guessed from the prediction
  std::optional<ApiError> error = {};  // if set, no other member counts

  bool is_cancelled() const {
    return std::ranges::any_of(choices, [](const ChoiceEnd& each) {
      return each.reason == ChoiceEnd::Reason::kCancelled;
    });
  }
};

// Callbacks of a running generation. They are called on the decode thread and must not throw.
struct GenerationEvents {
  // The model is loaded and the prompt fits: the answer begins. Not called for a rejected request.
  std::function<void()> on_begin;
  // More of the answer.
  std::function<void(AnswerPart part)> on_part;
  // The last call, unless the queue drops the job before it runs.
  std::function<void(const GenerationEnd&)> on_end;
};

// How the models carry out generations.
struct GenerationChoices {
  DecoderName decoder = {};
  // Also kNothing where prompts of edits are archived on disk: these prompts must not be.
  Remembering remembering = Remembering::kShared;
};

// Adds the generation to the host's queue, after jobs of the same priority. Text that is filled in
// at a cursor has the priority of a completion, everything else that of an edit, which is lower.
// `host` must outlive the job. To cancel the generation, cancel the job.
DecodeQueue::JobId add_generation(EngineHost& host, std::shared_ptr<const Generation> generation,
                                  const GenerationChoices& choices, GenerationEvents events);

}  // namespace redraft::http
