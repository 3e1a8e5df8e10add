#include "support/system/crash_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "support/system/crash_notes.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

// Reports are kept once in a process, so each test has its own.
class CrashReports : public testing::Test {
 protected:
  // The signal that ends a process that does `work`.
  int signal_of(const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit no_core = {0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      if (!keep_crash_notes(folder_ / "state/notes", "build")) ::_exit(100);
      if (!keep_crash_reports(reports_, "redraft 1.2, build")) ::_exit(101);
      work();
      ::_exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  std::string newest() const {
    const std::vector<CrashReport> all = crash_reports(reports_);
    if (all.empty()) return {};
    std::ifstream in(all.front().file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempFolder folder_;
  std::filesystem::path reports_ = folder_ / "state/crash-reports";
};

int* volatile nowhere = nullptr;

Work secret_work() {
  return {.document = work_key("file:///home/me/secret-project/a.py"),
          .kind = work_kind("textDocument/inlineCompletion")};
}

TEST_F(CrashReports, SayWhatHappenedAndNothingOfADocument) {
  EXPECT_EQ(signal_of([] {
              const std::string text = "secret text of a document";
              const AtWork work(secret_work());
              *nowhere = static_cast<int>(text.size());
            }),
            SIGSEGV);
  const std::string report = newest();
  EXPECT_THAT(report, HasSubstr("build: redraft 1.2, build\n"));
  EXPECT_THAT(report, HasSubstr("signal: SIGSEGV (11), code 1\n"));
  EXPECT_THAT(report, HasSubstr("work: textDocument/inlineCompletion\n"));
  EXPECT_THAT(report, HasSubstr("address: near zero\n"));
  EXPECT_THAT(report, HasSubstr("\nat: system_test+0x"));
  EXPECT_THAT(report, HasSubstr("\n  system_test+0x"));
  EXPECT_THAT(report, HasSubstr("SECURITY.md"));
  EXPECT_THAT(report, Not(HasSubstr("secret")));
  EXPECT_THAT(report, Not(HasSubstr(folder_.path().string())));
  const std::vector<CrashReport> all = crash_reports(reports_);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].signal, "SIGSEGV (11)");
  EXPECT_EQ(all[0].work, "textDocument/inlineCompletion");
  EXPECT_THAT(all[0].time, MatchesRegex("20[0-9-]+ [0-9:]+ UTC"));
  struct stat status = {};
  ASSERT_EQ(::stat(all[0].file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(CrashReports, EverySignalAndTheEndOfTheProcessAsBefore) {
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) {
    EXPECT_EQ(signal_of([number] {
                const AtWork work(secret_work());
                ::raise(number);
              }),
              number);
    EXPECT_THAT(newest(), HasSubstr(" (" + std::to_string(number) + "), code "));
    std::filesystem::remove_all(reports_);
  }
  for (const int number : {SIGTERM, SIGKILL})
    EXPECT_EQ(signal_of([=] { ::raise(number); }), number);
  EXPECT_EQ(newest(), "");
}

// A page beyond the end of a mapped file that nobody guards.
TEST_F(CrashReports, ALostPageIsNamedAsSuch) {
  EXPECT_EQ(signal_of([] {
              char name[] = "/tmp/redraft_crash_XXXXXX";
              const int file = ::mkstemp(name);
              ::unlink(name);
              void* const map = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, file, 0);
              ::_exit(*static_cast<volatile char*>(map));
            }),
            SIGBUS);
  EXPECT_THAT(newest(), HasSubstr("signal: SIGBUS (7), code 2\nthread: "));
  EXPECT_THAT(newest(), HasSubstr("address: of mapped memory\n"));
  EXPECT_EQ(crash_reports(reports_).at(0).work, "none");
}

int endless(int depth) {
  volatile char room[1000];
  room[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : endless(depth + 1) + room[0];
}

TEST_F(CrashReports, TheEndOfTheStackIsAFaultToo) {
  EXPECT_EQ(signal_of([] {
              const AtWork work(secret_work());
              ::_exit(endless(0));
            }),
            SIGSEGV);
  EXPECT_THAT(newest(), HasSubstr("work: textDocument/inlineCompletion\n"));
  EXPECT_THAT(newest(), HasSubstr("address: beyond the stack\n"));
}

TEST_F(CrashReports, TheNewestTenAreKept) {
  std::filesystem::create_directories(reports_);
  ::chmod(reports_.c_str(), 0700);
  for (int i = 10; i < 40; ++i) {
    std::ofstream(reports_ / ("report-20200101-0000" + std::to_string(i) + "-0000000001.txt"))
        << "redraft crash report\n";
  }
  std::ofstream(reports_ / "mine.txt") << "of the user";
  std::ofstream(reports_ / "report-x.txt") << "damaged";
  EXPECT_EQ(signal_of([] { std::abort(); }), SIGABRT);
  const std::vector<CrashReport> all = crash_reports(reports_);
  ASSERT_LE(all.size(), 10U);
  EXPECT_EQ(all.at(0).signal, "SIGABRT (6)");
  EXPECT_THAT(all.at(1).file.string(), HasSubstr("report-20200101-000039"));
  EXPECT_TRUE(std::filesystem::exists(reports_ / "mine.txt"));
}

TEST_F(CrashReports, KeepsOneTextPerKindOfWork) {
  EXPECT_EQ(work_kind("initialize"), work_kind(std::string("initialize")));
  EXPECT_STREQ(work_kind("initialize"), "initialize");
}

}  // namespace
}  // namespace redraft
