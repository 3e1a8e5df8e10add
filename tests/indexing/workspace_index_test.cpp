#include "indexing/workspace_index.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <thread>

#include "indexing/store/store_format.h"
#include "support/system/crash_notes.h"
#include "tests/indexing/index_compare.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

class WorkspaceIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    open();
  }

  void open() {
    index_.reset();
    auto folder = StoreFolder::open(scratch_.path() / "store", 1);
    ASSERT_TRUE(folder);
    auto store = std::make_unique<TextStore>(std::move(*folder));
    ASSERT_TRUE(store->load());
    index_ =
        std::make_unique<WorkspaceIndex>(std::vector{root_}, byte_tokenizer(), std::move(store));
  }
  // Also changes the file's time: the clock of some file systems is coarse.
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
    fs::last_write_time(root_ / path,
                        fs::file_time_type::clock::now() + std::chrono::seconds(++writes_));
  }
  // What is known to follow `text`.
  std::vector<std::string> after(const std::string& text, const fs::path& without = {}) const {
    const auto snapshot = index_->snapshot(without);
    const std::vector<TokenId> context = byte_tokenizer()->encode(text);
    const auto found =
        snapshot->continuations(context, {.longest = static_cast<int>(context.size()),
                                          .shortest = static_cast<int>(context.size()),
                                          .length = 8});
    std::vector<std::string> texts;
    for (const auto& tokens : found.tokens) texts.push_back(byte_tokenizer()->decode(tokens));
    return texts;
  }
  using Texts = std::vector<std::string>;
  // The files that define `name`, with the text of the definition.
  Texts defining(const std::string& name) const {
    const auto snapshot = index_->snapshot();
    Texts texts;
    for (const auto& [text, range] : snapshot->definitions(name, 10)) {
      const std::string whole = byte_tokenizer()->decode(snapshot->tokens(text));
      texts.push_back(fs::path(snapshot->name(text)).filename().string() + ": " +
                      whole.substr(range.begin, range.size()));
    }
    return texts;
  }

  TempFolder scratch_;
  fs::path root_ = scratch_.path() / "workspace";
  std::unique_ptr<WorkspaceIndex> index_;
  int writes_ = 0;
};

TEST_F(WorkspaceIndexTest, ReadsWhatIsNewAndForgetsWhatIsGone) {
  write("a.py", "alpha = 1\n");
  write("sub/b.py", "beta = 2\n");
  RefreshReport report = index_->refresh();
  EXPECT_EQ(report.read, 2U);
  EXPECT_EQ(report.languages["python"], 2U);
  EXPECT_EQ(after("alpha"), Texts{" = 1\n"});
  EXPECT_EQ(after("beta"), Texts{" = 2\n"});
  write("a.py", "alpha = 3\n");
  fs::rename(root_ / "sub/b.py", root_ / "sub/c.py");
  report = index_->refresh();
  EXPECT_EQ(report.read, 2U);
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(after("alpha"), Texts{" = 3\n"});
  EXPECT_EQ(after("beta"), Texts{" = 2\n"});
  fs::remove_all(root_ / "sub");
  EXPECT_EQ(index_->refresh().read, 0U);
  EXPECT_EQ(after("beta"), Texts{});
  fs::remove_all(root_);
  EXPECT_FALSE(index_->refresh().scan.complete);
  EXPECT_EQ(index_->store().statistics().tokens, 0U);
}

TEST_F(WorkspaceIndexTest, WhatWasSavedIsNotReadAgain) {
  write("a.py", "alpha = 1\n");
  write("b.py", "beta = 2\n");
  index_->refresh();
  ASSERT_TRUE(index_->store().save());
  open();
  EXPECT_EQ(after("alpha"), Texts{" = 1\n"});
  write("b.py", "beta = 4\n");
  EXPECT_EQ(index_->refresh().read, 1U);
  EXPECT_EQ(after("alpha"), Texts{" = 1\n"});
  EXPECT_EQ(after("beta"), Texts{" = 4\n"});
}

TEST_F(WorkspaceIndexTest, LeavesOutWhatIsIgnoredSecretOrNoText) {
  write(".gitignore", "*.log\n");
  write("x.log", "gamma = 1\n");
  write(".env", "gamma = 2\n");
  write("data.py", std::string("gamma = 3\0\n", 11));
  write("a.py", "gamma = 4\n");
  const RefreshReport report = index_->refresh();
  EXPECT_EQ(after("gamma"), Texts{" = 4\n"});
  EXPECT_EQ(report.scan.skipped_for(SkipReason::kSecret), 1U);
  EXPECT_EQ(report.scan.skipped_for(SkipReason::kIgnored), 1U);
}

