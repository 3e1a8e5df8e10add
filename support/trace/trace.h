// Traces of this process as spans that chrome://tracing and Perfetto show: one row per thread, with
// the parts of a request below the request's span.
//
//   {
//     Span span("verify", "rows", rows);  // from here
//     …
//   }                                     // to here
//
// Spans are everywhere, so without a trace (begin_trace()) a span only checks one flag. During a
// trace, the thread appends about 100 bytes per span to a buffer, under a lock, when the span ends.
// A thread that fills the buffer, or finds it old, writes it to the file.
//
// A trace is made to be shown to others. By their types, names are literals and values are numbers,
// so no text of a document can get into a trace.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "support/result.h"

namespace redraft {

using TraceClock = std::chrono::steady_clock;

// A string literal; anything else does not compile.
class TraceName {
 public:
  constexpr TraceName() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  consteval TraceName(const char* literal) : text_(literal) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_ = "";
};

struct TraceValue {
  TraceName name = {};
  std::int64_t value = 0;
};

// The values of one span.
struct TraceValues {
  static constexpr std::size_t kMaxValues = 4;
  std::array<TraceValue, kMaxValues> values = {};
  std::size_t count = 0;

  void add(TraceName name, std::int64_t value) {
    if (count < kMaxValues) values[count++] = {name, value};
  }
};

namespace trace_detail {
inline std::atomic<bool> on{false};
void record(TraceName name, TraceClock::time_point begin, const TraceValues& values);
void record_wait(TraceName name, TraceClock::time_point begin, const TraceValues& values);
}  // namespace trace_detail

inline bool tracing() { return trace_detail::on.load(std::memory_order_relaxed); }

// A span of the calling thread, from construction to destruction.
class Span {
 public:
  explicit Span(TraceName name) : name_(name), on_(tracing()) {
    if (on_) begin_ = TraceClock::now();
  }
  Span(TraceName name, TraceName value_name, std::int64_t value) : Span(name) {
    set(value_name, value);
  }
  ~Span() {
    if (on_) trace_detail::record(name_, begin_, values_);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // At most TraceValues::kMaxValues.
  void set(TraceName name, std::int64_t value) {
    if (on_) values_.add(name, value);
  }

 private:
  TraceName name_;
  bool on_;
  TraceClock::time_point begin_;
  TraceValues values_;
};

// Records a wait from `begin` until now. Unlike the spans of a thread, waits overlap, so they have
// their own rows.
inline void trace_wait(TraceName name, TraceClock::time_point begin, TraceName value_name,
                       std::int64_t value) {
  if (!tracing()) return;
  TraceValues values;
  values.add(value_name, value);
  trace_detail::record_wait(name, begin, values);
}

// Size in bytes at which tracing stops: about a million spans.
inline constexpr std::size_t kMaxTraceBytes = std::size_t{128} << 20;

// Starts writing spans to a new file (GrowingFile), and returns its name. Fails if the file cannot
// be created, or if a trace is already running.
Result<std::filesystem::path> begin_trace(const std::filesystem::path& file,
                                          std::size_t max_bytes = kMaxTraceBytes);
// Writes the remaining spans and ends the trace. Any thread may call this, even while others are
// within spans; without a trace it does nothing. The error says what the file lacks, and why.
Result<void> end_trace();

}  // namespace redraft
