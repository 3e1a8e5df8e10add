#include "support/log/log.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft::logging {
namespace {

// What `log` writes to stderr.
template <typename Log>
std::string written(const Log& log) {
  testing::internal::CaptureStderr();
  to_stderr_of_server(Lines::kOfOneProcess, std::nullopt);
  log();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, ReplacesEachPlaceByOneArgument) {
  const std::string line = written([] {
    set_level("info");
    info("edit {} of {}: {} s, {}", 7, std::string("a.py"), 0.5, "{} stays");
  });
  EXPECT_NE(line.find(" info edit 7 of a.py: 0.5 s, {} stays\n"), std::string::npos) << line;
}

TEST(Log, LeavesOutWhatTheLevelExcludes) {
  EXPECT_EQ(written([] {
              set_level("warning");
              info("not written");
              debug("nor this");
            }),
            "");
}

TEST(Log, WritesAWrongFormatAsItIs) {
  const std::string line = written([] { write(Level::kError, "{} and {", {1}); });
  EXPECT_NE(line.find(" error {} and {\n"), std::string::npos) << line;
}

}  // namespace
}  // namespace redraft::logging
