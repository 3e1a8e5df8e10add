#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/temp_folder.h"
#include "tests/tuning/data/licence_texts.h"
#include "tuning/data/git_pairs.h"
#include "tuning/data/other_pairs.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> sources_of(PairSource& pairs) {
  std::vector<std::string> out;
  for (;;) {
    Result<std::optional<EditPair>> pair = pairs.next();
    EXPECT_TRUE(pair) << pair.error().message();
    if (!pair || !*pair) return out;
    out.push_back((**pair).source + ": " + (**pair).before + "> " + (**pair).after);
  }
}

TEST(ReleasePairs, AreFilesOfBothThatDiffer) {
  const TempFolder folder;
  for (const char* release : {"p-1.0/", "p-2.0/"}) {
    const std::string at = release;
    folder.write(at + "same.py", "x = 1\n");
    folder.write(at + "pkg/changed.py", at.find('1') != at.npos ? "x = 1\n" : "x = 2\n");
    folder.write(at + "tests/test_it.py", at);
    folder.write(at + "README.md", at);
  }
  folder.write("p-1.0/gone.py");
  folder.write("p-2.0/new.py");
  folder.write("p-2.0/LICENSE", kMitText);
  Result<ReleasePairs> pairs =
      ReleasePairs::open(folder / "p-1.0", folder / "p-2.0", "Set x to two", "MIT");
  ASSERT_TRUE(pairs) << pairs.error().message();
  EXPECT_THAT(sources_of(*pairs), ElementsAre("p-2.0 release pkg/changed.py: x = 1\n> x = 2\n"));
  EXPECT_EQ(pairs->skipped["files that did not change"], 1);
  EXPECT_FALSE(ReleasePairs::open(folder / "none", folder / "p-2.0", "x", ""));
  const auto files = licence_files_of(folder / "p-2.0");
  ASSERT_TRUE(files);
  EXPECT_EQ(*project_licence(*files), "MIT");
}

const char* const kLines =
    R"({"instruction": "Do it", "before": "a\n", "after": "b\n", "licence": "MIT"})"
    "\n\n"
    R"({"instruction": "Do it", "before": "c\n", "after": "d\n", "licence": "GPL-3.0-only"})"
    "\n{broken\n"
    R"({"instruction": "Do it", "before": "e\n", "after": null})"
    "\n"
    R"({"instruction": "Do it", "before": "g\n", "after": "h\n"})";

TEST(JsonlPairs, AreLinesWithALicenceThatAllowsIt) {
  const TempFolder folder;
  folder.write("edits.jsonl", kLines);
  Result<JsonlPairs> pairs = JsonlPairs::open(folder / "edits.jsonl", std::nullopt);
  ASSERT_TRUE(pairs);
  EXPECT_THAT(sources_of(*pairs), ElementsAre("edits.jsonl line 1: a\n> b\n"));
  EXPECT_EQ(pairs->skipped["licence GPL-3.0-only"], 1);
  EXPECT_EQ(pairs->skipped["lines that are no JSON"], 1);
  EXPECT_EQ(pairs->skipped["lines without instruction, before and after"], 1);
  EXPECT_EQ(pairs->skipped["no licence stated"], 1);
  Result<JsonlPairs> own = JsonlPairs::open(folder / "edits.jsonl", "");
  ASSERT_TRUE(own);
  EXPECT_THAT(sources_of(*own),
              ElementsAre("edits.jsonl line 1: a\n> b\n", "edits.jsonl line 6: g\n> h\n"))
      << "what states another licence stays out";
  EXPECT_FALSE(JsonlPairs::open(folder / "none.jsonl", ""));
}

TEST(SourcesToLearn, AreCodeThatPeopleEdit) {
  for (const char* path : {"a.py", "src/a.cpp", "lib/b.ts", "x.go"})
    EXPECT_TRUE(is_source_to_learn(path)) << path;
  for (const char* path : {"README.md", "a.json", "package-lock.json", "tests/a.py", "test_a.py",
                           "node_modules/x/a.js", "a.min.js", "a.unknown", "", ".env", "style.css"})
    EXPECT_FALSE(is_source_to_learn(path)) << path;
}

}  // namespace
}  // namespace redraft
