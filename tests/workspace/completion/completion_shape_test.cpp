#include "workspace/completion/completion_shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redraft {
namespace {

// A text in which "|" marks the cursor.
struct MarkedPlace {
  explicit MarkedPlace(std::string marked, std::string language = "python")
      : text(std::move(marked)), language_id(std::move(language)) {
    offset = text.find('|');
    text.erase(offset, 1);
  }
  CompletionShape shape() const { return completion_shape(text, offset, language_id, max_blocks); }
  CursorText around() const {
    return {std::string_view(text).substr(0, offset), std::string_view(text).substr(offset)};
  }
  // What remains of a model's output, which arrives token by token.
  std::string completed(std::string_view written, std::size_t token = 3) const {
    CompletionLimit limit(shape(), around());
    bool goes_on = true;
    for (std::size_t i = 0; i < written.size() && goes_on; i += token)
      goes_on = limit.add(written.substr(i, token));
    if (goes_on) limit.finish();
    return trimmed_completion(limit.text(), around(), shape().before_line);
  }

  std::string text;
  std::string language_id;
  std::size_t offset = 0;
  int max_blocks = 1;
};

TEST(CompletionShape, IsOneLineWithinALine) {
  EXPECT_TRUE(MarkedPlace("x = |\n").shape().single_line);
  EXPECT_TRUE(MarkedPlace("f(|)\n").shape().single_line);
  EXPECT_TRUE(MarkedPlace("    |return x\n").shape().single_line);
  EXPECT_TRUE(MarkedPlace("a = {'b': |}\n").shape().single_line);
  EXPECT_TRUE(MarkedPlace("key: |\n", "typescript").shape().single_line);
  EXPECT_TRUE(MarkedPlace("x|\n").shape().single_line);
}

TEST(CompletionShape, IsSeveralLinesWhereALineOrABlockBegins) {
  const MarkedPlace start("|");
  EXPECT_EQ(MarkedPlace("def f():\n    |\n").shape(),
            (CompletionShape{.single_line = false,
                             .indent = 4,
                             .max_lines = start.shape().max_lines,
                             .keywords = start.shape().keywords}));
  const CompletionShape block = MarkedPlace("  if x:|\n").shape();
  EXPECT_FALSE(block.single_line);
  EXPECT_TRUE(block.opens_block);
  EXPECT_EQ(block.indent, 2U);
  EXPECT_TRUE(MarkedPlace("\tvoid f() {|}\n", "cpp").shape().opens_block);
  EXPECT_EQ(MarkedPlace("\tvoid f() {|}\n", "cpp").shape().indent, 8U);
  EXPECT_TRUE(MarkedPlace("if x then|\n", "lua").shape().opens_block);
  EXPECT_TRUE(MarkedPlace("undo|\n", "lua").shape().single_line);
  EXPECT_FALSE(MarkedPlace("|").shape().single_line);
  EXPECT_FALSE(MarkedPlace("|\nx = 1\n").shape().before_line);
  EXPECT_TRUE(MarkedPlace("a = 0\n|x = 1\n").shape().before_line);
  EXPECT_TRUE(MarkedPlace("a = 0\n|  x = 1\n").shape().before_line);
}

TEST(Completion, ASingleLineCompletionEndsWithItsLine) {
  EXPECT_EQ(MarkedPlace("x = |\n").completed("1 + 2  \ny = 3\n"), "1 + 2");
  EXPECT_EQ(MarkedPlace("x = |").completed("\ny = 3"), "");
}

TEST(Completion, ABlockCompletionEndsWithItsBlock) {
  const MarkedPlace body("def f(x):\n    |\n\ndef g():\n    pass\n");
  EXPECT_EQ(body.completed("y = x\n    if y:\n        y += 1\n\n    return y\n\ndef h():\n"),
            "y = x\n    if y:\n        y += 1\n\n    return y");
  EXPECT_EQ(MarkedPlace("for x in y:|\n").completed("\n    print(x)\n    done()\nprint()\n"),
            "\n    print(x)\n    done()");
  const MarkedPlace brace("int f() {|\n", "cpp");
  EXPECT_EQ(brace.completed("\n  return 1;\n}\n\nint g() {\n"), "\n  return 1;\n}");
  EXPECT_EQ(brace.completed("\n  return 1;\n}"), "\n  return 1;\n}") << "and nothing behind it";
  const MarkedPlace closed("int f() {|\n}\n", "cpp");
  EXPECT_EQ(closed.completed("\n  return 1;\n}\n\nint g() {\n"), "\n  return 1;");
}

TEST(Completion, WithoutIndentationEndsWithItsParagraph) {
  EXPECT_EQ(MarkedPlace("|").completed("import os\nimport re\n\nx = 1\n"), "import os\nimport re");
  EXPECT_EQ(MarkedPlace("|").completed("def f():\n    a = 1\n\n    return a\n\nf()\n"),
            "def f():\n    a = 1\n\n    return a");
}

TEST(Completion, WithoutIndentationHasAsManyBlocksAsAreWanted) {
  const std::string written = "a()\n\nb()\nb2()\n\nc()\n";
  MarkedPlace place("|");
  place.max_blocks = 2;
  EXPECT_EQ(place.completed(written), "a()\n\nb()\nb2()");
  place.max_blocks = 3;
  EXPECT_EQ(place.completed(written), "a()\n\nb()\nb2()\n\nc()");
  EXPECT_EQ(MarkedPlace("|").completed("\n  a()\n    b()\n\n    c()\n\n  d()\n"),
            "\n  a()\n    b()\n\n    c()")
      << "the first line's indentation is the block's";
}

TEST(Completion, BeforeALineIsLinesOfItsOwn) {
  const MarkedPlace fields("struct S {\n  int a;\n|  int d;\n};\n", "cpp");
  EXPECT_EQ(fields.completed("  int b;\n  int c;\n"), "  int b;\n  int c;\n");
  EXPECT_EQ(fields.completed("  int b;\n  int d;\n"), "  int b;\n") << "which stands there already";
  EXPECT_EQ(fields.completed("  int b;\n  int c;"), "  int b;\n  int c;\n") << "not joined to it";
  EXPECT_EQ(fields.completed("  int d;\n};\n"), "");
  EXPECT_EQ(fields.completed("static"), "static") << "within the line";
  const MarkedPlace functions("def f():\n    pass\n\n\n|def h():\n    pass\n");
  EXPECT_EQ(functions.completed("def g():\n    pass\n\n\ndef h():\n    pass\n"),
            "def g():\n    pass\n\n\n");
  MarkedPlace end("int f() {\n  a();\n|}\n", "cpp");
  EXPECT_EQ(end.completed("  b();\n}\n\nint g() {\n  c();\n}\n"), "  b();\n");
  end.max_blocks = 2;
  EXPECT_EQ(end.completed("  b();\n}\n\nint g() {\n  c();\n}\n"),
            "  b();\n}\n\nint g() {\n  c();\n")
      << "the bracket behind the place closes the last one";
  EXPECT_EQ(end.completed("  if (b) {\n    c();\n  }\n"), "  if (b) {\n    c();\n  }\n");
}

TEST(Completion, HasAsManyLinesAsItMay) {
  std::string many;
  for (int i = 0; i < 100; ++i) many += "    x += 1\n";
  const std::string completed = MarkedPlace("def f():\n    |\n").completed(many.substr(4));
  EXPECT_EQ(std::ranges::count(completed, '\n'), MarkedPlace("|").shape().max_lines - 1);
}

TEST(Completion, DoublesNoBracket) {
  EXPECT_EQ(MarkedPlace("f(|)\n").completed("a, b)"), "a, b");
  EXPECT_EQ(MarkedPlace("f(|)\n").completed("g(a), [b])\n"), "g(a), [b]");
  EXPECT_EQ(MarkedPlace("f(|)\n").completed("\")\", b)\n"), "\")\", b") << "one in a text is none";
  EXPECT_EQ(MarkedPlace("f(|\n").completed("a, b)\n"), "a, b)");
  EXPECT_EQ(MarkedPlace("x = \"|\"\n").completed("text\"\n"), "text");
  EXPECT_EQ(MarkedPlace("f(g(|))\n").completed("a))\n"), "a");
  EXPECT_EQ(MarkedPlace("f(|);\n", "cpp").completed("a);\n"), "a");
  EXPECT_EQ(MarkedPlace("def f(path|):\n").completed("='utf-8'):\n"), "='utf-8'");
  EXPECT_EQ(MarkedPlace("if (f(|)) {\n", "cpp").completed("g(a), b)) {\n"), "g(a), b");
  EXPECT_EQ(MarkedPlace("x = [|] + 'a'\n").completed("1, 2] + 'a'\n"), "1, 2");
  EXPECT_EQ(MarkedPlace("x = | 'abc'\n").completed("'x' +\n"), "'x' +") << "another string";
}

// As VS Code, JetBrains and Neovim's plugins leave the text when an opening bracket or quote is
// typed.
TEST(Completion, DoublesNothingThatTheEditorHasClosed) {
  EXPECT_EQ(MarkedPlace("print(\"|\")\n").completed("it's me (again)\")\n"), "it's me (again)")
      << "an apostrophe opens nothing within a string";
  EXPECT_EQ(MarkedPlace("print(\"|\")\n").completed("a \\\"b\\\" c\")\n"), "a \\\"b\\\" c");
  EXPECT_EQ(MarkedPlace("d = {'|'}\n").completed("key': \"it's\"}\n"), "key");
  EXPECT_EQ(MarkedPlace("x = [f(\"|\")]\n").completed("a\")]\n"), "a");
  EXPECT_EQ(MarkedPlace("let v: Vec<|>\n", "rust").completed("Option<u8>> = f();\n"), "Option<u8>");
  EXPECT_EQ(MarkedPlace("let f: Box<|>;\n", "rust").completed("dyn Fn(u8) -> u8>;\n"),
            "dyn Fn(u8) -> u8");
  EXPECT_EQ(MarkedPlace("if x |>\n").completed("< y > z\n"), "< y > z");
}

TEST(Completion, ABracketThatTheEditorHasClosedGetsALineOfItsOwn) {
  const MarkedPlace body("func f() {|}\n", "go");
  EXPECT_EQ(body.completed("\n\treturn 1\n}\n\nfunc g() {\n"), "\n\treturn 1\n");
  const MarkedPlace inner("function f() {\n  g(() => {|});\n}\n", "javascript");
  EXPECT_EQ(inner.completed("\n    h();\n  });\n}\n"), "\n    h();\n  ");
  EXPECT_EQ(MarkedPlace("x = [|]\n").completed("\n"), "") << "nothing is put in";
  EXPECT_EQ(MarkedPlace("int f() {|}\n", "cpp").completed(" return 1; }\n"), " return 1;");
  EXPECT_EQ(MarkedPlace("loop do|end\n", "ruby").completed("\n  a\nend\n"), "\n  a");
}

TEST(Completion, DoublesNoLineBelow) {
  const MarkedPlace place("def f():\n    |\n    return y\n");
  EXPECT_EQ(place.completed("y = 1\n    return y\n"), "y = 1");
  EXPECT_EQ(place.completed("return y\n"), "");
  const MarkedPlace two("def f():\n    |\n    a()\n    b()\n");
  EXPECT_EQ(two.completed("x()\n    a()\n    b()\n    c()\n"), "x()\n    a()\n    b()\n    c()");
  EXPECT_EQ(two.completed("x()\n    a()\n    b()\n"), "x()");
  const MarkedPlace braces("int f() {\n  |\n}\n", "cpp");
  EXPECT_EQ(braces.completed("if (x) {\n    y();\n  }\n"), "if (x) {\n    y();\n  }")
      << "this bracket is its own";
}

TEST(Completion, EndsWhereItGoesOverToWhatStandsBelow) {
  const MarkedPlace place(
      "def f():\n    |\n    alpha = first(1)\n    beta = second(2)\n    return 3\n");
  EXPECT_EQ(place.completed("x = 1\n    alpha = first(1)\n    beta = second(2)\n    more()\n"),
            "x = 1");
  EXPECT_EQ(place.completed("alpha = first(1)\n    beta = second(2)\n    more()\n"), "");
  EXPECT_EQ(place.completed("alpha = first(1)\n    gamma = third(2)\n"),
            "alpha = first(1)\n    gamma = third(2)")
      << "one line that is the same is no sign";
}

// However the text is divided into tokens.
TEST(Completion, DoesNotDependOnTokens) {
  constexpr std::string_view kPieces[] = {"a",  "(",  ")", "{", "}", "\n",    "    ", "  ",
                                          "if", "\t", ":", "=", "]", "end\n", "\r\n", "\""};
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    const auto some_text = [&](std::size_t most) {
      std::string text;
      for (std::size_t n = random() % most; n > 0; --n)
        text += kPieces[random() % std::size(kPieces)];
      return text;
    };
    const MarkedPlace place(some_text(8) + "|" + some_text(8), random() % 2 ? "python" : "cpp");
    const std::string written = some_text(40);
    const std::string whole = place.completed(written, written.size() + 1);
    for (const std::size_t token : {1U, 2U, 5U}) {
      EXPECT_EQ(place.completed(written, token), whole) << place.text << "\n---\n" << written;
    }
    const std::string ending = whole.substr(whole.find_last_not_of('\n') + 1);
    EXPECT_TRUE(written.starts_with(whole.substr(0, whole.size() - ending.size())));
  }
}

}  // namespace
}  // namespace redraft
