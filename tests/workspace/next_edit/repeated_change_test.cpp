#include "workspace/next_edit/repeated_change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/documents/open_documents.h"

namespace redraft {
namespace {

constexpr const char* kUri = "file:///a.go";

// Three loops that are written alike, with others' lines between them.
constexpr const char* kLoops =
    "func one(b *B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tone()\n\t}\n}\n"
    "// one\n// and another\n// and more\n// of them\n// so that\n// they are\n// apart\n// "
    "enough\n"
    "func two(b *B) {\n\tif x {\n\t\tfor i := 0; i < b.N; i++ {\n\t\t\ttwo()\n\t\t}\n\t}\n}\n"
    "// one\n// and another\n// and more\n// of them\n// so that\n// they are\n// apart\n// "
    "enough\n"
    "func three(b *B) {\n\tfor i := 0; i < b.N; i++ {\n\t\tthree()\n\t}\n}\n";

class RepeatedChangeTest : public testing::Test {
 protected:
  void open(const std::string& text, const std::string& uri = kUri) {
    ASSERT_TRUE(documents_.open(uri, 1, text, "go"));
  }
  // Replaces the nth occurrence of `from`, from 0.
  void replace(const std::string& from, const std::string& to, int nth = 0) {
    const std::string& text = documents_.find(kUri)->text();
    std::size_t begin = text.find(from);
    for (; nth > 0; --nth) begin = text.find(from, begin + 1);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_TRUE(documents_.change(kUri, ++version_, {TextEdit{{begin, begin + from.size()}, to}}));
  }
  std::optional<CertainEdit> find() {
    return find_repeated_change(documents_.recent_changes(), documents_.from(kUri), known_,
                                is_unwanted_);
  }
  // The line that is proposed to be changed, from 0, and what it becomes; "" without one.
  std::string proposed() {
    const std::optional<CertainEdit> found = find();
    if (!found) return "";
    return std::to_string(found->document->lines().line_of(found->edit.range.begin)) + ": " +
           found->edit.new_text;
  }
  void accept() {
    const std::optional<CertainEdit> found = find();
    ASSERT_TRUE(found);
    ASSERT_TRUE(documents_.change(found->document->uri(), ++version_, {found->edit}));
  }

  OpenDocuments documents_;
  std::int64_t version_ = 1;
  std::set<std::string> known_;
  std::function<bool(const Document&, const TextEdit&)> is_unwanted_;
};

TEST_F(RepeatedChangeTest, TheNextPlaceOfTheSameLinesIsChangedAlikeAndIndentedAsItIs) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {");
  EXPECT_EQ(proposed(), "15: \t\tfor b.Loop() {\n");
  accept();
  EXPECT_EQ(proposed(), "29: \tfor b.Loop() {\n");
  accept();
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, PlacesAboveComeWhenNoneIsLeftBelow) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {", 2);
  EXPECT_EQ(proposed(), "15: \t\tfor b.Loop() {\n");
}

TEST_F(RepeatedChangeTest, TheNextPlaceBelowComesBeforeANearerOneAbove) {
  open("run(first, 1)\na()\nrun(first, 1)\nb()\nc()\nd()\ne()\nrun(first, 1)\n");
  replace("run(first, 1)", "run(other, 1)", 1);
  EXPECT_EQ(proposed(), "7: run(other, 1)\n");
  accept();
  EXPECT_EQ(proposed(), "0: run(other, 1)\n");
}

TEST_F(RepeatedChangeTest, PassingOneOverEndsTheSeries) {
  open(kLoops + std::string("func four(b *B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n"));
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {", 0);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {", 1);  // the one between is passed over
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, DoesNotProposeRejectedEdits) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {");
  is_unwanted_ = [](const Document&, const TextEdit& edit) {
    return edit.new_text.starts_with("\t\t");
  };
  EXPECT_EQ(proposed(), "29: \tfor b.Loop() {\n");
}

TEST_F(RepeatedChangeTest, LinesWithAKnownWordAreNotExamples) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop() {");
  known_ = {"N"};
  EXPECT_EQ(proposed(), "");
  known_ = {"Loop"};
  EXPECT_NE(proposed(), "");
}

TEST_F(RepeatedChangeTest, AnUnfinishedChangeIsNotAnExample) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "for b.Loop( {");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, LinesWithFewWordsAreNotExamples) {
  open("a()\nreturn\n}\nb()\nreturn\n}\n");
  replace("return\n", "return 1\n");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, LinesThatBecomeMoreLinesAreNotExamples) {
  open(kLoops);
  replace("for i := 0; i < b.N; i++ {", "prepare(b)\n\tfor b.Loop() {");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, ReindentingIsNotAnExample) {
  open(kLoops);
  replace("\tfor i := 0; i < b.N; i++ {", "    for i := 0; i < b.N; i++ {");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, ReplacedValuesAreAnExampleOnceThatHappenedTwice) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += "step_" + std::to_string(i) + "()\ntimeout = wait(10)\n" + std::string(12, '\n');
  open(text);
  replace("wait(10)", "wait(30)");
  EXPECT_EQ(proposed(), "") << "the others may be equal by chance";
  replace("wait(10)", "wait(30)");
  EXPECT_EQ(proposed(), "29: timeout = wait(30)\n");
}

TEST_F(RepeatedChangeTest, DeletedLinesAreAnExampleOnceThatHappenedTwice) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += "step_" + std::to_string(i) + "()\ntrace(here, now)\nend_" + std::to_string(i) + "()\n";
  open(text);
  replace("trace(here, now)\n", "");
  EXPECT_EQ(proposed(), "") << "it may have been one too many";
  replace("trace(here, now)\n", "");
  EXPECT_EQ(proposed(), "5: ");
}

