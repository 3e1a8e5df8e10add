// What this process spends its time on, as spans that chrome://tracing and Perfetto show: a row for
// each thread, and below a request's span those of its parts.
//
//   {
//     Span span("verify", "rows", rows);  // from here
//     …
//   }                                     // to here
//
// Spans are everywhere, so while nobody has asked for a trace (begin_trace()) one is the look at
// one flag and nothing else. While somebody has, a span is some 100 bytes that the thread appends
// to a buffer under a lock when the span ends; whoever fills the buffer, or finds it old, writes it
// to the file.
//
// A trace is made to be shown to others. Names are literals and values are numbers, by type, so no
// text of a document can get into one.
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

// A literal: what is not one does not compile.
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

// Of one span.
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

// Of the calling thread, from its construction to its end.
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

// From `begin` to now something waited. Waits overlap as no spans of a thread do, so they are in
// rows of their own.
inline void trace_wait(TraceName name, TraceClock::time_point begin, TraceName value_name,
                       std::int64_t value) {
  if (!tracing()) return;
  TraceValues values;
  values.add(value_name, value);
  trace_detail::record_wait(name, begin, values);
}

// Bytes from which on nothing more is traced: about a million spans.
inline constexpr std::size_t kMaxTraceBytes = std::size_t{128} << 20;

// From now on spans are written to a new file (GrowingFile), whose name is returned. An error: it
// cannot be made, or there is a trace already.
Result<std::filesystem::path> begin_trace(const std::filesystem::path& file,
                                          std::size_t max_bytes = kMaxTraceBytes);
// Writes what is left. Any thread may end the trace, also while others are within spans; without
// one nothing happens. An error: the file lacks something, and why.
Result<void> end_trace();

}  // namespace redraft
