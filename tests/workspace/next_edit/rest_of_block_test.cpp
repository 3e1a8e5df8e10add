#include "workspace/next_edit/rest_of_block.h"

#include <gtest/gtest.h>

#include "workspace/documents/open_documents.h"

namespace redraft {
namespace {

constexpr const char* kUri = "file:///a.py";

class RestOfBlockTest : public testing::Test {
 protected:
  void open(const std::string& text, const std::string& uri = kUri,
            const std::string& language = "python") {
    uri_ = uri;
    ASSERT_TRUE(documents_.open(uri, 1, text, language));
  }
  void replace(const std::string& from, const std::string& to) {
    const std::size_t begin = documents_.find(uri_)->text().find(from);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_TRUE(documents_.change(uri_, ++version_, {TextEdit{{begin, begin + from.size()}, to}}));
  }
  // The text once what is found was accepted; "" if nothing is.
  std::string accepted() {
    const std::optional<CertainEdit> found = find_rest_of_block(documents_.recent_changes(), {});
    if (!found) return "";
    if (!documents_.change(uri_, ++version_, {found->edit})) return "not applied";
    return documents_.find(uri_)->text();
  }

  OpenDocuments documents_;
  std::string uri_;
  std::int64_t version_ = 1;
};

TEST_F(RestOfBlockTest, AHeadAboveAStatementTakesItIn) {
  open("import a\n\n\ndef f(x):\n    if x:\n        return 1\n\n    return 2\n\n\nf(1)\n");
  replace("def f", "if a.ready:\ndef f");
  EXPECT_EQ(accepted(),
            "import a\n\n\nif a.ready:\n    def f(x):\n        if x:\n            return 1\n\n"
            "        return 2\n\n\nf(1)\n");
  EXPECT_EQ(accepted(), "") << "what follows is another statement";
}

TEST_F(RestOfBlockTest, TheStepIsThatOfTheFile) {
  open("def f():\n\tpass\n\n\nrun()\nstop()\n");
  replace("run()", "with a:\nrun()");
  EXPECT_EQ(accepted(), "def f():\n\tpass\n\n\nwith a:\n\trun()\nstop()\n");
}

TEST_F(RestOfBlockTest, MovesTheRestOfTheStatement) {
  open(
      "def f(x):\n    if x:\n        return 1\n\n    else:\n        y()\n    return 2\n\n\nf(1)\n");
  replace("def f(x):\n    if x:\n", "if a:\n    def f(x):\n        if x:\n");
  EXPECT_EQ(accepted(),
            "if a:\n    def f(x):\n        if x:\n            return 1\n\n        else:\n"
            "            y()\n        return 2\n\n\nf(1)\n");
}

TEST_F(RestOfBlockTest, BehindABlankLineThatSeparatesWhatWasMoved) {
  std::string text = "def f(x):\n    one(x)\n\n";
  for (int i = 0; i < 9; ++i) text += "    two(" + std::to_string(i) + ")\n";
  open(text + "\n    three(x)\n\n\nf(1)\n");
  replace("def f(x):\n    one(x)\n", "if a:\n    def f(x):\n        one(x)\n");
  for (int i = 0; i < 9; ++i)
    replace("\n    two(" + std::to_string(i), "\n        two(" + std::to_string(i));
  EXPECT_TRUE(accepted().ends_with("        two(8)\n\n        three(x)\n\n\nf(1)\n"));
}

TEST_F(RestOfBlockTest, AllOfItComesWhateverItsLinesLookLike) {
  open(
      "def f(x):\n    y = [a\n         for a in b]\n    if x:  # maybe\n#        old()\n"
      "        return 1\n    return 2\nf(1)\n");
  replace("def f(x):\n", "if a:\n    def f(x):\n");
  EXPECT_EQ(
      accepted(),
      "if a:\n    def f(x):\n        y = [a\n             for a in b]\n        if x:  # maybe\n"
      "    #        old()\n            return 1\n        return 2\nf(1)\n");
}

TEST_F(RestOfBlockTest, DecoratorsAndCommentsAreNotStatements) {
  open("# What f does.\n@cached\n\n@more\ndef f():\n    pass\nf()\n");
  replace("# What", "if a:\n# What");
  EXPECT_EQ(
      accepted(),
      "if a:\n    # What f does.\n    @cached\n\n    @more\n    def f():\n        pass\nf()\n");
}

TEST_F(RestOfBlockTest, AStringOrABracketIsNotCut) {
  open("def f():\n    a = \"\"\"\nx\n\"\"\"\n    return a\nf()\n");
  replace("def f", "if a:\ndef f");
  EXPECT_EQ(accepted(), "");
  open("def f():\n    a = (\n1)\n    return a\nf()\n", "file:///b.py");
  replace("def f", "if a:\ndef f");
  EXPECT_EQ(accepted(), "");
}

TEST_F(RestOfBlockTest, AnElseGetsANewBody) {
  open("if a:\n    one()\nreturn x\n");
  replace("return x", "else:\nreturn x");
  EXPECT_EQ(accepted(), "");
}

TEST_F(RestOfBlockTest, ARejectedEditHidesNoOther) {
  open("one()\n" + std::string(20, '\n') + "two()\n");
  replace("one()", "if a:\none()");
  replace("two()", "if b:\ntwo()");
  const auto found =
      find_rest_of_block(documents_.recent_changes(), [](const Document&, const TextEdit& edit) {
        return edit.new_text.find("two") != std::string::npos;
      });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->edit.new_text, "    one()\n");
}

TEST_F(RestOfBlockTest, OutAsWell) {
  open("if a:\n    for x in y:\n        if x:\n            one(x)\n        two(x)\n    three()\n");
  replace("if a:\n    for x in y:\n        if x:\n", "for x in y:\n    if x:\n");
  EXPECT_EQ(accepted(), "") << "below a head it may be right";
  replace("            one(x)", "        one(x)");
  EXPECT_EQ(accepted(), "for x in y:\n    if x:\n        one(x)\n    two(x)\n    three()\n");
}

TEST_F(RestOfBlockTest, ALineThatWasPutRightTakesNothingAlong) {
  open("def f(x):\n    one(x)\ntwo(x)\n    three(x)\n");
  replace("two(x)", "    two(x)");
  EXPECT_EQ(accepted(), "") << "two() is no head";
  open("class A:\n    a = 1\n\ndef f(x):\n        three(x)\n", "file:///b.py");
  replace("def f", "    def f");
  EXPECT_EQ(accepted(), "") << "it is deeper already";
}

TEST_F(RestOfBlockTest, NothingWithoutAHeadAndInOtherLanguages) {
  open("one()\nif a:\n    two()\nthree()\n");
  replace("    two()", "    two()\n    more()");
  EXPECT_EQ(accepted(), "");
  replace("if a:\n", "if a:\n    pass\n");
  EXPECT_EQ(accepted(), "");
  open("label:\nrun()\n", "file:///a.c", "c");
  replace("label:", "label:\nif x:");
  EXPECT_EQ(accepted(), "");
}

TEST_F(RestOfBlockTest, RoomForSomethingElseIsLeftFree) {
  open("one()\ntwo()\n");
  replace("two()", "if a:\n    \ntwo()");
  EXPECT_EQ(accepted(), "") << "what is in it is about to be written";
}

}  // namespace
}  // namespace redraft
