#include "http/metrics.h"

#include <algorithm>
#include <sstream>

namespace redraft::http {
namespace {

void describe(std::ostream& out, const char* name, const char* type, const char* help) {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << ' ' << type << '\n';
}

template <typename Number>
void counter(std::ostream& out, const char* name, const char* help, Number value) {
  describe(out, name, "counter", help);
  out << name << ' ' << value << '\n';
}

void gauge(std::ostream& out, const char* name, const char* help, std::int64_t value) {
  describe(out, name, "gauge", help);
  out << name << ' ' << value << '\n';
}

}  // namespace

void Metrics::cancel_generation() {
  --running_;
  ++cancelled_;
}

void Metrics::end_generation(const GenerationEnd& end) {
  --running_;
  const DecodeStatistics& work = end.statistics;
  prompt_tokens_ += work.prompt_tokens;
  cached_tokens_ += work.cached_prompt_tokens;
  new_tokens_ += work.new_tokens;
  passes_ += work.passes;
  rows_ += work.rows;
  prefill_seconds_ += work.prefill_seconds;
  decode_seconds_ += work.decode_seconds;
  accepted_predictions_ += end.accepted_prediction_tokens;
  rejected_predictions_ += std::max(0, end.prediction_tokens - end.accepted_prediction_tokens);
}

std::string Metrics::text(const Now& now) const {
  std::ostringstream out;
  describe(out, "redraft_http_answers_total", "counter", "Requests answered, by path and status.");
  for (const auto& [key, count] : answers_) {
    out << "redraft_http_answers_total{path=\"" << key.first << "\",status=\"" << key.second
        << "\"} " << count << '\n';
  }
  counter(out, "redraft_http_turned_away_total", "Connections closed to make room for others.",
          turned_away_);
  gauge(out, "redraft_http_connections", "Connections that have shown the token.", now.connections);
  gauge(out, "redraft_http_unadmitted_connections", "Connections that have not shown the token.",
        now.unadmitted);
  gauge(out, "redraft_generations", "Generations that run or wait.", running_);
  counter(out, "redraft_generations_cancelled_total", "Generations whose client disconnected.",
          cancelled_);
  gauge(out, "redraft_model_loaded", "Whether the model is in memory.", now.ready ? 1 : 0);
  counter(out, "redraft_prompt_tokens_total", "Prompt tokens.", prompt_tokens_);
  counter(out, "redraft_cached_prompt_tokens_total", "Prompt tokens found in a KV cache.",
          cached_tokens_);
  counter(out, "redraft_completion_tokens_total", "Tokens written.", new_tokens_);
  counter(out, "redraft_passes_total", "Forward passes of the target while writing.", passes_);
  counter(out, "redraft_rows_total", "Rows of those passes.", rows_);
  counter(out, "redraft_accepted_prediction_tokens_total",
          "Output tokens that a prediction guessed correctly.", accepted_predictions_);
  counter(out, "redraft_rejected_prediction_tokens_total",
          "Prediction tokens that were not part of the output.", rejected_predictions_);
  counter(out, "redraft_prefill_seconds_total", "Time spent reading prompts.", prefill_seconds_);
  counter(out, "redraft_decode_seconds_total", "Time spent writing.", decode_seconds_);
  return out.str();
}

}  // namespace redraft::http