TEST_F(RepeatedChangeTest, AnAddedLineIsAnExampleBetweenTheSameLines) {
  open(
      "x = {\n  kind: 1,\n  size: 2,\n}\ny = {\n    kind: 1,\n    size: 2,\n}\nz = {\n  kind: "
      "1,\n}\n");
  replace("kind: 1,\n", "kind: 1,\n  deep: true,\n");
  EXPECT_EQ(proposed(), "7:     deep: true,\n");
  accept();
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, NothingIsTurnedBack) {
  open("first(a, b)\nkeep(1)\nsecond(a, b)\nkeep(2)\nfirst(a, b)\nkeep(3)\nsecond(a, b)\n");
  replace("first(a, b)\nkeep(1)", "second(a, b)\nkeep(1)");
  replace("second(a, b)\nkeep(2)", "first(a, b)\nkeep(2)");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, OtherOpenDocumentsComeLast) {
  open("a()\nrun(first, 1)\n");
  open("b()\nrun(first, 1)\n", "file:///b.go");
  replace("run(first, 1)", "run(other, 1)");
  const std::optional<CertainEdit> found = find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->document->uri(), "file:///b.go");
}

// Methods of which each has a result with a name of its own.
constexpr const char* kResults =
    "func (c *Context) GetText(key any) (s string) {\n}\n// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n"
    "func (c *Context) GetInt(key any) (i int) {\n}\n// 1\n// 2\n// 3\n// 4\n// 5\n// 6\n// 7\n"
    "func (c *Context) GetTime(key any) (t time) {\n}\n"
    "func (c *Context) Get(key any) (value any, found bool) {\n}\n"
    "func (c *Context) GetSize(key any) (size uint) {\n}\n";

TEST_F(RepeatedChangeTest, TwoLinesChangedAlikeShowHowOthersAre) {
  open(kResults);
  replace("(s string)", "string");
  EXPECT_EQ(proposed(), "") << "one is no pattern";
  replace("(i int)", "int");
  EXPECT_EQ(proposed(), "18: func (c *Context) GetTime(key any) time {\n");
  accept();
  EXPECT_EQ(proposed(), "22: func (c *Context) GetSize(key any) uint {\n")
      << "two results are something else";
  accept();
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, PassingALineOverEndsThePattern) {
  open(kResults);
  replace("(s string)", "string");
  replace("(t time)", "time");  // that of GetInt is passed over
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, LinesThatAreRightAlreadyDoNotEndTheSeries) {
  std::string text;
  for (const char* line : {"x = client.fetch(1)", "await client.fetch(2)", "return client.fetch(3)",
                           "y = await client.fetch(4)", "z = client.fetch(5)"})
    text += std::string(line) + "\n\n\n\n\n\n\n\n\n\n";
  open(text);
  replace("client.fetch(1)", "await client.fetch(1)");
  EXPECT_EQ(proposed(), "");
  replace("client.fetch(3)", "await client.fetch(3)");
  EXPECT_EQ(proposed(), "40: z = await client.fetch(5)\n");
  accept();
  EXPECT_EQ(proposed(), "");
}

// The history forgets the first ones.
TEST_F(RepeatedChangeTest, ALongSeriesEnds) {
  std::string text;
  for (int i = 0; i < 9; ++i)
    text += "x" + std::to_string(i) + " = client.fetch(" + std::to_string(i) + ")\n" +
            std::string(10, '\n');
  open(text);
  replace("client.fetch(0)", "await client.fetch(0)");
  replace("client.fetch(1)", "await client.fetch(1)");
  for (int i = 2; i < 9; ++i) {
    const std::string name = std::to_string(i);
    EXPECT_EQ(proposed(),
              std::to_string(11 * i) + ": x" + name + " = await client.fetch(" + name + ")\n");
    accept();
  }
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, ARuleAppliesToItsLanguageAndNeedsMoreWordsInOtherFiles) {
  const auto elsewhere = [&](const std::string& call, const std::string& language) {
    EXPECT_TRUE(documents_.open("file:///other", 1, "a = old." + call + "(3)\n", language));
    open("x = old." + call + "(1)\n" + std::string(9, '\n') + "return old." + call + "(2)\n");
    replace("old", "fresh");
    replace("old", "fresh");
    std::string found = proposed();
    documents_.close("file:///other");
    documents_.close(kUri);
    version_ = 1;
    return found;
  };
  EXPECT_EQ(elsewhere("name", "go"), "");
  EXPECT_EQ(elsewhere("name.of", "python"), "");
  EXPECT_EQ(elsewhere("name.of", "go"), "0: a = fresh.name.of(3)\n");
}

// Also if two that were changed since stand beside each other.
TEST_F(RepeatedChangeTest, PassedOverLinesStayPassedOver) {
  open(kResults + std::string("func (c *Context) GetMany(key any) (n int) {\n}\n"));
  replace("(s string)", "string");
  replace("(t time)", "time");
  replace("(size uint)", "uint");
  EXPECT_EQ(proposed(), "");
}

TEST_F(RepeatedChangeTest, APatternOfKnownWordsIsLeftToOthers) {
  open(kResults);
  replace("(s string)", "string");
  replace("(i int)", "int");
  known_ = {"GetTime"};
  EXPECT_EQ(proposed(), "22: func (c *Context) GetSize(key any) uint {\n");
}

TEST_F(RepeatedChangeTest, LineEndsStayAsTheyAre) {
  open("run(first, 1)\r\nmiddle()\r\nrun(first, 1)\r\n");
  replace("run(first, 1)", "run(other, 1)");
  EXPECT_EQ(proposed(), "2: run(other, 1)\r\n");
}

}  // namespace
}  // namespace redraft
