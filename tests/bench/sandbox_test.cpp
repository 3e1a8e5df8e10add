// Hostile Python in the sandbox: each case runs a small program and looks at how it ended and what
// it left behind. REDRAFT_PYTHON is the build's interpreter; if this
// is root's test, the user nobody must be able to run it, so the system's own is preferred.
#include "bench/sandbox.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/pass_at_1.h"

namespace redraft {
namespace {

using End = SandboxResult::End;

const std::string& python() {
  static const std::string kPython =
      std::filesystem::exists("/usr/bin/python3") ? "/usr/bin/python3" : REDRAFT_PYTHON;
  return kPython;
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    const auto trial = run_sandboxed({python(), "-c", "pass"}, "x", "");
    if (trial) return;
    ASSERT_THAT(trial.error().message(), testing::HasSubstr("this kernel"));
    GTEST_SKIP() << trial.error().message();
  }
  static SandboxResult run(const std::string& program, const SandboxLimits& limits = {}) {
    const auto result =
        run_sandboxed({python(), "-I", "program.py"}, "program.py", program, limits);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : SandboxResult{.code = -1};
  }
  // 0: the statement was refused with an OSError or its like; 1: it was carried out.
  static int outcome(const std::string& imports, const std::string& statement) {
    return run("import os, sys\n" + imports + "\ntry:\n    " + statement +
               "\nexcept (OSError, MemoryError, RuntimeError):\n    sys.exit(0)\nsys.exit(1)\n")
        .code;
  }
};

TEST_F(Sandbox, TellsHowAProgramEnds) {
  EXPECT_TRUE(run("print('fine')").succeeded());
  EXPECT_EQ(run("import sys; sys.exit(7)").code, 7);
  EXPECT_EQ(run("assert 1 == 2").code, 1);
  const SandboxResult crashed = run("import ctypes; ctypes.string_at(0)");
  EXPECT_EQ(crashed.end, End::kSignal);
  EXPECT_EQ(crashed.code, SIGSEGV);
}

TEST_F(Sandbox, HasNoEnvironmentNoInputAndAnEmptyFolder) {
  EXPECT_EQ(
      run("import os, sys\n"
          "sys.exit(sorted(os.listdir()) != ['program.py'] or len(set(os.environ) - {'LC_CTYPE'})\n"
          "         or sys.stdin.read() != '')\n")
          .code,
      0);
  EXPECT_EQ(run("import os, sys\nsys.exit(len(os.listdir('/proc/self/fd')) > 4)").code, 0);
}

TEST_F(Sandbox, MayWriteInItsFolder) {
  EXPECT_EQ(run("import os\n"
                "open('a', 'w').write('x' * 1000)\nos.mkdir('b')\nos.rename('a', 'b/a')\n"
                "assert open('b/a').read() == 'x' * 1000\nos.remove('b/a')\nos.rmdir('b')\n"
                "open('/dev/null', 'w').write('y')\n")
                .code,
            0);
}

TEST_F(Sandbox, EndsAtItsTimeLimit) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run("import time\ntime.sleep(100)", {.wall_seconds = 0.3}).end, End::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const SandboxResult spins = run("while True: pass", {.wall_seconds = 30, .cpu_seconds = 1});
  EXPECT_EQ(spins.end, End::kSignal);
}

TEST_F(Sandbox, AMemoryBombFails) {
  EXPECT_EQ(run("try:\n    x = bytearray(1 << 30)\nexcept MemoryError:\n    raise SystemExit(5)",
                {.memory_bytes = std::size_t{256} << 20})
                .code,
            5);
}

TEST_F(Sandbox, AFileBombFails) {
  EXPECT_NE(run("open('a', 'wb').write(bytes(1 << 20))", {.file_bytes = 1 << 16}).code, 0);
}

// Every process of the bomb would write a file into the folder; the folder's fill is the count.
TEST_F(Sandbox, AForkBombIsLimitedAndLeavesNothing) {
  const SandboxResult result =
      run("import os, sys, time\nmade = 0\n"
          "for i in range(200):\n"
          "    try:\n"
          "        if os.fork() == 0:\n            time.sleep(100)\n"
          "        made += 1\n"
          "    except OSError:\n        break\n"
          "sys.exit(made)\n",
          {.wall_seconds = 20, .processes = 8});
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_GE(result.code, 1);
  EXPECT_LE(result.code, 8);
}

TEST_F(Sandbox, WhatItStartedEndsWithIt) {
  const std::string mark = "redraft-sandbox-orphan-" + std::to_string(getpid());
  EXPECT_EQ(
      run("import os, sys, time\n"
          "if os.fork() == 0:\n"
          "    try:\n        os.setsid()\n    except OSError:\n        pass\n"
          "    os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', '" +
          mark + "'])\ntime.sleep(0.2)\n")
          .code,
      0);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str().find(mark), std::string::npos) << entry.path();
  }
}

TEST_F(Sandbox, CannotReachASocketOutside) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(listener, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  EXPECT_EQ(outcome("import socket", "socket.create_connection(('127.0.0.1', " + port + "), 2)"),
            0);
  EXPECT_EQ(outcome("import socket", "socket.socket(socket.AF_UNIX)"), 0);
  // What asyncio needs is within the process.
  EXPECT_TRUE(run("import asyncio\nasyncio.run(asyncio.sleep(0))").succeeded());
  close(listener);
}

