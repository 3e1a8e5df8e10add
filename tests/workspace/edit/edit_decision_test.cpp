// What becomes of a request, without any model.
#include "workspace/edit/edit_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kCode =
    "def area(width, height):\n    return width * height\n\n\ndef twice(n):\n    return 2 * n\n";

std::string many_functions(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string name = "step_" + std::to_string(i);
    text += "def " + name + "(x):\n    y = x + 1\n    return y\n\n\n";
  }
  return text;
}

EditRequest request(const std::string& instruction, const std::string& text = kCode) {
  EditRequest request;
  request.document = *Document::make("file:///a.py", 1, text, "python");
  request.instruction = instruction;
  return request;
}

EditRequest change(const std::string& change, const std::string& text = kCode) {
  EditRequest made = request("", text);
  made.change = change;
  return made;
}

// The request's decision, which must be this alternative.
template <typename Alternative>
Alternative decided(const EditRequest& request, const EditLimits& limits = {}) {
  const Result<EditDecision> decision = decide(request, limits);
  if (!decision) throw std::runtime_error(decision.error().message());
  return std::get<Alternative>(*decision);
}

std::string error_of(const EditRequest& request, const EditLimits& limits = {}) {
  const Result<EditDecision> decision = decide(request, limits);
  return decision ? std::string() : decision.error().message();
}

EditLimits limits_with_windows() {
  return {.windows = [](const EditRegion& file, const std::string&) {
    return Result(std::optional(EditWindows{{file, file}, {1, 1}, 7}));
  }};
}

TEST(EditDecision, AChangeWhosePlaceIsCertainNeedsNoModel) {
  const EditRequest certain = change("```python\ndef twice(n):\n    return n + n\n```\n");
  const auto decision = decided<CertainChange>(certain);
  EXPECT_EQ(apply_edits(kCode, decision.edits),
            "def area(width, height):\n    return width * height\n\n\n"
            "def twice(n):\n    return n + n\n");
  const auto result = carry_out_without_model(certain, *decide_without_model(certain));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_placed());
  EXPECT_EQ(result->text, apply_edits(kCode, decision.edits));
  EXPECT_EQ(certain.change, "```python\ndef twice(n):\n    return n + n\n```\n") << "as it was";
}

TEST(EditDecision, AChangeWithoutACertainPlaceIsATaskForTheModel) {
  const EditRequest doubtful = change("    return area\n");
  const Result<FirstDecision> first = decide_without_model(doubtful);
  ASSERT_TRUE(first);
  const auto& task = std::get<ModelTask>(*first);
  EXPECT_THAT(task.instruction, HasSubstr("<change>\n    return area\n</change>"));
  EXPECT_THAT(task.change_doubt, testing::Not(IsEmpty()));
  EXPECT_FALSE(carry_out_without_model(doubtful, *first));
  const auto edit = decided<RegionEdit>(doubtful);  // a small file as a whole
  EXPECT_EQ(edit.region.range(), (ByteRange{0, kCode.size()}));
  EXPECT_EQ(edit.instruction, task.instruction);
  EXPECT_FALSE(edit.has_retries);
}

TEST(EditDecision, ARenameNeedsNoModel) {
  const EditRequest rename = request("rename width to w");
  EXPECT_EQ(apply_edits(kCode, decided<Rename>(rename).edits),
            "def area(w, height):\n    return w * height\n\n\ndef twice(n):\n    return 2 * n\n");
  const auto result = carry_out_without_model(rename, *decide_without_model(rename));
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->is_renamed());
}

TEST(EditDecision, TheModelRenamesIfTheTreeCannotOrTheClientWantsIt) {
  EXPECT_TRUE(decided<RegionEdit>(request("rename the argument to d")).has_retries);
  EditRequest by_model = request("rename width to w");
  by_model.model_renames = true;
  EXPECT_EQ(decided<RegionEdit>(by_model).instruction, "rename width to w");
}

TEST(EditDecision, ARenameOfWhatIsNotThereFailsWhoeverWouldAnswer) {
  EditRequest missing = request("rename depth to d");
  EXPECT_EQ(decide_without_model(missing).error().message(), "there is no 'depth' in this file");
  missing.model_renames = true;
  EXPECT_FALSE(decide_without_model(missing));
  missing.retry_index = 1;
  EXPECT_FALSE(decide_without_model(missing));
}

