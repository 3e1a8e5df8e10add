#include "tuning/data/git_repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/tuning/data/git_kit.h"
#include "tests/tuning/data/licence_texts.h"
#include "tuning/data/git_pairs.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> sources_of(PairSource& pairs) {
  std::vector<std::string> out;
  for (;;) {
    Result<std::optional<EditPair>> pair = pairs.next();
    EXPECT_TRUE(pair) << pair.error().message();
    if (!pair || !*pair) return out;
    out.push_back((**pair).path + ": " + (**pair).instruction);
  }
}

TEST(GitPairs, AreCommitsThatChangeOneSourceFileAndSayHow) {
  const TestRepository repository;
  repository.write("a.py", "x = 1\n");
  repository.write("b.py", "y = 1\n");
  repository.write("README.md", "# a\n");
  repository.commit("Begin with two files");
  repository.write("a.py", "x = 2\n");
  repository.write("README.md", "# b\n");
  repository.write("tests/test_a.py", "import a\n");
  repository.commit("A file is new in this one");
  repository.write("a.py", "x = 3\n");
  repository.write("README.md", "# c\n");
  repository.write("tests/test_a.py", "import b\n");
  repository.commit("Set the number to three (#12)");
  repository.write("a.py", "x = 4\n");
  repository.write("b.py", "y = 4\n");
  repository.commit("Change both of the files");
  repository.write("b.py", "y = 5\n");
  repository.commit("wip");
  repository.write("b.py", "y = 6\n");
  repository.commit("Set y to six");
  Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened) << opened.error().message();
  Result<GitPairs> pairs = GitPairs::open(*opened, "MIT");
  ASSERT_TRUE(pairs);
  const Result<std::optional<EditPair>> first = pairs->next();
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((**first).before, "y = 5\n");
  EXPECT_EQ((**first).after, "y = 6\n");
  EXPECT_EQ((**first).licence, "MIT");
  EXPECT_EQ((**first).source,
            repository.folder().path().filename().string() + " " +
                repository.git({"rev-parse", "--short=12", "HEAD"}).substr(0, 12) + " b.py");
  EXPECT_THAT(sources_of(*pairs), ElementsAre("a.py: Set the number to three"));
  EXPECT_EQ(pairs->skipped["commits that do not change exactly one source file"], 2);
  EXPECT_EQ(pairs->skipped["commits whose message is no instruction"], 1);
}

TEST(GitRepository, HasLicenceFilesAtItsTopAlone) {
  const TestRepository repository;
  repository.write("LICENSE.txt", kMitText);
  repository.write("pyproject.toml", "license = \"MIT\"\n");
  repository.write("vendor/COPYING", "GNU");
  fs::create_symlink("/etc/passwd", repository.folder() / "COPYING");
  repository.commit("Begin");
  const Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened);
  const Result<std::vector<NamedText>> files = opened->licence_files();
  ASSERT_TRUE(files) << files.error().message();
  ASSERT_EQ(files->size(), 2U);
  EXPECT_EQ((*files)[0].name, "LICENSE.txt");
  EXPECT_EQ((*files)[0].text, kMitText);
}

TEST(GitRepository, GivesObjectsByNameAlone) {
  const TestRepository repository;
  repository.write("a.py", "x = 1\n");
  repository.commit("Begin");
  const Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened);
  const std::string blob = repository.git({"rev-parse", "HEAD:a.py"}).substr(0, 40);
  const std::string none(40, '0');
  const auto read = opened->contents({blob, none, blob}, 100);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_THAT(*read, ElementsAre("x = 1\n", std::nullopt, "x = 1\n"));
  EXPECT_THAT(*opened->contents({blob}, 3), ElementsAre(std::nullopt)) << "larger than asked for";
  for (const char* name : {"HEAD", "--batch-all-objects", "", "HEAD:a.py"})
    EXPECT_FALSE(opened->contents({name}, 100)) << name;
}

// Each of these makes an ordinary `git log -p` or `git status` start the program.
TEST(GitRepository, StartsNothingThatARepositoryNames) {
  const TestRepository repository;
  const fs::path mark = repository.folder() / "started";
  repository.write("evil.sh", "#!/bin/sh\ntouch '" + mark.string() + "'\ncat \"$1\"\n");
  fs::permissions(repository.folder() / "evil.sh", fs::perms::owner_all);
  const std::string evil = (repository.folder() / "evil.sh").string();
  repository.write(".gitattributes", "*.py diff=evil filter=evil\n");
  repository.write("a.py", "x = 1\n");
  repository.commit("Begin");
  repository.write("a.py", "x = 2\n");
  repository.commit("Set the number to two");
  for (const char* key : {"diff.external", "diff.evil.command", "diff.evil.textconv",
                          "filter.evil.smudge", "core.fsmonitor", "core.pager", "pager.log",
                          "core.sshCommand", "gpg.program", "core.alternateRefsCommand"})
    repository.git({"config", key, evil});
  repository.git({"config", "log.showSignature", "true"});
  fs::remove(mark);
  repository.git({"log", "-p", "--ext-diff", "--textconv"});
  ASSERT_TRUE(fs::exists(mark)) << "the control: git does start it";
  fs::remove(mark);
  Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened) << opened.error().message();
  Result<GitPairs> pairs = GitPairs::open(*opened, "");
  ASSERT_TRUE(pairs);
  EXPECT_THAT(sources_of(*pairs), ElementsAre("a.py: Set the number to two"));
  EXPECT_TRUE(opened->licence_files());
  EXPECT_FALSE(fs::exists(mark));
}

