#include "support/system/crash_notes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

// The notes are kept once in a process, so each test has its own.
class CrashNotes : public testing::Test {
 protected:
  // How a process ends that keeps notes and does `work`.
  int status_of(const std::function<void()>& work, const std::string& build = "build") {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit no_core = {0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      if (!keep_crash_notes(file_, build)) ::_exit(100);
      work();
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  }
  // The signal that ends it; 0: none did.
  int signal_of(const std::function<void()>& work) {
    const int status = status_of(work);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  int crashes_at_file(const std::string& uri, const std::string& build = "build") {
    return WEXITSTATUS(status_of([&] { ::_exit(crashes_at(work_key(uri))); }, build));
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "state/notes";
};

int* volatile nowhere = nullptr;

int endless(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : endless(depth + 1) + room[0];
}

TEST_F(CrashNotes, EveryFaultIsNotedAndEndsTheProcessAsBefore) {
  int n_faults = 0;
  const auto at_work = [](const std::function<void()>& fault) {
    return [fault] {
      const AtWork work(work_key("file:///a"));
      fault();
    };
  };
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    EXPECT_EQ(signal_of(at_work([number] { ::raise(number); })), number);
    EXPECT_EQ(crashes_at_file("file:///a"), ++n_faults);
  }
  EXPECT_EQ(signal_of(at_work([] { std::abort(); })), SIGABRT);
  EXPECT_EQ(signal_of(at_work([] { *nowhere = 1; })), SIGSEGV);
  EXPECT_EQ(crashes_at_file("file:///a"), n_faults + 2);
  EXPECT_EQ(crashes_at_file("file:///b"), 0);
}

TEST_F(CrashNotes, TheEndOfTheStackIsAFaultToo) {
  EXPECT_EQ(signal_of([] {
              const AtWork work(work_key("file:///a"));
              ::_exit(endless(0));
            }),
            SIGSEGV);
  EXPECT_EQ(signal_of([] {
              std::thread([] {
                const AtWork work(work_key("file:///a"));
                ::_exit(endless(0));
              }).join();
            }),
            SIGSEGV);
  EXPECT_EQ(crashes_at_file("file:///a"), 2);
}

TEST_F(CrashNotes, OnlyTheInnermostWorkOfTheFaultingThreadIsBlamed) {
  signal_of([] {
    std::atomic<bool> ready = false;
    std::thread other([&] {
      const AtWork work(work_key("file:///other"));
      ready = true;
      ::pause();
    });
    while (!ready) std::this_thread::yield();
    const AtWork outer(work_key("file:///outer"));
    const AtWork inner(work_key("file:///inner"));
    std::abort();
  });
  EXPECT_EQ(crashes_at_file("file:///inner"), 1);
  EXPECT_EQ(crashes_at_file("file:///outer"), 0);
  EXPECT_EQ(crashes_at_file("file:///other"), 0);
}

TEST_F(CrashNotes, AThreadThatIsAtNothingFaultsForAllOthers) {
  signal_of([] {
    std::atomic<bool> ready = false;
    std::thread other([&] {
      const AtWork work(work_key("file:///other"));
      ready = true;
      ::pause();
    });
    while (!ready) std::this_thread::yield();
    { const AtWork over(work_key("file:///over")); }
    std::abort();
  });
  EXPECT_EQ(crashes_at_file("file:///other"), 1);
  EXPECT_EQ(crashes_at_file("file:///over"), 0);
}

TEST_F(CrashNotes, AnEndOnRequestIsNone) {
  for (const int number : {SIGTERM, SIGKILL, SIGINT}) {
    EXPECT_EQ(signal_of([number] {
                const AtWork work(work_key("file:///a"));
                ::raise(number);
              }),
              number);
  }
  EXPECT_EQ(crashes_at_file("file:///a"), 0);
}

TEST_F(CrashNotes, AHandlerThatIsThereIsCalledAfterwards) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGSEGV, [](int) { ::_exit(7); });
    if (!keep_crash_notes(file_, "build")) ::_exit(100);
    const AtWork work(work_key("file:///a"));
    *nowhere = 1;
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(crashes_at_file("file:///a"), 1);
}

TEST_F(CrashNotes, AnotherBuildAndAnOldNoteDoNotCount) {
  const auto crash = [] {
    const AtWork work(work_key("file:///a"));
    std::abort();
  };
  status_of(crash, "old build");
  EXPECT_EQ(crashes_at_file("file:///a"), 0);
  EXPECT_EQ(crashes_at_file("file:///a", "old build"), 1);
  std::string line;
  std::getline(std::ifstream(file_) >> std::ws, line);
  std::ofstream(file_) << line.substr(0, 34) << "0000000000000001\n"
                       << "damaged\n"
                       << std::string(51, 'x');
  EXPECT_EQ(crashes_at_file("file:///a", "old build"), 0);
}

TEST_F(CrashNotes, TheFileHasNoNameOfADocumentAndStaysSmall) {
  signal_of([] {
    const AtWork work(work_key("file:///secret-project/a.py"));
    std::abort();
  });
  std::string text;
  std::getline(std::ifstream(file_), text, '\0');
  EXPECT_EQ(text.size(), 51U);
  EXPECT_EQ(text.find("secret"), text.npos);
  struct stat status = {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  std::ofstream(file_) << std::string(1 << 20, '\n');
  EXPECT_EQ(crashes_at_file("file:///a"), 0);
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
}

// Opening it would wait until somebody writes into it.
TEST_F(CrashNotes, APipeInPlaceOfTheFileKeepsNobodyWaiting) {
  std::filesystem::create_directories(file_.parent_path());
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_EQ(crashes_at_file("file:///a"), 0);
  EXPECT_TRUE(std::filesystem::is_regular_file(file_));
}

}  // namespace
}  // namespace redraft
