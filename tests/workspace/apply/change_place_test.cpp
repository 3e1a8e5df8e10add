#include "workspace/apply/change_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "workspace/documents/diff.h"

namespace redraft {
namespace {

using testing::HasSubstr;

struct Placed {
  std::string text;   // of the file afterwards; empty: not certain
  std::string doubt;  // why not
  std::string shown;  // the lines that the model would be shown
};

Placed place(const std::string& language, const std::string& file, const std::string& change) {
  const auto document = *Document::make("file:///a", 1, file, language);
  const Result<ProposedChange> parsed = parse_change(change, changed_file(*document));
  if (!parsed) return {{}, parsed.error().message(), {}};
  const PlacedChange placed = place_change(document, *parsed);
  if (placed.is_certain()) return {apply_edits(file, placed.edits), {}, {}};
  EXPECT_TRUE(placed.is_placed() || placed.edits.empty());
  std::string shown;
  for (const ByteRange& range : placed.places) shown += file.substr(range.begin, range.size());
  return {{}, placed.doubt, shown};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const std::string kPython =
    "import socket\n"
    "from os import path\n"
    "\n\n"
    "class Client:\n"
    "    \"\"\"One connection.\"\"\"\n"
    "\n"
    "    def __init__(self, host):\n"
    "        self.host = host\n"
    "        self.log = []\n"
    "\n"
    "    @property\n"
    "    def name(self):\n"
    "        return self.host\n"
    "\n"
    "    def send(self, line):\n"
    "        data = line.encode()\n"
    "        self.log.append(line)\n"
    "        return data\n"
    "\n\n"
    "def main():\n"
    "    client = Client('a')\n"
    "    client.send('x')\n"
    "    return client\n";

void expect_placed(const std::string& change, const std::string& from, const std::string& to) {
  const Placed placed = place("python", kPython, change);
  EXPECT_EQ(placed.doubt, "");
  EXPECT_EQ(placed.text, replaced(kPython, from, to));
}

TEST(ChangePlace, LinesThatContinueAStatementKeepTheirDepth) {
  const std::string file = "if (a) {\n  f(b);\n}\nconst sum = one + two;\nconst all = sum;\n";
  const Placed placed = place("javascript", file,
                              "<<<<<<< SEARCH\nconst sum = one + two;\n=======\nconst sum = one +\n"
                              "      two;\n>>>>>>> REPLACE\n");
  EXPECT_EQ(placed.text, replaced(file, "one + two;", "one +\n      two;"));
}

TEST(ChangePlace, ASnippetWithTheDepthsOfTheFileKeepsThem) {
  const std::string file = "class A {\n  int f() {\n    return g(\n        1);\n  }\n}\n";
  const Placed placed =
      place("java", file, "```java\n    return g(\n        1,\n        2);\n  }\n```\n");
  EXPECT_EQ(placed.text, replaced(file, "        1);", "        1,\n        2);"));
}

TEST(ChangePlace, AFunctionThatAnEllipsisCutsOffKeepsItsEnd) {
  const Placed placed = place("python", kPython,
                              "```python\n# ...\n    def send(self, line):\n        data = "
                              "line.encode('utf-8')\n        self.log.append(line)\n# ...\n```\n");
  EXPECT_EQ(placed.doubt, "the end of 'send' is not shown");
}

TEST(ChangePlace, ALineNextToItsPlaceIsNotInsertedAgain) {
  const std::string file =
      "func f() {\n\tif ready() {\n\t\treturn\n\t}\n\n\t// Waits longer.\n\tpause := first * "
      "time.Second\n\tif pause > longest {\n\t\tpause = longest\n\t}\n\ttime.Sleep(pause)\n}\n";
  const Placed placed = place("go", file,
                              "```go\n\t}\n\n\t// Waits longer.\n\tpause := min(first, longest)\n\t"
                              "time.Sleep(pause)\n}\n```\n");
  EXPECT_EQ(placed.doubt, "'// Waits longer.' is next to the lines of the change");
}

TEST(ChangePlace, ANewCommentBelowAnotherMayReplaceIt) {
  const Placed placed = place("python", "# Adds.\ndef add(a, b):\n    c = a + b\n    return c\n",
                              "```python\n# The sum of two.\ndef add(a, b):\n    # ...\n```\n");
  EXPECT_EQ(placed.doubt, "'# Adds.' is not in the change");
}

TEST(ChangePlace, AHunkWithWrongNumbersGoesWhereItsLinesStand) {
  expect_placed(
      "@@ -90,3 +90,4 @@\n     data = line.encode()\n+    check(data)\n     "
      "self.log.append(line)\n",
      "        self.log.append", "        check(data)\n        self.log.append");
}

TEST(ChangePlace, AHunkThatIsThereAlreadyChangesNothing) {
  const Placed placed =
      place("python", kPython,
            "@@ @@\n     client = Client('b')\n-    client.send('y')\n+    client.send('x')\n");
  EXPECT_THAT(placed.doubt, HasSubstr("is not in the file"));
  const Placed done = place("python", kPython, "@@ @@\n-data = None\n+data = line.encode()\n");
  EXPECT_EQ(done.doubt, "");
  EXPECT_EQ(done.text, kPython);
}

TEST(ChangePlace, TheHeadingOrNumberSelectsOneOfSeveralPlaces) {
  const std::string file = "def f():\n    x = 1\n    y()\n\n\ndef g():\n    x = 1\n    y()\n";
  const std::string hunk = "     x = 1\n-    y()\n+    z()\n";
  EXPECT_THAT(place("python", file, "@@ @@\n" + hunk).doubt, HasSubstr("are at 2 places"));
  const std::string after = "def f():\n    x = 1\n    y()\n\n\ndef g():\n    x = 1\n    z()\n";
  EXPECT_EQ(place("python", file, "@@ @@ def g():\n" + hunk).text, after);
  EXPECT_EQ(place("python", file, "@@ -7,2 +7,2 @@\n" + hunk).text, after);
  EXPECT_EQ(place("python", file, "@@ -3,2 +3,2 @@\n" + hunk).text, "");
}

TEST(ChangePlace, ABlockThatOnlyRemoves) {
  expect_placed("<<<<<<< SEARCH\n        self.log.append(line)\n=======\n>>>>>>> REPLACE\n",
                "        self.log.append(line)\n", "");
}

TEST(ChangePlace, AWholeFunctionTakesThePlaceOfItself) {
  expect_placed("```python\ndef main():\n    return Client('b')\n```\n",
                "    client = Client('a')\n    client.send('x')\n    return client\n",
                "    return Client('b')\n");
}

TEST(ChangePlace, AMethodIsBroughtToItsDepthAndKeepsItsDecorator) {
  expect_placed("def name(self):\n    return self.host.lower()\n", "return self.host\n",
                "return self.host.lower()\n");
}

TEST(ChangePlace, AMethodWithinItsClassAndAnEllipsis) {
  expect_placed(
      "class Client:\n    # ... existing code ...\n\n    def send(self, line, end='\\n'):\n"
      "        data = (line + end).encode()\n        return data\n\n    # ... existing code ...\n",
      "    def send(self, line):\n        data = line.encode()\n        self.log.append(line)\n",
      "    def send(self, line, end='\\n'):\n        data = (line + end).encode()\n");
}

TEST(ChangePlace, LinesOfAFunctionBetweenEllipses) {
  expect_placed(
      "def send(self, line):\n    # ... existing code ...\n    self.log.append(line)\n"
      "    self.count += 1\n    return data\n",
      "        return data\n", "        self.count += 1\n        return data\n");
}

TEST(ChangePlace, AHeadThatChangesIsFoundByItsName) {
  expect_placed("def send(self, line, *, flush=False):\n    # ... existing code ...\n",
                "def send(self, line):", "def send(self, line, *, flush=False):");
}

TEST(ChangePlace, ANewMethodGoesBehindItsNeighbour) {
  expect_placed(
      "def send(self, line):\n    data = line.encode()\n    self.log.append(line)\n    return "
      "data\n"
      "\ndef close(self):\n    self.host = None\n",
      "        return data\n",
      "        return data\n\n    def close(self):\n        self.host = None\n");
}

TEST(ChangePlace, ANewMethodBehindAnEllipsisGoesToTheEndOfItsClass) {
  expect_placed(
      "class Client:\n    # ... existing methods ...\n\n    def close(self):\n        self.host = "
      "None\n",
      "        return data\n",
      "        return data\n\n    def close(self):\n        self.host = None\n");
}

TEST(ChangePlace, ImportsGoToTheImports) {
  const Placed placed = place("python", kPython,
                              "import socket\nimport json\nfrom os import path, sep\n\n# "
                              "...\n\ndef main():\n    return json\n");
  EXPECT_EQ(placed.doubt, "");
  std::string after =
      replaced(kPython, "from os import path\n", "import json\nfrom os import path, sep\n");
  after = replaced(after, "    client = Client('a')\n    client.send('x')\n    return client\n",
                   "    return json\n");
  EXPECT_EQ(placed.text, after);
}

// A change shows the imports that it needs, and is as likely to be applied twice.
TEST(ChangePlace, ImportsThatAreNotShownStay) {
  const std::string change =
      "import socket\nfrom os import path\n\nclass Client:\n    # ...\n    @property\n"
      "    def name(self):\n        return path.basename(self.host)\n";
  const std::string file = replaced(kPython, "import socket\n", "import socket\nimport sys\n");
  const std::string after = replaced(file, "return self.host", "return path.basename(self.host)");
  EXPECT_EQ(place("python", file, change).text, after);
  EXPECT_EQ(place("python", after, change).text, after);
}

TEST(ChangePlace, AnImportOfOtherNamesTakesNoneAway) {
  const Placed placed =
      place("python", kPython, "from os import sep\n\n# ...\n\ndef main():\n    pass\n");
  EXPECT_THAT(placed.text, HasSubstr("from os import path\n"));
  EXPECT_THAT(placed.text, HasSubstr("from os import sep\n"));
}

TEST(ChangePlace, LeavesUncertainPlacesToTheModel) {
  const auto doubt = [](const std::string& change) {
    return place("python", kPython, change).doubt;
  };
  // A class that is not all shown, and says nothing of an ellipsis.
  EXPECT_THAT(doubt("class Client:\n    def send(self, line):\n        return line\n"),
              HasSubstr("is not in the change"));
  EXPECT_THAT(doubt("def start():\n    pass\n"), HasSubstr("does not say where 'start' goes"));
  EXPECT_THAT(doubt("def send(self, line):\n    # ...\n    flush()\n"),
              HasSubstr("'flush()' is not in the file"));
  EXPECT_THAT(doubt("def quit(self):\n    # ...\n    x()\n"), HasSubstr("is not in the file"));
  // Nobody says that all between them goes.
  EXPECT_THAT(doubt("        self.log = []\n        client.send('x')\n"),
              HasSubstr("would remove"));
  EXPECT_THAT(doubt("@@ @@\n     self.log.append(line)\n-    return data\n+    return (data\n"),
              HasSubstr("break the file's syntax"));
}

TEST(ChangePlace, ADefinitionBetweenTwoLinesOfAChangeIsNotTakenAway) {
  const std::string file = "alpha = 1\n\n\ndef f():\n    return 1\n\n\nbeta = 2\n";
  EXPECT_THAT(place("python", file, "alpha = 1\nbeta = 2\n").doubt, HasSubstr("'f' is between"));
}

// The end of one function and the head of the next, cut off: no place between them is meant.
TEST(ChangePlace, DoesNotRepeatAHeadThatIsInAnotherPlace) {
  const std::string js =
      "function f() {\n  start();\n  return 1;\n}\n\nfunction g() {\n  stop();\n  return 1;\n}\n";
  EXPECT_EQ(place("javascript", js, "  start();\nfunction g() {\n  return 1;\n").text, "");
}

TEST(ChangePlace, PartOfACommentAboveAFunctionLeavesTheRest) {
  const std::string file = "# One.\n# Two.\ndef f():\n    return 1\n";
  EXPECT_EQ(place("python", file, "# ...\n# Two.\ndef f():\n    return 2\n").text,
            replaced(file, "return 1", "return 2"));
}

TEST(ChangePlace, TheModelIsShownTheDefinitionThatIsLikeIt) {
  std::string file;
  for (int i = 0; i < 40; ++i)
    file += "def f" + std::to_string(i) + "():\n    return " + std::to_string(i) + "\n\n\n";
  file += kPython;
  const Placed placed = place("python", file, "def send(self, line):\n    # ...\n    flush()\n");
  EXPECT_THAT(placed.shown, HasSubstr("data = line.encode()"));
  EXPECT_THAT(placed.shown, Not(HasSubstr("def f0()")));
  EXPECT_EQ(place("python", file, "zebra = quagga\n").shown, "");
}

TEST(ChangePlace, BracesEndADefinition) {
  const std::string go =
      "package a\n\nimport \"fmt\"\n\nfunc one() int {\n\tx := 1\n\treturn x\n}\n\n"
      "func two() {\n\tfmt.Println(2)\n}\n";
  // Spaces for tabs, as chats have them; the end of the function is its brace.
  const Placed placed = place("go", go,
                              "func one() int {\n    // ... existing code ...\n    return x\n}\n\n"
                              "func two() {\n    fmt.Println(one())\n}\n");
  EXPECT_EQ(placed.doubt, "");
  EXPECT_EQ(placed.text, replaced(go, "Println(2)", "Println(one())"));
}

TEST(ChangePlace, ANewMethodGoesBeforeTheBraceOfItsClass) {
  const std::string java =
      "class A {\n  int x;\n\n  int one() {\n    return 1;\n  }\n\n  int two() {\n    return 2;\n  "
      "}\n}\n";
  const std::string three = "  int three() {\n    return 3;\n  }\n";
  const std::string expected =
      replaced(java, "    return 2;\n  }\n", "    return 2;\n  }\n\n" + three);
  for (const std::string& change :
       {"class A {\n  // ... existing code ...\n\n" + three + "}\n",
        "class A {\n  // ...\n  int two() {\n    return 2;\n  }\n\n" + three + "}\n"}) {
    const Placed placed = place("java", java, change);
    EXPECT_EQ(placed.doubt, "") << change;
    EXPECT_EQ(placed.text, expected) << change;
  }
}

// Behind the struct it would be a function of its own.
TEST(ChangePlace, ANewMethodOfWhatIsCutOffIsADoubt) {
  const std::string cpp = "struct A {\n  int one() {\n    return 1;\n  }\n};\n";
  EXPECT_THAT(
      place("cpp", cpp, "struct A {\n  // ...\n\n  int two() {\n    return 2;\n  }\n").doubt,
      HasSubstr("does not say where 'two' goes"));
}

// It would take hours and more memory than there is to compare all with all.
TEST(ChangePlace, ATooLongComparisonIsADoubt) {
  std::string file, lines, functions;
  for (int i = 0; i < 20000; ++i) file += "same line\n";
  for (int i = 0; i < 6000; ++i) lines += "same line\n";
  for (int i = 0; i < 6000; ++i) functions += "def f" + std::to_string(i) + "():\n    (\n";
  EXPECT_THAT(place("python", file, lines + "x = 1\n").doubt, HasSubstr("too long"));
  EXPECT_THAT(
      place("python", file, "<<<<<<< SEARCH\n" + lines + "=======\n>>>>>>> REPLACE\n").doubt,
      HasSubstr("too often"));
  EXPECT_NE(place("python", kPython, functions).doubt, "");
}

TEST(ChangePlace, KeepsDefinitionsThatTheChangeCutsOff) {
  const std::string go =
      "package a\n\nfunc one() int {\n\treturn 1\n}\n\nfunc two() int {\n\treturn 2\n}\n";
  const Placed placed = place(
      "go", go, "func one() int {\n\treturn 7\n}\n\nfunc two() int {\n// ... existing code ...\n");
  EXPECT_EQ(placed.doubt, "");
  EXPECT_EQ(placed.text, replaced(go, "return 1", "return 7"));
}

TEST(ChangePlace, AWholeFileTakesThePlaceOfAll) {
  std::string after = replaced(kPython, "import socket\n", "import json\nimport socket\n");
  after = replaced(after, "    return client\n", "    return json\n\n\ndef more():\n    pass\n");
  EXPECT_EQ(place("python", kPython, "```\n" + after + "```\n").text, after);
}

TEST(ChangePlace, WithoutSyntaxLinesSayWhere) {
  const std::string file = "alpha one\nbeta two\ngamma three\ndelta four\n";
  EXPECT_EQ(place("plaintext", file, "beta two\nbetween\ngamma three\n").text,
            "alpha one\nbeta two\nbetween\ngamma three\ndelta four\n");
}

TEST(ChangePlace, LineEndingsStay) {
  const std::string file = "def f():\r\n    return 1\r\n";
  EXPECT_EQ(place("python", file, "def f():\n    return 2\n").text, "def f():\r\n    return 2\r\n");
}

TEST(ChangePlace, AnImportGoesInAlphabeticalOrderIfTheFileIsSorted) {
  const std::string change = "import beta\n\n# ...\n\ndef f():\n    return 2\n";
  const std::string sorted = "import alpha\nimport gamma\n\n\ndef f():\n    return 1\n";
  EXPECT_EQ(place("python", sorted, change).text,
            "import alpha\nimport beta\nimport gamma\n\n\ndef f():\n    return 2\n");
}

TEST(ChangePlace, ANewFunctionBehindAnEllipsisGoesToTheEndOfTheFile) {
  const std::string file = "def f():\n    return 1\n\n\ndef g():\n    return 2\n";
  const std::string fresh = "def h():\n    return 3\n";
  EXPECT_EQ(place("python", file, "# ...\n\n" + fresh).text, file + "\n\n" + fresh);
}

TEST(ChangePlace, AHeadOfSeveralLinesIsADoubt) {
  const std::string file = "def f(a,\n      b):\n    return a\n";
  EXPECT_THAT(place("python", file, "def f(a, b, c):\n    # ...\n").doubt,
              HasSubstr("the end of the head of 'f' is uncertain"));
}

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Of lines that repeat, as lines of code do.
Lines random_lines(std::mt19937& random, std::size_t n) {
  Lines lines;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t kind = random() % 8;
    lines.push_back(kind == 0   ? std::string()
                    : kind == 1 ? "  }"
                                : std::string(2 * (random() % 3), ' ') + "word" +
                                      std::to_string(random() % 40) + " next");
  }
  return lines;
}

Lines changed(std::mt19937& random, Lines lines) {
  for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n) {
    const auto at = static_cast<std::ptrdiff_t>(random() % lines.size());
    if (random() % 3 != 0) lines.erase(lines.begin() + at);
    if (random() % 3 != 0)
      lines.insert(lines.begin() + at, "new" + std::to_string(random() % 1000) + " line");
  }
  return lines;
}

// Both sides of each change with three lines around it.
std::vector<std::pair<std::string, std::string>> hunks_between(const Lines& before,
                                                               const Lines& after) {
  const std::vector<std::string_view> old(before.begin(), before.end());
  std::vector<std::pair<std::string, std::string>> hunks;
  const std::vector<std::string_view> fresh(after.begin(), after.end());
  for (const LineChange& change : diff_lines(old, fresh)) {
    const int begin = std::max(change.old_begin - 3, 0);
    const int end = std::min(change.old_end + 3, static_cast<int>(before.size()));
    const auto part = [&](int from, int to) {
      return joined({before.begin() + from, before.begin() + to});
    };
    hunks.emplace_back(part(begin, end), part(begin, change.old_begin) + joined(change.new_lines) +
                                             part(change.old_end, end));
  }
  return hunks;
}

// Whatever is put in place is what the change says: the file is as it should be, or there is a
// doubt.
TEST(ChangePlace, AnyChangeIsPutInItsPlaceOrDoubted) {
  std::mt19937 random(3);
  int n_placed = 0;
  for (int round = 0; round < 400; ++round) {
    const Lines before = random_lines(random, 4 + random() % 60);
    const Lines after = changed(random, before);
    std::string change;
    for (const auto& [old_lines, new_lines] : hunks_between(before, after))
      change += "<<<<<<< SEARCH\n" + old_lines + "=======\n" + new_lines + ">>>>>>> REPLACE\n";
    if (change.empty()) continue;
    const Placed placed = place("plaintext", joined(before), change);
    if (!placed.doubt.empty()) continue;
    EXPECT_EQ(placed.text, joined(after)) << change;
    ++n_placed;
  }
  EXPECT_GT(n_placed, 200);
}

}  // namespace
}  // namespace redraft
