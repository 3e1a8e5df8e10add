#include "bench/quality/edit_quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/bench_kit.h"
#include "tests/kit/edit_script.h"

namespace redraft {
namespace {

using testing::HasSubstr;

const char* const kBefore =
    "import os\n\n\ndef first(path):\n    f = open(path)\n    return f.read()\n\n\n"
    "def second(path):\n    f = open(path)\n    return f.name\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos;) {
    text.replace(at, from.size(), to);
    at = text.find(from, at + to.size());
  }
  return text;
}

EditQuality measured(const EditScript& script, const std::string& before, const std::string& after,
                     EditQualityPlan plan = {}) {
  plan.decoder = *parse_decoder_name("redraft");
  const auto engine = make_scripted_engine(script);
  BenchTask task = edit_task("task.py", before, after);
  task.file_name = "task.py";
  return *measure_edit(**engine, task, plan, {}, {});
}

EditScript that_replaces(const std::string& find, const std::string& replace) {
  EditScript script;
  script.edits.push_back({"", find, replace});
  return script;
}

TEST(EditQualityOf, TheCursorStandsWhereTheReferenceBeginsToDiffer) {
  const auto document = *Document::make("a.py", 0, kBefore);
  EXPECT_EQ(first_change(document, replaced(kBefore, "f.name", "path")),
            document->text().find("return f.name"));
  EXPECT_EQ(first_change(document, "# head\n" + std::string(kBefore)), 0U);
  EXPECT_EQ(first_change(document, std::string(kBefore) + "# tail\n"), document->text().size());
}

TEST(EditQualityOf, WhatIsWrittenAsTheReferenceIsExact) {
  const EditQuality record =
      measured(that_replaces("f.name", "path"), kBefore, replaced(kBefore, "f.name", "path"));
  EXPECT_EQ(record.region_first, 8);
  EXPECT_EQ(record.region_lines, 3);  // the function, found by the cursor
  EXPECT_EQ(record.changed_lines, 2);
  EXPECT_EQ(record.changed_lines_in_region, 2);
  EXPECT_EQ(record.expected_hunks, 1);
  EXPECT_EQ(record.exact_hunks, 1);
  EXPECT_EQ(record.made_hunks, 1);
  EXPECT_DOUBLE_EQ(record.similarity, 1);
  EXPECT_LT(record.similarity_before, 1);
  EXPECT_GT(record.passes, 0);
  EXPECT_EQ(record.finish_reason, "stop");
}

TEST(EditQualityOf, WhatIsLeftAloneIsAsNearAsBefore) {
  const EditQuality record = measured({}, kBefore, replaced(kBefore, "f.name", "path"));
  EXPECT_EQ(record.exact_hunks, 0);
  EXPECT_EQ(record.made_hunks, 0);
  EXPECT_DOUBLE_EQ(record.similarity, record.similarity_before);
}

TEST(EditQualityOf, AnotherChangeAtTheSamePlaceIsNotExact) {
  const EditQuality record =
      measured(that_replaces("f.name", "f.path"), kBefore, replaced(kBefore, "f.name", "path"));
  EXPECT_EQ(record.exact_hunks, 0);
  EXPECT_EQ(record.made_hunks, 1);
  EXPECT_LT(record.similarity, 1);
}

TEST(EditQualityOf, ChangesBeyondTheRegionCountForItsShareAlone) {
  const std::string after = replaced(kBefore, "open(path)", "open(path, 'rb')");
  const EditQuality record =
      measured(that_replaces("open(path)", "open(path, 'rb')"), kBefore, after);
  EXPECT_EQ(record.region_first, 3);
  EXPECT_EQ(record.changed_lines, 4);
  EXPECT_EQ(record.changed_lines_in_region, 2);
  EXPECT_EQ(record.expected_hunks, 1);
  EXPECT_EQ(record.exact_hunks, 1);
  EXPECT_DOUBLE_EQ(record.similarity, 1);
  EditQualityPlan whole;
  whole.scope = EditScope::kFile;
  const EditQuality file =
      measured(that_replaces("open(path)", "open(path, 'rb')"), kBefore, after, whole);
  EXPECT_EQ(file.changed_lines_in_region, 4);
  EXPECT_EQ(file.exact_hunks, 2);
}

TEST(EditQualityOf, LineEndsAreNoChange) {
  const std::string before = replaced(kBefore, "\n", "\r\n");
  const EditQuality record =
      measured(that_replaces("f.name", "path"), before, replaced(before, "f.name", "path"));
  EXPECT_EQ(record.exact_hunks, 1);
  EXPECT_DOUBLE_EQ(record.similarity, 1);
}

TEST(EditQualityOf, ATaskWithoutAReferenceIsLeftOut) {
  const auto engine = make_scripted_engine({});
  const EditQualityPlan plan{.decoder = *parse_decoder_name("redraft")};
  BenchTask task = edit_task("same", kBefore, kBefore);
  EXPECT_THAT(measure_edit(**engine, task, plan, {}, {}).error().message(),
              HasSubstr("changes nothing"));
  task.file->after.reset();
  EXPECT_THAT(measure_edit(**engine, task, plan, {}, {}).error().message(),
              HasSubstr("no whole file before and after"));
}

}  // namespace
}  // namespace redraft