// A partial clone fetches what is missing when it is read, from an address that may be a command.
TEST(GitRepository, FetchesNothing) {
  const TestRepository repository;
  const fs::path mark = repository.folder() / "started";
  repository.write("a.py", "x = 1\n");
  repository.commit("Begin");
  repository.git({"config", "core.repositoryFormatVersion", "1"});
  repository.git({"config", "extensions.partialClone", "origin"});
  repository.git({"config", "remote.origin.promisor", "true"});
  repository.git({"config", "remote.origin.url", "ext::touch " + mark.string()});
  const std::string missing(40, '1');
  repository.git({"-c", "protocol.ext.allow=always", "cat-file", "-e", missing});
  ASSERT_TRUE(fs::exists(mark)) << "the control: git does fetch it";
  fs::remove(mark);
  repository.git({"config", "protocol.ext.allow", "always"});
  const Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened) << opened.error().message();
  const auto read = opened->contents({missing}, 100);
  EXPECT_TRUE(!read || *read == std::vector<std::optional<std::string>>{std::nullopt});
  EXPECT_FALSE(fs::exists(mark));
}

TEST(GitRepository, TakesPathsThatLookLikeSomethingElse) {
  const TestRepository repository;
  const std::string name(40, 'a');  // as a commit's
  for (const std::string& path : {name, std::string(":100644 a.py"), std::string("new\nline.py"),
                                  std::string("--output=x.py")})
    repository.write(path, "x = 1\n");
  repository.commit("Begin");
  repository.write("new\nline.py", "x = 2\n");
  repository.write(name, "x = 2\n");
  repository.write(":100644 a.py", "x = 1\ny = 1\n");
  repository.commit("Change all of the odd ones");
  repository.write("--output=x.py", "x = 2\n");
  repository.commit("Change the file with dashes");
  const Result<GitRepository> opened = GitRepository::open(repository.folder().path());
  ASSERT_TRUE(opened);
  const Result<std::vector<std::string>> commits = opened->commits();
  ASSERT_TRUE(commits);
  const Result<std::vector<CommitChange>> changes = opened->changes(*commits);
  ASSERT_TRUE(changes) << changes.error().message();
  ASSERT_EQ(changes->size(), 2U);
  ASSERT_EQ((*changes)[0].files.size(), 1U);
  EXPECT_EQ((*changes)[0].files[0].path, "--output=x.py");
  EXPECT_EQ((*changes)[1].files.size(), 3U);
}

TEST(GitRepository, SaysWhereThereIsNone) {
  const TempFolder folder;
  EXPECT_THAT(GitRepository::open(folder.path()).error().message(),
              HasSubstr(folder.path().string() + ": not a git repository with a commit"));
  EXPECT_FALSE(GitRepository::open(folder / "none"));
}

TEST(RunProgram, GivesInputAndTakesOutputOfAnySize) {
  const std::string much(1 << 20, 'x');
  const auto out = run_program({"cat"}, {}, much);
  ASSERT_TRUE(out) << out.error().message();
  EXPECT_EQ(*out, much);
  EXPECT_EQ(*run_program({"/bin/sh", "-c", "pwd; echo $A"}, {"A=b"}, ""), "/\nb\n");
  EXPECT_EQ(*run_program({"true"}, {}, much), "") << "one that reads nothing";
}

TEST(RunProgram, EndsWhatFailsOrIsWithoutBounds) {
  EXPECT_EQ(run_program({"/bin/sh", "-c", "echo no >&2; exit 3"}, {}, "").error().message(),
            "/bin/sh: no\n");
  EXPECT_THAT(run_program({"/nonexistent/program"}, {}, "").error().message(),
              HasSubstr("cannot be started"));
  EXPECT_EQ(run_program({"cat", "/dev/zero"}, {}, "", {.output_bytes = 1000}).error().message(),
            "cat: wrote more than 1000 bytes");
  EXPECT_EQ(
      run_program({"sleep", "60"}, {}, "", {.time = std::chrono::seconds(1)}).error().message(),
      "sleep: took longer than 1 s");
}

}  // namespace
}  // namespace redraft
