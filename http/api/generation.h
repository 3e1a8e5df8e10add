#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "http/api/sampling_fields.h"
#include "text/chat_template.h"
#include "workspace/snippets/snippets.h"

namespace redraft::http {

// The most texts that a request may ask for.
inline constexpr int kMaxChoices = 8;

// Which interface a request uses. It decides the form of request and answer.
enum class Interface { kCompletions, kChat, kInfill };

// A validated request for text, as far as validation needs no model.
struct Generation {
  Interface interface = Interface::kCompletions;

  // The input: messages for kChat. Otherwise the text to continue and, if there is a suffix, the
  // text that follows the output.
  std::vector<ChatMessage> messages = {};
  std::string prompt = {};
  std::optional<std::string> suffix = {};
  std::string begun = {};  // with a suffix: the text that the model counts as its own output
  std::vector<Snippet> files = {};  // with a suffix: text of other files
  std::string prediction = {};      // text that the answer probably resembles; may be empty

  std::optional<int> max_tokens =
      {};  // none: as many as the context holds. 0: only read the prompt
  std::vector<std::string> stops = {};
  SamplingOptions sampling = {};
  // How many texts the answer has, and of how many these are the likeliest. With a temperature the
  // i-th one is that of the seed plus i; without one all are the same.
  int choices = 1;
  int candidates = 1;  // at least `choices`
  std::optional<int> log_probabilities =
      {};  // how many likeliest tokens are told; none: nothing is
  // As llama.cpp has them; 0 and none: no limit.
  int min_indent = 0;
  std::optional<std::chrono::milliseconds> time_limit = {};

  bool stream = false;
  bool include_usage = false;                   // of a stream
  std::vector<std::string> answer_fields = {};  // of kInfill: these alone; empty: all
};

}  // namespace redraft::http
