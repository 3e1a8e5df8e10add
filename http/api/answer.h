#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "http/api/generation.h"
#include "http/api/generation_job.h"

namespace redraft::http {

// One answer to a Generation, in the form of its interface: as a whole, or as data for the events
// of a stream (server-sent events).
class Answer {
 public:
  // `created` is in seconds since 1970; `number` distinguishes the answers of this process.
  // `generation` must outlive this object.
  Answer(const Generation& generation, std::string model, std::int64_t created, int number);

  // `texts`: all of each choice, one or more.
  Json whole(std::span<const AnswerPart> texts, const GenerationEnd& end) const;
  // The events before the text (possibly none), the parts of the text, and the end.
  std::string first_events() const;
  std::string part_event(const AnswerPart& part) const;
  std::string last_events(const GenerationEnd& end) const;
  // Replaces the end.
  static std::string error_event(const ApiError& error);

 private:
  Json base(const char* object) const;
  Json chunk(const Json& choice) const;
  Json choice(int index, Json text, Json finish) const;
  Json whole_choice(int index, const AnswerPart& text, const ChoiceEnd& end) const;
  Json log_probabilities(const std::vector<TokenLikelihood>& tokens) const;
  Json usage(const GenerationEnd& end) const;
  Json infill(int index, std::string_view text, const ChoiceEnd& end) const;
  Json infills(std::span<const AnswerPart> texts, const GenerationEnd& end) const;

  const Generation& generation_;
  std::string model_;
  std::int64_t created_;
  std::string id_;
};

// A server-sent event whose data is `value`, on one line.
std::string event_of(const Json& value);

}  // namespace redraft::http