// Each in a process of its own: what crashed is known from the start of one.
TEST_F(WorkspaceIndexTest, AFileThatCrashedTwoProcessesIsLeftOut) {
  write("good.py", "alpha = 1\n");
  write("bad.py", "beta = 2\n");
  index_.reset();
  const auto status_of = [&](const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit no_core = {0, 0};
      ::setrlimit(RLIMIT_CORE, &no_core);
      if (!keep_crash_notes(scratch_ / "notes", "build")) ::_exit(100);
      work();
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
  };
  const auto find = [&] {
    open();
    index_->refresh();
    ::_exit((after("alpha").empty() ? 0 : 1) + (after("beta").empty() ? 0 : 2));
  };
  for (const int found : {3, 3, 1}) {
    EXPECT_EQ(WEXITSTATUS(status_of(find)), found);
    fs::remove_all(scratch_ / "store");
    EXPECT_TRUE(WIFSIGNALED(status_of([&] {
      const AtWork work(work_key("file://" + (root_ / "bad.py").string()));
      std::abort();
    })));
  }
}

TEST_F(WorkspaceIndexTest, ABufferCountsInsteadOfItsFile) {
  write("a.py", "alpha = 1\n");
  index_->refresh();
  index_->set_buffer(root_ / "a.py", "alpha = 2\n");
  EXPECT_EQ(after("alpha"), Texts{" = 2\n"});
  write("a.py", "alpha = 3\n");
  index_->refresh();
  index_->refresh_place(root_ / "a.py");
  EXPECT_EQ(after("alpha"), Texts{" = 2\n"});
  index_->close_buffer(root_ / "a.py");
  index_->refresh_place(root_ / "a.py");
  EXPECT_EQ(after("alpha"), Texts{" = 3\n"});
  index_->set_buffer(root_ / "other.py", "delta = 1\n");
  EXPECT_EQ(after("delta"), Texts{}) << "no file of the index";
}

TEST_F(WorkspaceIndexTest, TheFileThatIsBeingWrittenDoesNotAnswer) {
  write("a.py", "alpha = 1\n");
  write("b.py", "alpha = 2\n");
  index_->refresh();
  EXPECT_EQ(after("alpha"), (Texts{" = 1\n", " = 2\n"}));
  EXPECT_EQ(after("alpha", root_ / "b.py"), Texts{" = 1\n"});
}

TEST_F(WorkspaceIndexTest, OneFileIsLookedAtAlone) {
  write("a.py", "alpha = 1\n");
  write("b.py", "alpha = 2\n");
  index_->refresh();
  write("a.py", "alpha = 3\n");
  write("b.py", "alpha = 4\n");
  index_->refresh_place(root_ / "a.py");
  EXPECT_EQ(after("alpha"), (Texts{" = 2\n", " = 3\n"}));
  fs::remove(root_ / "a.py");
  index_->refresh_place(root_ / "a.py");
  EXPECT_EQ(after("alpha"), Texts{" = 2\n"});
  index_->refresh_place("/elsewhere/b.py");
  index_->refresh_place(root_.parent_path());
  EXPECT_EQ(after("alpha"), Texts{" = 2\n"});
}

TEST_F(WorkspaceIndexTest, KnowsWhereThingsAreDefined) {
  write("a.py", "x = 1\ndef area(r):\n    return r\n");
  write("b.js", "function volume() {\n  return 2;\n}\n");
  write("c.txt", "def area(r):\n");
  index_->refresh();
  EXPECT_EQ(defining("area"), Texts{"a.py: def area(r):\n    return r"});
  EXPECT_EQ(defining("volume"), Texts{"b.js: function volume() {\n  return 2;\n}"});
  EXPECT_EQ(defining("x"), Texts{});
  ASSERT_TRUE(index_->store().save());
  open();
  EXPECT_EQ(defining("area").size(), 1U);
  index_->set_buffer(root_ / "a.py", "def circle(r):\n    return r\n");
  EXPECT_EQ(defining("area"), Texts{});
  EXPECT_EQ(defining("circle"), Texts{"a.py: def circle(r):\n    return r"});
  index_->set_buffer(root_ / "a.py", "def circle(r):\n    return r\n\ndef area(q):\n    pass\n");
  EXPECT_EQ(defining("area"), Texts{"a.py: def area(q):\n    pass"});
  EXPECT_EQ(defining("circle").size(), 1U);
}

TEST_F(WorkspaceIndexTest, NoMoreIsReadThanTheLimit) {
  write("a.py", "alpha = 1\n");
  write("b.py", "alpha = 2\n");
  WorkspaceIndex limited(std::vector{root_}, byte_tokenizer(), std::make_unique<TextStore>(),
                         {.scan = {}, .max_bytes = 15});
  const RefreshReport report = limited.refresh();
  EXPECT_EQ(report.read, 1U);
  EXPECT_EQ(report.left_out, 1U);
  EXPECT_EQ(limited.store().names().size(), 1U);
}

