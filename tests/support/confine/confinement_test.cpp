// Each case confines a child, which reports through a pipe.
#include "support/confine/confinement.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include "support/confine/file_rules.h"
#include "tests/kit/outside_attempts.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

using Outcomes = std::map<std::string, std::string>;

// What a child says line by line, as "name outcome".
Outcomes from_a_child(const std::function<void(std::ostream&)>& body) {
  std::array<int, 2> ends = {-1, -1};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::ostringstream said;
    body(said);
    const std::string text = said.str();
    ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                            : 1);
  }
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(ends[0], part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(count));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  std::istringstream lines(text);
  Outcomes outcomes;
  for (std::string name, outcome; lines >> name >> std::ws && std::getline(lines, outcome);)
    outcomes[name] = outcome;
  return outcomes;
}

void say_attempts(std::ostream& out, const fs::path& workspace, const fs::path& home) {
  for (const auto& [name, outcome] : attempt_outside(workspace, home, ::getppid()))
    out << name << " " << outcome << "\n";
}

std::string written(const fs::path& file) {
  std::ofstream out(file);
  out << "x";
  out.flush();
  return out ? "ok" : "refused";
}

class ConfinementTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const Confinement possible = possible_confinement(); !possible.complete())
      GTEST_SKIP() << possible.description();
    std::string name = (fs::temp_directory_path() / "redraft-confine-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    for (const char* each : {"workspace", "home", "own", "sockets", "elsewhere"})
      fs::create_directory(folder_ / each);
    std::ofstream(folder_ / "workspace/a.py") << "a = 1\n";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  fs::path folder_;
};

// Otherwise the other tests would show nothing.
TEST_F(ConfinementTest, WithoutItTheAttemptsSucceed) {
  const Outcomes outcomes = from_a_child(
      [&](std::ostream& out) { say_attempts(out, folder_ / "workspace", folder_ / "home"); });
  for (const char* name :
       {"run", "run-by-descriptor", "inet", "unix", "signal", "workspace-read", "workspace-change",
        "workspace-make", "workspace-move", "workspace-mode", "home-make", "look", "await"})
    EXPECT_EQ(outcomes.at(name), "ok") << name;
  EXPECT_NE(outcomes.at("connect"), "EPERM");
}

TEST_F(ConfinementTest, NothingOutsideCanBeDone) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    const Confinement confined = confine({.writable = {folder_ / "own"}});
    out << "confined " << confined.description() << "\n";
    say_attempts(out, folder_ / "workspace", folder_ / "home");
  });
  EXPECT_THAT(outcomes.at("confined"), AllOf(HasSubstr("Landlock"), HasSubstr("seccomp")));
  EXPECT_THAT(outcomes.at("confined"), Not(HasSubstr(" may ")));
  for (const auto& [name, outcome] : outcomes) {
    if (name == "confined") continue;
    if (name == "workspace-read" || name == "await") {
      EXPECT_EQ(outcome, "ok") << name;
    } else if (name == "look") {
      EXPECT_THAT(outcome, AnyOf("ok", "EPERM"));  // by the kernel's version
    } else {
      EXPECT_THAT(outcome, AnyOf("EPERM", "EACCES")) << name;
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "home"), {}), 0);
}

TEST_F(ConfinementTest, FilesCannotBeCutOff) {
  if (FileRules::version() < 3) GTEST_SKIP() << "this kernel lets files be truncated (Linux 6.2)";
  const fs::path file = folder_ / "workspace/a.py";
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    out << "truncate " << ::truncate(file.c_str(), 0) << "\n";
    out << "open " << ::open(file.c_str(), O_RDONLY | O_TRUNC) << "\n";
  });
  EXPECT_EQ(outcomes, (Outcomes{{"truncate", "-1"}, {"open", "-1"}}));
  EXPECT_EQ(fs::file_size(file), 6U);
}

