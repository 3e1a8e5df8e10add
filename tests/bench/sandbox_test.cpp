// Hostile Python in the sandbox: each case runs a small program and checks how it ended and what it
// left behind. REDRAFT_PYTHON is the build's interpreter. If the test runs as root, the user
// `nobody` must be able to run the interpreter too, so the system's own is preferred.
#include "bench/sandbox.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
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
  // 0: the statement was refused with an OSError or the like; 1: it was carried out.
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
  EXPECT_EQ(run("import time\ntime.sleep(1000000)", {.wall_seconds = 0.3}).end, End::kTimeout);
  const SandboxResult spins = run("while True: pass", {.wall_seconds = 240, .cpu_seconds = 1});
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

// Every process of the fork bomb would write a file into the folder; the number of files is the
// count.
TEST_F(Sandbox, AForkBombIsLimitedAndLeavesNothing) {
  const SandboxResult result =
      run("import os, sys, time\nmade = 0\n"
          "for i in range(200):\n"
          "    try:\n"
          "        if os.fork() == 0:\n            time.sleep(100)\n"
          "        made += 1\n"
          "    except OSError:\n        break\n"
          "sys.exit(made)\n",
          {.wall_seconds = 120, .processes = 8});
  EXPECT_EQ(result.end, End::kExit);
  EXPECT_GE(result.code, 1);
  EXPECT_LE(result.code, 8);
}

bool is_running(const std::string& mark) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().find(mark) != std::string::npos) return true;
  }
  return false;
}

TEST_F(Sandbox, WhatItStartedEndsWithIt) {
  const std::string mark = "redraft-sandbox-orphan-" + std::to_string(getpid());
  const std::string program =
      "import os, sys, time\n"
      "if os.fork() == 0:\n"
      "    try:\n        os.setsid()\n    except OSError:\n        pass\n"
      "    os.execv(sys.executable, [sys.executable, '-c', 'import time; open(\"up\", "
      "\"w\").close(); "
      "time.sleep(1000)', '" +
      mark + "'])\n";
  EXPECT_EQ(run(program + "while not os.path.exists('up'): time.sleep(0.01)\n").end, End::kExit);
  EXPECT_EQ(run(program + "time.sleep(1000)\n", {.wall_seconds = 0.5}).end, End::kTimeout);
  // It was killed, and may not have gone yet.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (is_running(mark) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_running(mark));
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
  // What asyncio needs stays within the process.
  EXPECT_TRUE(run("import asyncio\nasyncio.run(asyncio.sleep(0))").succeeded());
  close(listener);
}

TEST_F(Sandbox, CannotWriteOutside) {
  std::string folder = (std::filesystem::temp_directory_path() / "redraft-outside-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  // Were it not for the sandbox, the user `nobody` could write here.
  std::filesystem::permissions(folder, std::filesystem::perms::all);
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

// A terminal whose input anybody may read, and a process that has it as its controlling terminal,
// as a shell's commands have theirs.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    name_ = ptsname(master_);
    chmod(name_.c_str(), 0666);  // even a sandbox of another user may open it
  }
  ~Terminal() { close(master_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  const std::string& name() const { return name_; }

  // What `body` returns in a session that owns the terminal.
  template <typename Body>
  auto controlling(const Body& body) const {
    decltype(body()) answers = {};
    std::array<int, 2> ends = {-1, -1};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      setsid();
      // Inherited, and the controlling terminal from here on.
      const int slave = open(name_.c_str(), O_RDWR);
      termios raw = {};
      tcgetattr(slave, &raw);
      cfmakeraw(&raw);  // input counts at once, not only when its line ends
      tcsetattr(slave, TCSANOW, &raw);
      for (const int standard : {0, 1, 2}) dup2(slave, standard);
      answers = body();
      const bool told = write(ends[1], &answers, sizeof answers) == sizeof answers;
      _exit(told ? 0 : 1);
    }
    close(ends[1]);
    EXPECT_EQ(read(ends[0], &answers, sizeof answers), static_cast<ssize_t>(sizeof answers));
    close(ends[0]);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return answers;
  }

 private:
  int master_;
  std::string name_;
};

constexpr const char* kAskTerminal = R"(
import ctypes, fcntl, os, sys
def refused(call, *arguments):
    try:
        call(*arguments)
    except OSError as error:
        return error.errno
    return 0
def everywhere(request, text):
    errors = {refused(fcntl.ioctl, each, request, text) for each in range(70)}
    return errors.pop() if len(errors) == 1 else 255
def system_call(number, request):
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.syscall(number, 0, ctypes.c_ulong(request), ctypes.c_char_p(b'x'))
    return ctypes.get_errno() if failed else 0
def terminal_number():
    return int(open('/proc/self/stat').read().rpartition(')')[2].split()[4])
)";

