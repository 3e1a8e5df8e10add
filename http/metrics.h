#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "http/api/generation_job.h"

namespace redraft::http {

// Counters of a server since its start. Main thread.
class Metrics {
 public:
  // Current values.
  struct Now {
    int connections = 0;  // that have shown the token
    int unadmitted = 0;   // others
    bool ready = false;   // the model is loaded
  };

  // `place` is one of a few fixed names: a path that is served, or "other".
  void count_answer(const std::string& place, int status) { ++answers_[{place, status}]; }
  void begin_generation() { ++running_; }
  // Its client disconnected before the end.
  void cancel_generation();
  void end_generation(const GenerationEnd& end);
  void turn_away() { ++turned_away_; }

  // In Prometheus' text format, version 0.0.4.
  std::string text(const Now& now) const;

 private:
  std::map<std::pair<std::string, int>, std::int64_t> answers_;
  std::int64_t turned_away_ = 0;
  std::int64_t cancelled_ = 0;
  std::int64_t running_ = 0;  // or waiting
  std::int64_t prompt_tokens_ = 0, cached_tokens_ = 0, new_tokens_ = 0;
  std::int64_t passes_ = 0, rows_ = 0;
  std::int64_t accepted_predictions_ = 0, rejected_predictions_ = 0;
  double prefill_seconds_ = 0, decode_seconds_ = 0;
};

}  // namespace redraft::http
