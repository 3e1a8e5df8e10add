// The file is a JSON array of events in Chrome's "Trace Event Format": complete events (ph X) with
// a thread, a beginning and a length in microseconds, and metadata (ph M) that names processes and
// threads. A process that is killed leaves an array without its end, which the viewers accept.
#include "support/trace/trace.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/files/growing_file.h"
#include "support/named_thread.h"

namespace redraft {
namespace {

constexpr std::size_t kBufferBytes = 64 << 10;
constexpr auto kWriteEvery = std::chrono::seconds(1);  // limits what is lost if the process ends
// Rows of waits have numbers above those that the system gives to threads.
constexpr long kFirstWaitRow = 1L << 30;
constexpr std::size_t kMaxWaitRows = 64;

long thread_id() {
  thread_local const long id = ::syscall(SYS_gettid);
  return id;
}

// Counts traces, so that a thread knows whether it has added its name to this one.
std::atomic<int> last_trace{0};

// Nanoseconds as microseconds, exactly, so that nested spans also nest in the file.
std::string microseconds(TraceClock::duration time) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
  char text[32];
  std::snprintf(text, sizeof text, "%" PRId64 ".%03d", static_cast<std::int64_t>(ns / 1000),
                static_cast<int>(ns % 1000));
  return text;
}

class Trace {
 public:
  Trace(GrowingFile file, std::size_t max_bytes)
      : file_(std::move(file)), max_bytes_(max_bytes), buffer_("[\n") {
    const long main_thread = ::getpid();
    add_name("process_name", main_thread, "redraft");
    add_name("thread_name", main_thread, "main");
  }

  void leave_out() { ++left_out_; }

  void add_thread(long thread, const char* name) { add_name("thread_name", thread, name); }

  void add(TraceName name, long row, TraceClock::time_point begin, TraceClock::time_point end,
           const TraceValues& values) {
    if (full_) {
      ++left_out_;
      return;
    }
    // A span that began before the trace is shown from the start of the trace.
    begin = std::max(begin, start_);
    std::string event = "{\"ph\":\"X\",\"name\":\"" + std::string(name.text()) + "\"," + of(row) +
                        ",\"ts\":" + microseconds(begin - start_) +
                        ",\"dur\":" + microseconds(std::max(end, begin) - begin) + ",\"args\":{";
    for (std::size_t i = 0; i < values.count; ++i) {
      const TraceValue& value = values.values[i];
      event += (i > 0 ? ",\"" : "\"") + std::string(value.name.text()) +
               "\":" + std::to_string(value.value);
    }
    append(event + "}}");
  }

  // Adds it to the first row in which nothing is waiting any more.
  void add_wait(TraceName name, TraceClock::time_point begin, TraceClock::time_point end,
                const TraceValues& values) {
    const auto row = std::ranges::find_if(
        wait_rows_, [&](TraceClock::time_point last) { return last <= begin; });
    const auto index = row - wait_rows_.begin();
    if (row != wait_rows_.end()) {
      *row = end;
    } else if (wait_rows_.size() == kMaxWaitRows) {
      ++left_out_;
      return;
    } else {
      wait_rows_.push_back(end);
      add_name("thread_name", kFirstWaitRow + index, "waiting");
    }
    add(name, kFirstWaitRow + index, begin, end, values);
  }

  Result<void> end() {
    append("{\"ph\":\"M\",\"name\":\"spans_left_out\"," + of(::getpid()) +
           ",\"args\":{\"spans\":" + std::to_string(left_out_) + "}}");
    buffer_ += "\n]\n";
    write();
    if (problem_) return *problem_;
    if (left_out_ > 0) {
      return Error(file_.path().string() + ": the trace is full; " + std::to_string(left_out_) +
                   " later spans were dropped");
    }
    return {};
  }

 private:
  static std::string of(long row) {
    return "\"pid\":" + std::to_string(::getpid()) + ",\"tid\":" + std::to_string(row);
  }

  // `name` is a literal or the name of a thread, which comes from us or from libraries.
  void add_name(const char* kind, long row, const char* name) {
    std::string escaped;
    for (const char* c = name; *c != '\0'; ++c) {
      const bool plain = *c >= ' ' && *c < 0x7F && *c != '"' && *c != '\\';
      escaped += plain ? *c : '?';
    }
    append("{\"ph\":\"M\",\"name\":\"" + std::string(kind) + "\"," + of(row) +
           ",\"args\":{\"name\":\"" + escaped + "\"}}");
  }

  void append(const std::string& event) {
    if (!std::exchange(first_, false)) buffer_ += ",\n";
    buffer_ += event;
    full_ = full_ || written_ + buffer_.size() > max_bytes_;
    const auto now = TraceClock::now();
    if (buffer_.size() > kBufferBytes || now - last_write_ > kWriteEvery) {
      last_write_ = now;
      write();
    }
  }

  void write() {
    written_ += buffer_.size();
    if (!problem_) {
      const Result<void> appended = file_.append(buffer_);
      if (!appended) problem_ = appended.error();
    }
    full_ = full_ || problem_;
    buffer_.clear();
  }

  GrowingFile file_;
  std::size_t max_bytes_;
  TraceClock::time_point start_ = TraceClock::now();
  TraceClock::time_point last_write_ = start_;
  std::string buffer_;
  bool first_ = true;
  std::size_t written_ = 0;
  bool full_ = false;
  std::size_t left_out_ = 0;
  std::vector<TraceClock::time_point> wait_rows_;  // the end of the last wait in each row
  std::optional<Error> problem_;
};

// Never destroyed: threads may end spans until the process does.
struct Current {
  std::mutex mutex;
  std::optional<Trace> trace;
};
Current& current() {
  static Current& only = *new Current;
  return only;
}

void introduce_thread(Trace& trace) {
  thread_local int introduced_to = 0;
  const int number = last_trace.load(std::memory_order_relaxed);
  if (std::exchange(introduced_to, number) == number || thread_id() == ::getpid()) return;
  trace.add_thread(thread_id(), name_of_this_thread().data());
}

}  // namespace

namespace trace_detail {

// Called by destructors: a span is dropped if there is no memory for it.
void record(TraceName name, TraceClock::time_point begin, const TraceValues& values) {
  const auto end = TraceClock::now();
  const std::lock_guard lock(current().mutex);
  if (!current().trace) return;  // the trace has ended meanwhile
  try {
    introduce_thread(*current().trace);
    current().trace->add(name, thread_id(), begin, end, values);
  } catch (const std::bad_alloc&) {
    current().trace->leave_out();
  }
}

void record_wait(TraceName name, TraceClock::time_point begin, const TraceValues& values) {
  const auto end = TraceClock::now();
  const std::lock_guard lock(current().mutex);
  if (current().trace) current().trace->add_wait(name, begin, end, values);
}

}  // namespace trace_detail

Result<std::filesystem::path> begin_trace(const std::filesystem::path& file,
                                          std::size_t max_bytes) {
  const std::lock_guard lock(current().mutex);
  if (current().trace) return Error("a trace is already running");
  Result<GrowingFile> created = GrowingFile::create(file);
  if (!created) return created.error();
  std::filesystem::path path = created->path();
  ++last_trace;
  current().trace.emplace(std::move(*created), max_bytes);
  trace_detail::on.store(true);
  return path;
}

Result<void> end_trace() {
  const std::lock_guard lock(current().mutex);
  if (!current().trace) return {};
  trace_detail::on.store(false);
  Result<void> ended = current().trace->end();
  current().trace.reset();
  return ended;
}

}  // namespace redraft
