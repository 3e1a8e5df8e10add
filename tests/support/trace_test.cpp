#include "support/trace/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/named_thread.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using nlohmann::json;

class TraceTest : public testing::Test {
 protected:
  ~TraceTest() override { (void)end_trace(); }

  std::filesystem::path begin(std::size_t max_bytes = kMaxTraceBytes) {
    const Result<std::filesystem::path> path = begin_trace(folder_.path() / "trace", max_bytes);
    EXPECT_TRUE(path);
    return *path;
  }
  static std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static std::vector<json> events(const std::filesystem::path& file, const std::string& phase) {
    std::vector<json> found;
    for (const json& event : json::parse(text_of(file))) {
      if (event.at("ph") == phase) found.push_back(event);
    }
    return found;
  }
  // In whole nanoseconds, as measured.
  static std::int64_t ns(const json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000);
  }
  // Rows by their threads.
  static std::map<std::int64_t, std::vector<json>> rows(const std::filesystem::path& file) {
    std::map<std::int64_t, std::vector<json>> rows;
    for (json& event : events(file, "X")) rows[event.at("tid")].push_back(std::move(event));
    return rows;
  }
  // As the viewers need them: of two spans in a row one contains the other, or they do not overlap.
  static void expect_nested(const std::filesystem::path& file) {
    for (auto& [row, spans] : rows(file)) {
      std::ranges::sort(spans, [](const json& a, const json& b) {
        return std::pair(ns(a["ts"]), -ns(a["dur"])) < std::pair(ns(b["ts"]), -ns(b["dur"]));
      });
      std::vector<std::int64_t> open;  // the ends of open spans
      for (const json& span : spans) {
        const std::int64_t begin = ns(span["ts"]);
        const std::int64_t end = begin + ns(span["dur"]);
        EXPECT_GE(begin, 0);
        EXPECT_GE(end, begin);
        while (!open.empty() && open.back() <= begin) open.pop_back();
        EXPECT_TRUE(open.empty() || end <= open.back()) << span;
        open.push_back(end);
      }
    }
  }

  TempFolder folder_;
};

TEST_F(TraceTest, IsAnArrayOfCompleteEventsWithNamedThreads) {
  const auto file = begin();
  {
    Span span("edit", "edit", 7);
    const Span part("draft");
    span.set("rows", 3);
  }
  start_thread("redraft-decode", [] { const Span span("verify"); }).join();
  ASSERT_TRUE(end_trace());
  for (const json& event : events(file, "X")) {
    for (const char* key : {"name", "pid", "tid", "ts", "dur", "args"})
      EXPECT_TRUE(event.contains(key)) << event;
  }
  std::map<std::string, json> spans;
  for (const json& event : events(file, "X")) spans[event.at("name")] = event;
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans["edit"].at("args"), (json{{"edit", 7}, {"rows", 3}}));
  EXPECT_EQ(spans["draft"].at("tid"), spans["edit"].at("tid"));
  EXPECT_NE(spans["verify"].at("tid"), spans["edit"].at("tid"));
  std::map<std::int64_t, std::string> names;
  for (const json& event : events(file, "M")) {
    if (event.at("name") == "thread_name") names[event.at("tid")] = event.at("args").at("name");
  }
  EXPECT_EQ(names[spans["edit"].at("tid")], "main");
  EXPECT_EQ(names[spans["verify"].at("tid")], "redraft-decode");
  expect_nested(file);
}

TEST_F(TraceTest, SpansOfAThreadLieWithinEachOther) {
  const auto file = begin();
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.push_back(start_thread(ThreadName("redraft-pool", thread), [] {
        for (int i = 0; i < 500; ++i) {
          const Span outer("outer");
          const Span first("first", "i", i);
          const Span second("second");
        }
      }));
    }
  }
  ASSERT_TRUE(end_trace());
  EXPECT_EQ(events(file, "X").size(), 4U * 500 * 3);
  EXPECT_EQ(rows(file).size(), 4U);
  expect_nested(file);
}

TEST_F(TraceTest, WaitsThatOverlapHaveRowsOfTheirOwn) {
  const auto file = begin();
  const auto first = TraceClock::now();
  const auto second = TraceClock::now();
  trace_wait("queue", first, "job", 1);
  trace_wait("queue", second, "job", 2);
  trace_wait("queue", TraceClock::now(), "job", 3);  // the first row is free again
  ASSERT_TRUE(end_trace());
  EXPECT_EQ(events(file, "X").size(), 3U);
  EXPECT_EQ(rows(file).size(), 2U);
  expect_nested(file);
}

TEST_F(TraceTest, NothingIsTracedBeforeAndAfter) {
  { const Span span("before"); }
  EXPECT_FALSE(tracing());
  const auto file = begin();
  EXPECT_TRUE(tracing());
  EXPECT_FALSE(begin_trace(folder_.path() / "other"));
  { const Span span("within"); }
  {
    const Span span("into the end");
    ASSERT_TRUE(end_trace());
  }
  { const Span span("after"); }
  EXPECT_FALSE(tracing());
  const auto spans = events(file, "X");
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].at("name"), "within");
  EXPECT_TRUE(end_trace());
}

TEST_F(TraceTest, ThreadsTellEveryTraceTheirNames) {
  for (int i = 0; i < 2; ++i) {
    const auto file = begin();
    { const Span span("here"); }
    ASSERT_TRUE(end_trace());
    EXPECT_FALSE(events(file, "M").empty());
    EXPECT_EQ(events(file, "X").size(), 1U);
  }
}

TEST_F(TraceTest, HasAnEnd) {
  constexpr std::size_t kBytes = 100'000;
  const auto file = begin(kBytes);
  for (int i = 0; i < 5000; ++i) const Span span("again", "i", i);
  const Result<void> ended = end_trace();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message(), testing::HasSubstr("the trace is full"));
  EXPECT_LT(std::filesystem::file_size(file), kBytes + 2000);
  const std::size_t kept = events(file, "X").size();
  EXPECT_GT(kept, 500U);
  const auto metadata = events(file, "M");
  const auto left_out = std::ranges::find(metadata, "spans_left_out", [](const json& event) {
    return event.at("name").get<std::string>();
  });
  ASSERT_NE(left_out, metadata.end());
  EXPECT_EQ(left_out->at("args").at("spans"), 5000 - kept);
}

TEST_F(TraceTest, ReplacesNoFile) {
  const auto file = folder_.path() / "trace";
  std::ofstream(file) << "precious";
  const auto other = begin();
  EXPECT_NE(other, file);
  ASSERT_TRUE(end_trace());
  EXPECT_EQ(text_of(file), "precious");
  EXPECT_EQ(std::filesystem::status(other).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(TraceTest, AFileThatCannotBeMadeIsAnError) {
  const auto path = begin_trace(folder_.path() / "missing" / "trace");
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().message(), testing::HasSubstr("missing/trace"));
  EXPECT_FALSE(tracing());
}

}  // namespace
}  // namespace redraft