// What a stop came upon in the middle is read with the next refresh: not known without its
// definitions for good.
TEST_F(WorkspaceIndexTest, AStopLeavesWhatWasReadSoFar) {
  std::string text;  // long enough for the parser to ask whether to go on
  for (int i = 0; i < 100; ++i) text += "def alpha():\n    return [1, 2, 3]\n";
  for (int i = 0; i < 20; ++i) write(std::to_string(i) + ".py", text);
  std::stop_source stop;
  index_->refresh(
      [&](const IndexProgress& progress) {
        EXPECT_EQ(progress.all_files, 20U);
        if (progress.files == 5) stop.request_stop();
      },
      stop.get_token());
  const std::size_t read = index_->store().names().size();
  EXPECT_GE(read, 5U - index_->options().threads);
  EXPECT_LT(read, 20U);
  EXPECT_EQ(index_->refresh().read, 20 - read);
  EXPECT_EQ(index_->snapshot()->definitions("alpha", 1 << 20).size(), 20U * 100U);
}

TEST_F(WorkspaceIndexTest, AfterAnyChangesItEqualsAFreshBuild) {
  std::mt19937 random(4);
  const auto path = [&] {
    const std::string name = std::to_string(random() % 30) + ".py";
    return random() % 3 == 0 ? "sub" + std::to_string(random() % 3) + "/" + name : name;
  };
  for (int i = 0; i < 10000; ++i) {
    const std::string file = path();
    switch (random() % 4) {
      case 0: {
        fs::remove(root_ / file);
        break;
      }
      case 1: {
        const std::string to = path();
        fs::create_directories((root_ / to).parent_path());
        std::error_code missing;
        fs::rename(root_ / file, root_ / to, missing);
        index_->refresh_place(root_ / to);
        break;
      }
      default:
        write(file, "v" + std::to_string(random() % 50) + " = " + std::to_string(random()) + "\n");
    }
    index_->refresh_place(root_ / file);
    if (random() % 50 == 0) index_->refresh();
    if (random() % 20 == 0) index_->store().merge();
    if (random() % 60 == 0) {
      ASSERT_TRUE(index_->store().save());
      open();
    }
  }
  WorkspaceIndex fresh(std::vector{root_}, byte_tokenizer(), std::make_unique<TextStore>());
  fresh.refresh();
  std::vector<std::string> contexts;
  for (int i = 0; i < 50; ++i) contexts.push_back("v" + std::to_string(i) + " =");
  expect_equal(*index_, fresh, *byte_tokenizer(), contexts);
}

TEST(IndexLocation, DependsOnFoldersAndTokenizer) {
  const std::vector<fs::path> a = {"/code/a"};
  const std::vector<fs::path> both = {"/code/b", "/code/a"};
  const std::vector<fs::path> reversed = {"/code/a", "/code/b"};
  EXPECT_EQ(*index_folder(both, 1), *index_folder(reversed, 1));
  EXPECT_NE(*index_folder(a, 1), *index_folder(both, 1));
  EXPECT_NE(*index_folder(a, 1), *index_folder(a, 2));
  EXPECT_TRUE(index_folder(a, 1)->string().ends_with("-" + store_format()));
  EXPECT_EQ(index_key(*byte_tokenizer()), index_key(*byte_tokenizer()));
  EXPECT_NE(index_key(*byte_tokenizer()), index_key(*word_tokenizer({"return"})));
}

TEST(IndexLocation, AFormatIsNamedByEachKindOfFile) {
  EXPECT_EQ(store_format("RDRMAN01", "RDRCHG23", "RDRSEG45"), "012345");
  EXPECT_EQ(magic_number("RDRMAN01"), 0x31304e414d524452U);
}

// Two builds used by turns: each finds what it wrote.
TEST(IndexLocation, AStoreOfAnotherFormatStaysAsItIs) {
  const TempFolder scratch;
  const char* before = std::getenv("XDG_CACHE_HOME");
  const std::string kept = before != nullptr ? before : "";
  ::setenv("XDG_CACHE_HOME", scratch.path().c_str(), 1);
  scratch.write("code/a.py", "a = 1\n");
  const std::vector<fs::path> roots = {scratch.path() / "code"};
  const fs::path own = *index_folder(roots, index_key(*byte_tokenizer()));
  const std::string name = own.filename().string();
  const std::string other =
      "redraft/index/" + name.substr(0, name.size() - store_format().size()) + "999999/";
  scratch.write(other + "lock", "");
  scratch.write(other + "manifest", "of another format");
  for (int turn = 0; turn < 2; ++turn) {
    std::string message;
    const auto index = open_index(roots, byte_tokenizer(), {}, message);
    EXPECT_EQ(message, "");
    EXPECT_EQ(index->snapshot()->token_count() > 0, turn > 0);
    index->refresh();
    EXPECT_TRUE(index->store().save());
  }
  std::ifstream manifest(scratch.path() / (other + "manifest"));
  std::string text;
  std::getline(manifest, text);
  EXPECT_EQ(text, "of another format");
  before != nullptr ? ::setenv("XDG_CACHE_HOME", kept.c_str(), 1) : ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace redraft
