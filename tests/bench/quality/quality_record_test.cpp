#include "bench/quality/quality_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/quality/quality_kit.h"

namespace redraft {
namespace {

using testing::HasSubstr;

Result<QualityRecord> parsed(const std::string& text) {
  const Result<JsonDocument> document = JsonDocument::parse("r", text);
  if (!document) return document.error();
  return parse_quality_record(document->root());
}

void expect_kept(const QualityRecord& record) {
  const std::string text = to_json(record).dump();
  const Result<QualityRecord> back = parsed(text);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->key, record.key);
  EXPECT_EQ(back->set, record.set);
  EXPECT_EQ(to_json(*back).dump(), text);
}

TEST(QualityRecords, AreReadAsTheyWereWritten) {
  EditQuality edit{.file_lines = 9,
                   .region_first = 1,
                   .region_lines = 3,
                   .changed_lines = 4,
                   .changed_lines_in_region = 2,
                   .expected_hunks = 2,
                   .exact_hunks = 1,
                   .made_hunks = 3,
                   .similarity = 0.25,
                   .similarity_before = 0.5,
                   .breaks_syntax = true,
                   .finish_reason = "stop",
                   .written = "a\n"};
  edit.prompt_tokens = 7;
  edit.decode_seconds = 1.5;
  expect_kept(edit_record("a", edit));
  edit.passed = false;
  expect_kept(edit_record("a", edit));
  expect_kept(
      completion_record("b", {{.min_probability = 0.4, .shown = 3, .right = 2},
                              {.min_probability = 0.9, .shown = 1, .right = 1, .whole = true}}));
  expect_kept(next_edit_record("c", kAfterHunks[2], Verdict::kLines, /*reverses=*/true));
  QualityRecord left_out = judged("d", true);
  left_out.left_out = "has no reference";
  left_out.result = {};
  expect_kept(left_out);
}

TEST(QualityRecords, AreNotTrusted) {
  EXPECT_THAT(parsed(R"({"measure": "taste", "id": "a", "set": "s"})").error().message(),
              HasSubstr("measure"));
  EXPECT_THAT(parsed(R"({"measure": "edits", "id": "a"})").error().message(), HasSubstr("set"));
  EXPECT_THAT(parsed(R"({"measure": "edits", "id": "a", "set": "s"})").error().message(),
              HasSubstr("file_lines"));
  std::string text = to_json(next_edit_record("c", kAfterHunks[0], Verdict::kExact)).dump();
  text.replace(text.find("exact"), 5, "great");
  EXPECT_THAT(parsed(text).error().message(), HasSubstr("verdict"));
  text = to_json(completion_record("b", {{.shown = 3}})).dump();
  text.replace(text.find("\"shown\":3"), 9, "\"shown\":-3");
  EXPECT_FALSE(parsed(text));
}

}  // namespace
}  // namespace redraft
