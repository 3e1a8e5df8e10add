#include "workspace/edit/edit_doubts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The edits by lines that turn `before` into `after`, as an edit of the whole file makes them.
std::vector<TextEdit> line_edits(const std::shared_ptr<const Document>& before,
                                 const std::string& after) {
  const EditRegion region = *EditRegion::make(before, EditScope::kFile, {});
  const auto changed = *Document::make("file:///b", 1, after, before->language_id());
  const EditRegion new_region = *EditRegion::make(changed, EditScope::kFile, {});
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(region.lines(), new_region.lines()))
    edits.push_back(region.edit(change));
  return edits;
}

std::vector<Doubt> doubts(const std::string& language, const std::string& before,
                          const std::string& after, const std::string& instruction) {
  const auto document = *Document::make("file:///a", 1, before, language);
  const std::vector<TextEdit> edits = line_edits(document, after);
  EXPECT_EQ(apply_edits(before, edits), after);
  const auto tree = SyntaxTree::parse(std::make_shared<const std::string>(after), language);
  return doubts_about({*document->syntax(), *tree, edits, instruction});
}

std::vector<std::string> reasons(const std::string& language, const std::string& before,
                                 const std::string& after, const std::string& instruction) {
  std::vector<std::string> list;
  for (const Doubt& doubt : doubts(language, before, after, instruction))
    list.push_back(doubt.reason);
  return list;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(EditDoubts, WhatIsUsedStaysImported) {
  const std::string code = "import os\nimport re\nfrom a import (b,\n    c)\n\nx = os.sep + c\n";
  const auto without = [&](const std::string& from, const std::string& to) {
    return reasons("python", code, replaced(code, from, to), "sort the imports");
  };
  EXPECT_THAT(without("import os\nimport re\n", "import re\n"),
              ElementsAre("'os' is used, but not imported any more"));
  EXPECT_THAT(without("import re\n", ""), IsEmpty());
  EXPECT_THAT(without("from a import (b,\n    c)\n", "from a import b\n"),
              ElementsAre("'c' is used, but not imported any more"));
  EXPECT_THAT(without("from a import (b,\n    c)\n", "from a import c\n"), IsEmpty());
  EXPECT_THAT(without("import os\nimport re\n", "import re\nimport os\n"), IsEmpty());
  EXPECT_THAT(without("import os\n", "from os import path as os\n"), IsEmpty());
  const std::string go = "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n";
  EXPECT_THAT(reasons("go", go, replaced(go, "\t\"os\"\n", ""), "tidy"), IsEmpty());
}

TEST(EditDoubts, IncludesStayUnlessTheyAreReplacedOrToBeRemoved) {
  const std::string code =
      "#include <math.h>\n#include <stdio.h>\n#include \"port/port.h\"\n\nint f(void);\n";
  const auto now = [&](const std::string& includes, const std::string& instruction) {
    return reasons("cpp", code, includes + "\nint f(void);\n", instruction);
  };
  EXPECT_THAT(now("#include <cmath>\n#include <cstdio>\n", "use the C++ headers"),
              ElementsAre("'#include \"port/port.h\"' is gone"));
  EXPECT_THAT(now("#include <cmath>\n#include <cstdio>\n#include \"port/port.h\"\n", "use C++"),
              IsEmpty());
  EXPECT_THAT(now("#include <math.h>\n#include <iostream>\n#include \"port/port.h\"\n", "use cout"),
              IsEmpty());
  EXPECT_THAT(now("#include <math.h>\n#include <stdio.h>\n", "remove unused includes"), IsEmpty());
  EXPECT_THAT(now("#include <math.h>\n#include <stdio.h>\n", "remove port"), IsEmpty());
}

const std::string kClient =
    "class Client:\n"
    "    def send(self, line):\n"
    "        self.sock.sendall(line)\n"
    "\n"
    "    def put(self, line):\n"
    "        if self.debug:\n"
    "            print(line)\n"
    "        self.send(line + CRLF)\n"
    "\n"
    "    def close(self):\n"
    "        self.sock.close()\n";

TEST(EditDoubts, NoneAboutAnOrdinaryChange) {
  EXPECT_THAT(reasons("python", kClient, replaced(kClient, "print(line)", "print('>', line)"),
                      "log instead of printing"),
              IsEmpty());
  EXPECT_THAT(reasons("python", kClient, kClient, "add a docstring"), IsEmpty());
}

// The docstring took the place of the line that begins the method.
TEST(EditDoubts, ADefinitionThatIsGone) {
  const std::string after =
      replaced(kClient, "    def put(self, line):\n", "        \"\"\"Send a line.\"\"\"\n");
  const std::vector<Doubt> found = doubts("python", kClient, after, "add a docstring");
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Doubt::Kind::kLost);
  EXPECT_EQ(found[0].reason, "the definition of 'Client.put' is gone");
  EXPECT_THAT(found[0].edits, ElementsAre(0));
}

