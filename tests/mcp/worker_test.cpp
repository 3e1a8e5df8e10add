#include "mcp/tools/worker.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "tests/mcp/fake_call.h"

namespace redraft::mcp {
namespace {

using testing::HasSubstr;

std::string outcome(long answer) { return answer >= 0 ? "done" : std::to_string(errno); }

std::string answer_request(std::string_view request) {
  if (request == "open") return outcome(::open("/etc/passwd", O_RDONLY));
  if (request == "socket") return outcome(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (request == "kill") return outcome(::kill(::getppid(), 0));
  if (request == "fork") return outcome(::fork());
  if (request == "write") return outcome(::write(STDERR_FILENO, "x", 1));
  if (request == "crash") std::abort();
  if (request == "throw") throw std::runtime_error("why");
  return "got " + std::string(request);
}

class WorkerTest : public testing::Test {
 protected:
  std::string ask(std::string_view request) {
    const Result<std::string> answer = worker_.ask(call_, request);
    return answer ? *answer : answer.error().message();
  }

  FakeCall call_{Json::object(), nullptr};
  Worker worker_{answer_request};
};

TEST_F(WorkerTest, AnswersTextsOfAnySize) {
  EXPECT_EQ(ask("this"), "got this");
  EXPECT_EQ(ask(""), "got ");
  const std::string large(std::size_t{5} << 20, 'x');
  EXPECT_EQ(ask(large), "got " + large);
}

TEST_F(WorkerTest, CanOnlyAnswer) {
  for (const char* request : {"open", "socket", "kill", "fork"})
    EXPECT_EQ(ask(request), std::to_string(EPERM)) << request;
  EXPECT_EQ(ask("write"), std::to_string(EBADF));
}

TEST_F(WorkerTest, IsReplacedAfterACrash) {
  for (const char* request : {"crash", "throw"}) {
    EXPECT_THAT(ask(request), HasSubstr("could not be parsed"));
    EXPECT_EQ(ask("again"), "got again");
  }
}

TEST_F(WorkerTest, ALateAnswerIsNobodys) {
  EXPECT_EQ(ask("one"), "got one");
  call_.cancelled = true;
  EXPECT_THAT(ask("two"), HasSubstr("cancelled"));
  call_.cancelled = false;
  EXPECT_EQ(ask("three"), "got three");
}

}  // namespace
}  // namespace redraft::mcp