// A kernel may itself refuse TIOCSTI, with EIO, and refuses it with EPERM for a terminal that is
// not the caller's. So the test also tries it on /dev/null and on descriptors that are not open:
// only a filter, which does not look at descriptors, answers EPERM there.
TEST_F(Sandbox, CannotTypeIntoTheTerminal) {
  struct Answers {
    int opened_here;  // by the test itself: what the sandbox refuses did exist
    int has_one, shares_session, dev_tty, sti, console, sti_call, wide_sti, wide_console, size;
    int waiting;  // bytes of pending input
  };
  const Terminal terminal;
  ASSERT_FALSE(terminal.name().empty());
  const auto ask = [](const std::string& what) {
    return run(kAskTerminal + ("sys.exit(" + what + ")\n")).code;
  };
  const std::string sti = std::to_string(TIOCSTI);
  const std::string console = std::to_string(TIOCLINUX);
  const std::string call = "system_call(" + std::to_string(SYS_ioctl) + ", ";
  const Answers answers = terminal.controlling([&] {
    Answers said = {};
    const int here = open("/dev/tty", O_RDWR);
    said.opened_here = here >= 0 ? 1 : 0;
    said.has_one = ask("terminal_number() != 0");
    said.shares_session = ask("os.getsid(0) != os.getpid()");
    said.dev_tty = ask("refused(os.open, '/dev/tty', os.O_RDONLY)");
    said.sti = ask("everywhere(" + sti + ", b'x')");
    said.console = ask("everywhere(" + console + ", b'\\x02')");
    said.sti_call = ask(call + sti + ")");
    said.wide_sti = ask(call + sti + " | 1 << 32)");  // the kernel uses the low half
    said.wide_console = ask(call + console + " | 0xabcd << 32)");
    said.size = ask(call + std::to_string(TIOCGWINSZ) + ")");
    for (const std::string& name : {std::string("/dev/tty"), terminal.name()})
      ask("fcntl.ioctl(os.open('" + name + "', os.O_RDONLY), " + sti + ", b'x')");
    ioctl(here, FIONREAD, &said.waiting);
    return said;
  });
  EXPECT_EQ(answers.opened_here, 1);
  EXPECT_EQ(answers.has_one, 0);
  EXPECT_EQ(answers.shares_session, 0);
  EXPECT_THAT(answers.dev_tty, testing::AnyOf(ENXIO, EACCES));
  EXPECT_EQ(answers.sti, EPERM);
  EXPECT_EQ(answers.console, EPERM);
  EXPECT_EQ(answers.sti_call, EPERM);
  EXPECT_EQ(answers.wide_sti, EPERM);
  EXPECT_EQ(answers.wide_console, EPERM);
  EXPECT_EQ(answers.size, ENOTTY);  // other requests pass
  EXPECT_EQ(answers.waiting, 0);
}

// The first process of a session may take over a terminal that belongs to no session.
TEST_F(Sandbox, CannotReadADevice) {
  const Terminal terminal;
  ASSERT_FALSE(terminal.name().empty());
  for (const std::string& name :
       {terminal.name(), std::string("/dev/tty"), std::string("/dev/ptmx")}) {
    EXPECT_EQ(outcome("", "os.open('" + name + "', os.O_RDONLY | os.O_NONBLOCK)"), 0) << name;
  }
  for (const char* name : {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"})
    EXPECT_EQ(outcome("", std::string("open('") + name + "', 'rb').read(1)"), 1) << name;
  EXPECT_EQ(outcome("", "open('/etc/passwd').read(); open('/proc/self/stat').read()"), 1);
}

// The filter looks at the arguments of clone().
TEST_F(Sandbox, CannotMakeANamespace) {
  EXPECT_EQ(outcome("import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)",
                    "if libc.syscall(" + std::to_string(SYS_clone) + ", " +
                        std::to_string(CLONE_NEWUSER | SIGCHLD) +
                        ", 0, 0, 0, 0) < 0: raise OSError(ctypes.get_errno())"),
            0);
  EXPECT_EQ(outcome("", "os._exit(1) if os.fork() == 0 else os.wait()"), 1);
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