TEST(EditDoubts, WhatTheInstructionRemovesMayGo) {
  const std::string without =
      replaced(kClient,
               "    def put(self, line):\n        if self.debug:\n            print(line)\n"
               "        self.send(line + CRLF)\n\n",
               "");
  for (const char* instruction :
       {"remove put", "delete this method", "Remove the unused `put` method.", "delete it",
        "drop close and put", "inline this", "get rid of the put function"}) {
    EXPECT_THAT(reasons("python", kClient, without, instruction), IsEmpty()) << instruction;
  }
  for (const char* instruction :
       {"remove the debug output from put", "remove the print in this method", "add a docstring",
        "remove type annotations", "delete the comment of this function", "simplify",
        "move the check into this method"}) {
    EXPECT_THAT(reasons("python", kClient, without, instruction),
                ElementsAre("the definition of 'Client.put' is gone"))
        << instruction;
  }
}

TEST(EditDoubts, AnotherNameOrPlaceOnlyOnRequest) {
  const std::string renamed = replaced(kClient, "def put(", "def put_line(");
  EXPECT_THAT(reasons("python", kClient, renamed, "add type hints"),
              ElementsAre("'Client.put' is now 'Client.put_line'"));
  for (const char* instruction :
       {"rename put to put_line", "use a better name", "put_line would be clearer"})
    EXPECT_THAT(reasons("python", kClient, renamed, instruction), IsEmpty()) << instruction;
  const std::string outside =
      replaced(replaced(kClient, "    def close(self):", "def close(self):"),
               "        self.sock.close()", "    self.sock.close()");
  EXPECT_THAT(reasons("python", kClient, outside, "add a docstring"),
              ElementsAre("'Client.close' is now 'close'"));
}

// The edits left its text alone.
TEST(EditDoubts, ADefinitionBesideAMacroOrInAnotherNamespaceIsNotLost) {
  const std::string code =
      "#include \"box.h\"\n\nnamespace box {\nnamespace detail {\n\nstruct Lid {\n  int size() { "
      "return width; }\n  int "
      "width;\n};\n\n}  // namespace detail\n}  // namespace box\n";
  EXPECT_THAT(reasons("cpp", code,
                      replaced(replaced(code, "namespace detail {\n", "namespace {\n"),
                               "}  // namespace detail\n", "}  // namespace\n"),
                      "tidy"),
              IsEmpty());
  EXPECT_THAT(reasons("cpp", code, replaced(code, "struct Lid {", "BOX_EXPORT\n\nstruct Lid {"),
                      "export it"),
              IsEmpty());
  // It stands in a comment now.
  EXPECT_THAT(reasons("cpp", code,
                      replaced(replaced(code, "struct Lid {", "/*\nstruct Lid {"),
                               "  int width;\n};\n", "  int width;\n};\n*/\n"),
                      "add a check"),
              testing::Contains("the definition of 'box.detail.Lid' is gone"));
}

TEST(EditDoubts, AMethodThatMovesIntoItsClassIsNotLost) {
  const std::string code =
      "class Env {\n  void start(int n);\n};\n\nvoid Env::start(int n) {\n  run(n);\n}\n";
  EXPECT_THAT(reasons("cpp", code, "class Env {\n  void start(int n) {\n    run(n);\n  }\n};\n",
                      "align it"),
              IsEmpty());
  EXPECT_THAT(reasons("cpp", code, "class Env {\n  void start(int n);\n};\n", "align it"),
              ElementsAre("the definition of 'Env::start' is gone"));
}