TEST_F(Sandbox, CannotWriteOutside) {
  std::string folder = (std::filesystem::temp_directory_path() / "redraft-outside-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::filesystem::permissions(folder,
                               std::filesystem::perms::all);  // nobody's to write, but for us
  const std::string file = folder + "/kept";
  std::ofstream(file) << "as it was";
  std::filesystem::permissions(file, std::filesystem::perms::all);
  for (const std::string& statement :
       {"open('" + file + "', 'w')", "open('" + file + "', 'a')", "os.truncate('" + file + "', 0)",
        "os.remove('" + file + "')", "os.rename('" + file + "', 'mine')",
        "os.link('" + file + "', 'l')", "os.chmod('" + file + "', 0)", "os.utime('" + file + "')",
        "open('" + folder + "/new', 'w')", "os.mkdir('" + folder + "/d')",
        "os.symlink('x', '" + folder + "/s')"}) {
    EXPECT_EQ(outcome("", statement), 0) << statement;
  }
  std::string text;
  std::getline(std::ifstream(file), text);
  EXPECT_EQ(text, "as it was");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
  std::filesystem::remove_all(folder);
}

TEST_F(Sandbox, CannotReachOtherProcesses) {
  const std::string us = std::to_string(getpid());
  EXPECT_EQ(outcome("", "os.kill(" + us + ", 0)"), 0);
  EXPECT_EQ(outcome("", "os.kill(-1, 0)"), 0);
  EXPECT_EQ(
      outcome("import resource", "resource.prlimit(" + us + ", resource.RLIMIT_NOFILE, (9, 9))"),
      0);
  EXPECT_EQ(outcome("", "os.setpriority(os.PRIO_PROCESS, " + us + ", 19)"), 0);
  EXPECT_EQ(outcome("", "open('/proc/" + us + "/mem', 'r+b')"), 0);
  EXPECT_EQ(outcome("", "os.setsid()"), 0);
}

TEST_F(Sandbox, HasNoPrivileges) {
  EXPECT_EQ(run("import os, sys\nsys.exit(os.getuid() == 0 or any(line.split()[1].strip('0') for "
                "line in\n"
                "    open('/proc/self/status') if line.startswith(('CapEff', 'CapPrm'))))")
                .code,
            0);
}

TEST_F(Sandbox, AProgramThatIsNotThere) {
  const auto result = run_sandboxed({"/no/such/program"}, "x", "");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), testing::HasSubstr("cannot be run"));
}

BenchTask function_task(TaskKind kind) {
  BenchTask task;
  task.kind = kind;
  task.id = "double";
  task.language = "python";
  task.prompt = "def double(x):\n";
  task.reference = "    return 2 * x\n";
  task.tests = TaskTests{"def check(candidate):\n    assert candidate(3) == 6\n", "double"};
  return task;
}

TEST_F(Sandbox, TestsTellRightFromWrong) {
  auto runner = TestRunner::make(python());
  ASSERT_TRUE(runner) << runner.error().message();
  BenchTask task = function_task(TaskKind::kGeneration);
  EXPECT_EQ(runner->accepts(task, "    return x + x\n"), true);
  EXPECT_EQ(runner->accepts(task, "    return x\n"), false);
  EXPECT_EQ(runner->accepts(task, "Sure:\n```python\ndef double(x):\n    return x * 2\n```\nDone."),
            true);
  task = function_task(TaskKind::kCompletion);
  task.id = "middle";
  task.reference = "    y = x\n";
  task.suffix = "    return y + x\n";
  EXPECT_EQ(runner->accepts(task, "    y = x\n"), true);
  EXPECT_EQ(runner->accepts(task, "    y = 1\n"), false);
  task = function_task(TaskKind::kEdits);
  task.id = "edit";
  task.file = EditText{"", "def double(x):\n    return 2 * x\n"};
  task.tests->code = "assert double(1) == 2";
  EXPECT_EQ(runner->accepts(task, "def double(x):\n    return 2\n"), true);
  EXPECT_EQ(runner->accepts(task, "def double(x):\n"), false);
  task.id = "needs a package";
  task.tests->code = "import no_such_package";
  EXPECT_EQ(runner->accepts(task, "def double(x):\n    return 2\n"), std::nullopt);
  task.tests.reset();
  EXPECT_EQ(runner->accepts(task, ""), std::nullopt);
}

TEST_F(Sandbox, TestsMayBeJson) {
  const auto tasks = parse_tasks(
      "quix.jsonl",
      R"({"id": "a", "language": "python", "name": "halves", "instruction": "i", "before": "", )"
      R"("tests": "import pytest", "json_tests": "[[4, 2], [2, 1]]\n[[\"x'\", 1], null]\n"})",
      TaskKind::kEdits, {});
  ASSERT_TRUE(tasks) << tasks.error().message();
  auto runner = TestRunner::make(python());
  ASSERT_TRUE(runner) << runner.error().message();
  EXPECT_EQ(
      runner->accepts(
          tasks->tasks[0],
          "def halves(a, b):\n    return None if a == \"x'\" else (x // 2 for x in (a, b))\n"),
      true);
  EXPECT_EQ(runner->accepts(tasks->tasks[0], "def halves(a, b):\n    return None\n"), false);
}

TEST(TestRunner, SaysWhenThereIsNoPython) { EXPECT_FALSE(TestRunner::make("/no/such/python")); }

}  // namespace
}  // namespace redraft