TEST_F(ConfinementTest, ItsOwnFoldersStayItsOwn) {
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "own/kept");
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own", folder_ / "absent"}});
    std::error_code problem;
    fs::create_directories(folder_ / "own/a/b", problem);
    out << "folder " << problem.value() << "\n";
    out << "file " << written(folder_ / "own/a/b/c") << "\n";
    fs::rename(folder_ / "own/a/b/c", folder_ / "own/d", problem);
    out << "move " << problem.value() << "\n";
    out << "linked " << written(folder_ / "own/kept/e") << "\n";
    fs::remove_all(folder_ / "own/a", problem);
    out << "remove " << problem.value() << "\n";
    out << "nothing " << written("/dev/null") << "\n";
    out << "beside " << written(folder_ / "beside") << "\n";
  });
  EXPECT_EQ(outcomes, (Outcomes{{"folder", "0"},
                                {"file", "ok"},
                                {"move", "0"},
                                {"linked", "ok"},
                                {"remove", "0"},
                                {"nothing", "ok"},
                                {"beside", "refused"}}));
}

std::string outcome_of(long result) { return result >= 0 ? "ok" : std::strerror(errno); }

// The next start of a server would follow a link that this one has made.
TEST_F(ConfinementTest, ItMakesNoLinksDevicesAndPipes) {
  std::ofstream(folder_ / "own/a") << "x";
  const std::string a = folder_ / "own/a", b = folder_ / "own/b";
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    out << "symbolic " << outcome_of(::symlink(folder_.c_str(), b.c_str())) << "\n";
    out << "hard " << outcome_of(::link(a.c_str(), b.c_str())) << "\n";
    out << "pipe " << outcome_of(::mkfifo(b.c_str(), 0600)) << "\n";
    out << "device " << outcome_of(::mknod(b.c_str(), S_IFCHR | 0600, 0x103)) << "\n";
    out << "file " << written(b) << "\n";
  });
  for (const auto& [name, outcome] : outcomes)
    EXPECT_EQ(outcome, name == "file" ? "ok" : "Operation not permitted") << name;
}

// Such as one that a process without this confinement has made.
TEST_F(ConfinementTest, ALinkToWhatIsAboveItsFoldersIsNotFollowed) {
  fs::create_directory_symlink(folder_, folder_ / "own/above");
  fs::create_directory_symlink("/", folder_ / "own/root");
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    out << "above " << written(folder_ / "own/above/x") << "\n";
    out << "home " << written(folder_ / "home/x") << "\n";
    out << "own " << written(folder_ / "own/x") << "\n";
  });
  EXPECT_EQ(outcomes, (Outcomes{{"above", "refused"}, {"home", "refused"}, {"own", "ok"}}));
}

TEST_F(ConfinementTest, ALinkToAFolderOfAnotherUserIsNotFollowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  ASSERT_EQ(::chown((folder_ / "elsewhere").c_str(), 12345, 12345), 0);
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "own/theirs");
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    out << "theirs " << written(folder_ / "own/theirs/x") << "\n";
  });
  EXPECT_EQ(outcomes.at("theirs"), "refused");
}

TEST_F(ConfinementTest, ItIsNobodyElseAndChangesNothingForOthers) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    cpu_set_t all;
    CPU_ZERO(&all);
    CPU_SET(0, &all);
    out << "user " << outcome_of(::setuid(::getuid())) << "\n";
    out << "host " << outcome_of(::sethostname("x", 1)) << "\n";
    out << "priority " << outcome_of(::setpriority(PRIO_PROCESS, ::getppid(), 19)) << "\n";
    out << "processors " << outcome_of(::sched_setaffinity(::getppid(), sizeof all, &all)) << "\n";
    out << "memory " << outcome_of(::shmget(IPC_PRIVATE, 4096, 0600)) << "\n";
    out << "own-priority " << outcome_of(::setpriority(PRIO_PROCESS, 0, 19)) << "\n";
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("CapEff:\t")) out << "capabilities " << line.substr(8) << "\n";
    }
  });
  for (const char* name : {"user", "host", "priority", "processors", "memory"})
    EXPECT_EQ(outcomes.at(name), "Operation not permitted") << name;
  EXPECT_EQ(outcomes.at("own-priority"), "ok");
  EXPECT_EQ(std::stoull(outcomes.at("capabilities"), nullptr, 16) & ~0x6ULL, 0U)
      << "at most to read and write files of any owner";
}