TEST(EditDoubts, AFunctionThatIsNowAVariableOrWrittenInPlaceIsNotLost) {
  const std::string go =
      "package a\n\nfunc engine() *Engine {\n\tonce.Do(func() {\n\t\tall = New()\n\t})\n\treturn "
      "all\n}\n\nfunc run() {\n\tengine().Run()\n}\n";
  const std::string head =
      go.substr(go.find("func engine"), go.find("func run") - go.find("func e"));
  EXPECT_THAT(
      reasons("go", go,
              replaced(go, head,
                       "var engine = sync.OnceValue(func() *Engine {\n\treturn New()\n})\n\n"),
              "use OnceValue"),
      IsEmpty());
  EXPECT_THAT(reasons("go", go, replaced(go, head, ""), "use OnceValue"),
              testing::Contains("the definition of 'engine' is gone"));
  const std::string script =
      "app.use(count);\n\nfunction count(req, res) {\n  req.n += 1;\n  res.send(req.n);\n}\n";
  EXPECT_THAT(reasons("javascript", script,
                      "app.get('/', function (req, res) {\n  req.n += 1;\n  res.send(req.n);\n})\n",
                      "improve it"),
              IsEmpty());
  EXPECT_THAT(
      reasons("javascript", script, "app.get('/', function (req, res) {\n})\n", "improve it"),
      ElementsAre("the definition of 'count' is gone"));
}

TEST(EditDoubts, AnImplementationThatIsDerivedIsNotLost) {
  const std::string code =
      "#[derive(Debug)]\nenum Mode {\n    Auto,\n}\n\nimpl Default for Mode {\n    fn default() "
      "-> Mode {\n        Mode::Auto\n    }\n}\n";
  const std::string without = code.substr(0, code.find("\nimpl"));
  EXPECT_THAT(reasons("rust", code,
                      replaced(replaced(without, "Debug", "Debug, Default"), "    Auto",
                               "    #[default]\n    Auto"),
                      "use attributes"),
              IsEmpty());
  EXPECT_THAT(reasons("rust", code, without, "use attributes"),
              ElementsAre("the definition of 'Mode.default' is gone"));
}

TEST(EditDoubts, ANameThatOnlyTheFileUsesMayChangeEverywhere) {
  const std::string code =
      "def _size(a):\n    return len(a)\n\n\ndef test_size():\n    assert _size([1]) == 1\n";
  const std::string renamed = replaced(
      replaced(replaced(code, "def _size", "def _length"), "assert _size", "assert _length"),
      "def test_size", "def test_length");
  EXPECT_THAT(reasons("python", code, renamed, "add a check"), IsEmpty());
  EXPECT_THAT(reasons("python", code, replaced(code, "def _size", "def _length"), "add a check"),
              testing::Contains("'_size' is now '_length'"));
}

TEST(EditDoubts, MacrosMayLookLikeSyntaxErrors) {
  const std::string code =
      "class Mutex {\n public:\n  void lock();\n};\n\nint f(int a) {\n  try {\n    return g(a);\n"
      "  } catch (...) {\n  }\n  return 0;\n}\n";
  const std::string with_macros =
      "class LOCKABLE Mutex {\n public:\n  void lock() EXCLUSIVE_LOCK_FUNCTION();\n};\n\nint "
      "f(int a) {\n  MY_TRY {\n    return g(a);\n  }\n  MY_CATCH(...) {}\n  return 0;\n}\n";
  EXPECT_THAT(reasons("cpp", code, with_macros, "use the macros"), IsEmpty());
  EXPECT_THAT(reasons("cpp", code, replaced(with_macros, "g(a);\n  }\n", "g(a);\n"), "use macros"),
              testing::Contains(testing::StartsWith("there are new syntax errors")));
  EXPECT_THAT(reasons("cpp", code, replaced(code, "return g(a);", "return MAX(a;"), "use macros"),
              testing::Contains(testing::StartsWith("there are new syntax errors")));
}

TEST(EditDoubts, ACommentThatStandsForLines) {
  const std::string file = "def f(x):\n    y = x + 1\n    return y\n";
  EXPECT_THAT(
      reasons("python", file, replaced(file, "y = x + 1", "# ... existing code ..."), "hurry"),
      ElementsAre("'# ... existing code ...' stands for lines that are left out"));
  EXPECT_THAT(
      reasons("python", file, replaced(file, "y = x + 1", "# the rest of x\n    y = x"), "explain"),
      IsEmpty());
  // It was there before.
  const std::string sketch = replaced(file, "y = x + 1", "# ...");
  EXPECT_THAT(
      reasons("python", sketch, replaced(sketch, "return y", "# ...\n    return 1"), "shorten"),
      IsEmpty());
}

