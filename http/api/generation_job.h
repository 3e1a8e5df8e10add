#pragma once

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

// How likely a token of the answer was.
struct TokenLikelihood {
  std::string bytes;
  double log_probability = 0;
  struct Other {
    std::string bytes;
    double log_probability = 0;
  };
  std::vector<Other> likeliest = {};
};

// A part of an answer. Of a token whose bytes are not all certain yet, the likelihood comes later.
struct AnswerPart {
  std::string text;                               // may be empty if there are tokens
  std::vector<TokenLikelihood> likelihoods = {};  // if they were requested
};

// What became of a generation that was not refused.
struct GenerationEnd {
  enum class Reason { kEndOfText, kStopString, kLength, kLimit, kCancelled };
  Reason reason = Reason::kEndOfText;
  std::string stopping_word = {};  // of kStopString
  DecodeStatistics statistics = {};
  int prediction_tokens = 0;
  int accepted_prediction_tokens = 0;  // of the output, guessed from the prediction
  std::optional<ApiError> error = {};  // none of the above counts
};

// What a generation tells while it runs: on the decode thread, and none may throw.
struct GenerationEvents {
  // The model is there and the prompt fits: the answer begins. Not called if it is refused.
  std::function<void()> on_begin;
  // More of the answer.
  std::function<void(AnswerPart part)> on_part;
  // The last call, unless the queue drops the job before it runs.
  std::function<void(const GenerationEnd&)> on_end;
};

// How the models carry out generations.
struct GenerationChoices {
  DecoderName decoder = {};
  // kNothing, too, where prompts of edits go to an archive on disk: these prompts must not.
  Remembering remembering = Remembering::kShared;
};

// Adds the generation to the host's queue, behind what is as urgent: what is filled in at a cursor
// is a completion, all else an edit, which gives way to those. `host` outlives the job; to cancel
// it, cancel the job.
DecodeQueue::JobId add_generation(EngineHost& host, std::shared_ptr<const Generation> generation,
                                  const GenerationChoices& choices, GenerationEvents events);

}  // namespace redraft::http