TEST(EditDecision, TheModelAnswersTheRetryOfARename) {
  EditRequest retry = request("rename width to w");
  retry.retry_index = 2;
  const auto decision = decided<RetryEdit>(retry);
  EXPECT_EQ(decision.retry_index, 2);
  EXPECT_EQ(decision.edit.region.range(), (ByteRange{0, kCode.size()}));
}

TEST(EditDecision, ARegionIsWhatTheScopeMeans) {
  EditRequest cursor = request("faster");
  cursor.range = ByteRange{kCode.find("2 * n"), kCode.find("2 * n")};
  cursor.scope = EditScope::kAround;
  const ByteRange twice{kCode.find("def twice"), kCode.size()};
  EXPECT_EQ(decided<RegionEdit>(cursor).region.range(), twice);
  cursor.scope = EditScope::kSelection;
  EXPECT_EQ(decided<RegionEdit>(cursor).region.range(),
            (ByteRange{kCode.find("    return 2"), kCode.size()}));
}

TEST(EditDecision, PlacesOfASmallFileAreTheWholeFile) {
  EditRequest places = request("faster");
  places.scope = EditScope::kPlaces;
  EXPECT_TRUE(decided<RegionEdit>(places, {.region_bytes = kCode.size()}).is_small_file);
  const auto large = decided<PlacesEdit>(places, {.region_bytes = kCode.size() - 1});
  EXPECT_THAT(large.given.chosen, IsEmpty());
}

TEST(EditDecision, GivenPlacesAreWholeLinesInFileOrder) {
  EditRequest places = request("faster");
  places.scope = EditScope::kPlaces;
  const std::size_t second = kCode.find("2 * n"), first = kCode.find("width *");
  places.places = {{second, second + 1}, {first, first + 1}, {first + 2, first + 3}};
  const auto decision = decided<PlacesEdit>(places);
  ASSERT_EQ(decision.given.chosen.size(), 2U);
  EXPECT_EQ(decision.given.chosen[0].range, (ByteRange{25, 51}));
  EXPECT_EQ(decision.given.chosen[1].name, "return 2 * n");
}

TEST(EditDecision, AChangeThatNothingIsLikeGoesWhereTheClientSays) {
  EditRequest unlike = change("nothing = like_this\n", many_functions(200));
  EXPECT_THAT(error_of(unlike), HasSubstr("select the lines"));
  unlike.range = ByteRange{4, 4};
  const auto edit = decided<RegionEdit>(unlike);
  EXPECT_EQ(edit.region.range().begin, 0U);
  EXPECT_LT(edit.region.range().end, 100U);
  EXPECT_THAT(edit.instruction, HasSubstr("nothing = like_this"));
}

TEST(EditDecision, AFileBeyondTheContextIsEditedInWindows) {
  EditRequest whole = request("faster");
  const auto decision = decided<WindowsEdit>(whole, limits_with_windows());
  EXPECT_EQ(decision.windows.context_bytes, 7U);
  EXPECT_EQ(decision.instruction, "faster");
  whole.range = ByteRange{0, 0};
  whole.scope = EditScope::kSelection;
  decided<RegionEdit>(whole, limits_with_windows());  // windows are for files alone
}

TEST(EditDecision, OnlyOneRegionCanBeRetried) {
  EditRequest retry = request("faster");
  retry.retry_index = 1;
  EXPECT_THAT(error_of(retry, limits_with_windows()), HasSubstr("one region"));
  retry.scope = EditScope::kPlaces;
  EXPECT_THAT(error_of(retry, {.region_bytes = 10}), HasSubstr("one region"));
  decided<RetryEdit>(retry);
  retry.places = {{0, 4}};
  EXPECT_THAT(error_of(retry), HasSubstr("one region"));
  EditRequest of_change = change("def twice(n):\n    return n + n\n");
  of_change.retry_index = 1;
  EXPECT_THAT(error_of(of_change), HasSubstr("one region"));
}

TEST(EditDecision, WhatCannotBeDecidedIsAnError) {
  EXPECT_THAT(error_of(request(" \n")), HasSubstr("say what to change"));
  EditRequest outside = request("faster");
  outside.range = ByteRange{0, kCode.size() + 1};
  outside.scope = EditScope::kSelection;
  EXPECT_THAT(error_of(outside), testing::Not(IsEmpty()));
  EXPECT_THAT(
      error_of(EditRequest{.document = {}, .instruction = "faster", .range = {}, .decoder = {}}),
      HasSubstr("document"));
}

}  // namespace
}  // namespace redraft