TEST(EditDoubts, ADefinitionThatIsThereTwice) {
  const std::string twice =
      replaced(kClient, "        self.send(line + CRLF)\n",
               "        self.send(line + CRLF)\n\n    def close(self):\n        self.send(CRLF)\n");
  const std::vector<Doubt> found = doubts("python", kClient, twice, "handle errors");
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Doubt::Kind::kRepeated);
  EXPECT_EQ(found[0].reason, "'Client.close' is defined twice");
}

// Another base or an "export" makes no other type; a condition does.
TEST(EditDoubts, ATypeThatIsThereTwice) {
  const std::string go = "package a\n\ntype Event struct {\n\tx int\n}\n";
  EXPECT_THAT(reasons("go", go, go + "\ntype Event struct {\n\ty int\n}\n", "add y"),
              ElementsAre("'Event' is defined twice"));
  const std::string script = "class Event {}\n";
  EXPECT_THAT(reasons("typescript", script, script + "export class Event { x = 1; }\n", "add x"),
              ElementsAre("'Event' is defined twice"));
  const std::string rust = "struct Event;\n";
  EXPECT_THAT(reasons("rust", rust, rust + "pub struct Event { x: u8 }\n", "add x"),
              ElementsAre("'Event' is defined twice"));
  EXPECT_THAT(reasons("rust", "#[cfg(unix)]\n" + rust,
                      "#[cfg(unix)]\n" + rust + "#[cfg(windows)]\n" + rust, "on Windows, too"),
              IsEmpty());
  const std::string python = "class Event:\n    x = 1\n";
  EXPECT_THAT(reasons("python", python, python + "\n\nclass Event(dict):\n    y = 1\n", "add y"),
              ElementsAre("'Event' is defined twice"));
}

TEST(EditDoubts, AnImportOfAllNames) {
  const std::string code = "import os\n\n\ndef f():\n    return os.sep\n";
  EXPECT_THAT(reasons("python", code,
                      replaced(code, "import os\n", "import os\nfrom re import *\n"), "match"),
              ElementsAre("'from re import *' hides which names it imports"));
}

TEST(EditDoubts, OneNameWithTwoMeaningsIsNoRepetition) {
  const std::string property =
      "class A:\n    @property\n    def x(self):\n        return self._x\n";
  EXPECT_THAT(
      reasons("python", property,
              property + "\n    @x.setter\n    def x(self, value):\n        self._x = value\n"
                         "\n    @x.deleter\n    def x(self):\n        del self._x\n",
              "add a setter and a deleter"),
      IsEmpty());
  const std::string python = "FAST = True\n\n\ndef load():\n    return 1\n";
  EXPECT_THAT(
      reasons(
          "python", python,
          "FAST = True\n\n\nif FAST:\n    def load():\n        return 1\nelse:\n    def load():\n"
          "        return 2\n",
          "a slow variant"),
      IsEmpty());
  const std::string cpp = "int area(int a) { return a * a; }\n";
  EXPECT_THAT(reasons("cpp", cpp, cpp + "int area(int a, int b) { return a * b; }\n", "overload"),
              IsEmpty());
  EXPECT_THAT(reasons("cpp", cpp, "#ifdef FAST\n" + cpp + "#else\n" + cpp + "#endif\n", "both"),
              IsEmpty());
  EXPECT_THAT(reasons("cpp", cpp, cpp + cpp, "again"), ElementsAre("'area' is defined twice"));
}

struct Branch {
  const char* language;
  const char* before;
  const char* without;    // the branch
  const char* flattened;  // its lines without the `else`
};
void PrintTo(const Branch& branch, std::ostream* out) { *out << branch.language; }  // NOLINT

class EditDoubtsOfBranch : public testing::TestWithParam<Branch> {};