TEST_F(ConfinementTest, AFileMayBeEmptiedWithoutItsFolder) {
  for (const char* each : {"token", "other"})
    std::ofstream(folder_ / "elsewhere" / each) << "secret";
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.changeable = {folder_ / "elsewhere/token"}});
    out << "remove " << outcome_of(::unlink((folder_ / "elsewhere/token").c_str())) << "\n";
    out << "empty " << outcome_of(::truncate((folder_ / "elsewhere/token").c_str(), 0)) << "\n";
    out << "other " << outcome_of(::unlink((folder_ / "elsewhere/other").c_str())) << "\n";
  });
  EXPECT_EQ(
      outcomes,
      (Outcomes{{"remove", "Permission denied"}, {"empty", "ok"}, {"other", "Permission denied"}}));
}

TEST_F(ConfinementTest, ASocketsFolderLetsItsFilesGo) {
  std::ofstream(folder_ / "sockets/s") << "";
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.removable = {folder_ / "sockets"}});
    out << "write " << written(folder_ / "sockets/s") << "\n";
    out << "remove " << ::unlink((folder_ / "sockets/s").c_str()) << "\n";
    out << "make " << written(folder_ / "sockets/t") << "\n";
  });
  EXPECT_EQ(outcomes, (Outcomes{{"write", "refused"}, {"remove", "0"}, {"make", "refused"}}));
}

TEST_F(ConfinementTest, ThreadsAndChildrenStartAsBefore) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.writable = {folder_ / "own"}});
    std::string by_thread;
    std::thread([&] { by_thread = written(folder_ / "workspace/b"); }).join();
    out << "thread " << by_thread << "\n";
    const pid_t child = ::fork();
    if (child == 0) ::_exit(7);
    int status = 0;
    ::waitpid(child, &status, 0);
    out << "child " << WEXITSTATUS(status) << "\n";
    const pid_t crashing = ::fork();
    if (crashing == 0) std::abort();
    ::waitpid(crashing, &status, 0);
    out << "crash " << (WIFSIGNALED(status) ? "yes" : "no") << "\n";
  });
  EXPECT_EQ(outcomes, (Outcomes{{"thread", "refused"}, {"child", "7"}, {"crash", "yes"}}));
}

TEST_F(ConfinementTest, ItSaysThatThreadsRanBefore) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    std::jthread waits([](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
    const Confinement confined = confine({});
    out << "complete " << confined.complete() << "\n";
    out << "confined " << confined.description() << "\n";
  });
  EXPECT_EQ(outcomes.at("complete"), "0");
  EXPECT_THAT(outcomes.at("confined"), HasSubstr("threads that were already running"));
}

// Not tested on a machine with a GPU, whose driver may need more than is allowed here.
TEST_F(ConfinementTest, ADriverMayOpenDevicesAndTalkToItsDaemons) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.gpu = true});
    out << "device " << written("/dev/zero") << "\n";
    say_attempts(out, folder_ / "workspace", folder_ / "home");
  });
  EXPECT_EQ(outcomes.at("device"), "ok");
  EXPECT_EQ(outcomes.at("unix"), "ok");
  EXPECT_NE(outcomes.at("connect"), "EPERM");
  for (const char* name : {"inet", "inet6", "run", "workspace-make", "home-make"})
    EXPECT_THAT(outcomes.at(name), AnyOf("EPERM", "EACCES")) << name;
}

// As the process does that speaks to a remote server.
TEST_F(ConfinementTest, NetworkAccessAllowsNoListeningRunningOrWriting) {
  const Outcomes outcomes = from_a_child([&](std::ostream& out) {
    (void)confine({.network = true});
    const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
    out << "listen " << (::listen(listener, 1) == 0 ? "ok" : std::strerror(errno)) << "\n";
    say_attempts(out, folder_ / "workspace", folder_ / "home");
  });
  for (const char* name : {"inet", "inet6", "unix"}) EXPECT_EQ(outcomes.at(name), "ok") << name;
  EXPECT_THAT(outcomes.at("connect"), Not(AnyOf("EPERM", "EACCES")));
  EXPECT_EQ(outcomes.at("listen"), std::strerror(EPERM));
  for (const char* name : {"run", "workspace-make", "home-make"})
    EXPECT_THAT(outcomes.at(name), AnyOf("EPERM", "EACCES")) << name;
}

}  // namespace
}  // namespace redraft