TEST_P(EditDoubtsOfBranch, ALostBranchIsNamed) {
  const Branch& branch = GetParam();
  const auto of = [&](const std::string& after, const std::string& instruction) {
    return reasons(branch.language, branch.before, after, instruction);
  };
  EXPECT_THAT(of(branch.without, "drop the else after the return"),
              ElementsAre(testing::MatchesRegex("what line [0-9]+ does otherwise is gone")));
  EXPECT_THAT(of(branch.without, "remove the else branch"), IsEmpty());
  EXPECT_THAT(of(branch.flattened, "drop the else after the return"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Languages, EditDoubtsOfBranch,
    testing::Values(
        Branch{"python",
               "def f(a):\n    if a:\n        return one(a)\n    else:\n        return two()\n",
               "def f(a):\n    if a:\n        return one(a)\n    return None\n",
               "def f(a):\n    if a:\n        return one(a)\n    return two()\n"},
        Branch{"typescript",
               "function f(a) {\n  if (a) {\n    return one(a)\n  } else {\n    return two()\n  "
               "}\n}\n",
               "function f(a) {\n  if (a) {\n    return one(a)\n  }\n}\n",
               "function f(a) {\n  if (a) {\n    return one(a)\n  }\n  return two()\n}\n"},
        Branch{
            "go",
            "package p\n\nfunc f(a bool) int {\n\tif a {\n\t\treturn one()\n\t} else {\n"
            "\t\treturn two()\n\t}\n}\n",
            "package p\n\nfunc f(a bool) int {\n\tif a {\n\t\treturn one()\n\t}\n\treturn 0\n}\n",
            "package p\n\nfunc f(a bool) int {\n\tif a {\n\t\treturn one()\n\t}\n\treturn "
            "two()\n}\n"},
        Branch{"rust",
               "fn f(a: bool) -> i32 {\n    if a {\n        return one();\n    } else {\n"
               "        return two();\n    }\n}\n",
               "fn f(a: bool) -> i32 {\n    if a {\n        return one();\n    }\n    0\n}\n",
               "fn f(a: bool) -> i32 {\n    if a {\n        return one();\n    }\n    two()\n}\n"},
        Branch{"java",
               "class A {\n  int f(boolean a) {\n    if (a) {\n      return one();\n    } else {\n"
               "      return two();\n    }\n  }\n}\n",
               "class A {\n  int f(boolean a) {\n    if (a) {\n      return one();\n    }\n"
               "    return 0;\n  }\n}\n",
               "class A {\n  int f(boolean a) {\n    if (a) {\n      return one();\n    }\n"
               "    return two();\n  }\n}\n"},
        Branch{"cpp",
               "int f(bool a) {\n  if (a) {\n    return one();\n  } else {\n    return two();\n  "
               "}\n}\n",
               "int f(bool a) {\n  if (a) {\n    return one();\n  }\n  return 0;\n}\n",
               "int f(bool a) {\n  if (a) {\n    return one();\n  }\n  return two();\n}\n"}));

TEST(EditDoubts, AsManyBranchesAsBeforeAreNoLoss) {
  const std::string before =
      "def f(a):\n    if a.empty:\n        x = one(a)\n    elif a.full:\n        x = two(b)\n"
      "    return x\n";
  const std::string after =
      "def f(a):\n    state = a.look()\n    if state == 1:\n        y = a.first(state)\n    elif "
      "state "
      "== 2:\n        y = a.second(state)\n    return y\n";
  EXPECT_THAT(reasons("python", before, after, "look at the state"), IsEmpty());
}

TEST(EditDoubts, ABranchThatIsWrittenAnewIsNoLoss) {
  const std::string before =
      "def f(a):\n    if a:\n        x = one(a)\n    elif b:\n        x = two(b)\n    else:\n"
      "        x = three(c)\n        x += four(d)\n    return x\n";
  EXPECT_THAT(reasons("python", before, replaced(before, "        x += four(d)\n", ""), "shorten"),
              IsEmpty());
  EXPECT_THAT(
      reasons("python", before,
              "def f(a):\n    return one(a) if a else two(b) if b else three(c) + four(d)\n",
              "one line"),
      IsEmpty());
  EXPECT_THAT(reasons("python", before, replaced(before, "    elif b:\n        x = two(b)\n", ""),
                      "simplify"),
              ElementsAre("what line 4 does otherwise is gone"));
}

// A key of an object is no definition, however many objects have it.
TEST(EditDoubts, FunctionsThatAreValuesMayComeAndGo) {
  const std::string script = "run({\n  done: (x) => x,\n});\n";
  const std::string twice = script + "run({\n  done: (x) => x,\n  other(y) {\n  },\n});\n";
  EXPECT_THAT(reasons("javascript", script, twice, "once more"), IsEmpty());
  EXPECT_THAT(reasons("javascript", twice, script, "shorten"), IsEmpty());
}

TEST(EditDoubts, NewSyntaxErrorsComeFirst) {
  const std::string after =
      replaced(replaced(kClient, "if self.debug:", "if self.debug"), "def put(", "def put_line(");
  const std::vector<Doubt> found = doubts("python", kClient, after, "add type hints");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, Doubt::Kind::kSyntax);
  EXPECT_EQ(found[0].reason, "there are new syntax errors (line 6)");
}

struct Loss {
  const char* language;
  const char* before;
  const char* lost_line;
  const char* reason;
};
void PrintTo(const Loss& loss, std::ostream* out) { *out << loss.language; }  // NOLINT

class EditDoubtsOfLanguage : public testing::TestWithParam<Loss> {};

TEST_P(EditDoubtsOfLanguage, ALostDefinitionIsNamed) {
  const Loss& loss = GetParam();
  const std::string before = loss.before;
  const std::string after = replaced(before, loss.lost_line, "");
  EXPECT_THAT(reasons(loss.language, before, after, "add a comment"), ElementsAre(loss.reason));
  EXPECT_THAT(reasons(loss.language, before, after, "remove this function"), IsEmpty());
  EXPECT_THAT(reasons(loss.language, before, before + "\n", "add a comment"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Languages, EditDoubtsOfLanguage,
    testing::Values(Loss{"cpp", "class A {\n  int x() { return 1; }\n  int y() { return 2; }\n};\n",
                         "  int y() { return 2; }\n", "the definition of 'A.y' is gone"},
                    Loss{"cpp", "void A::x() {}\nvoid A::y() {}\n", "void A::y() {}\n",
                         "the definition of 'A::y' is gone"},
                    Loss{"go", "package a\n\nfunc X() {}\nfunc Y() {}\n", "func Y() {}\n",
                         "the definition of 'Y' is gone"},
                    Loss{"rust", "struct A;\nimpl A {\n    fn x() {}\n    fn y() {}\n}\n",
                         "    fn y() {}\n", "the definition of 'A.y' is gone"},
                    Loss{"java", "class A {\n  void x() {}\n  void y() {}\n}\n", "  void y() {}\n",
                         "the definition of 'A.y' is gone"},
                    Loss{"javascript", "class A {\n  x() {}\n  y() {}\n}\n", "  y() {}\n",
                         "the definition of 'A.y' is gone"},
                    Loss{"javascript", "const x = () => 1;\nconst y = () => 2;\n",
                         "const y = () => 2;\n", "the definition of 'y' is gone"},
                    Loss{"typescript", "interface A {}\nfunction y(): void {}\n",
                         "function y(): void {}\n", "the definition of 'y' is gone"},
                    Loss{"ruby", "class A\n  def x\n  end\n  def y\n  end\nend\n",
                         "  def y\n  end\n", "the definition of 'A.y' is gone"},
                    Loss{"lua", "function x() end\nfunction y() end\n", "function y() end\n",
                         "the definition of 'y' is gone"},
                    Loss{"php", "<?php\nfunction x() {}\nfunction y() {}\n", "function y() {}\n",
                         "the definition of 'y' is gone"}));

TEST(EditDoubts, DataHasNone) {
  EXPECT_THAT(reasons("json", "{\n  \"a\": {\n  },\n  \"b\": {\n  }\n}\n",
                      "{\n  \"b\": {\n  }\n}\n", "sort"),
              IsEmpty());
}

TEST(EditDoubts, ManyReasonsAreShortened) {
  std::string before;
  for (const char* name : {"a", "b", "c", "d", "e"})
    before += std::string("def ") + name + "():\n    pass\n";
  EXPECT_EQ(
      reasons_of(doubts("python", before, "pass\n", "add types")),
      "the definition of 'a' is gone; the definition of 'b' is gone; the definition of 'c' is "
      "gone; and 2 more");
}

}  // namespace
}  // namespace redraft
