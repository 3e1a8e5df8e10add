#include "workspace/edit/edit_tidy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "workspace/documents/document.h"

namespace redraft {
namespace {

using testing::ElementsAre;

struct Outcome {
  std::string text;  // of the file; empty: there was nothing to tidy
  std::vector<std::string> notes;
};

// `asked`, which is in `file`, was to be edited, and `written` is what the model made of it.
Outcome tidy(const std::string& language, const std::string& file, const std::string& asked,
             const std::string& written, bool is_doubtful = true,
             const std::string& instruction = "write imports") {
  const auto document = *Document::make("file:///a", 1, file, language);
  const std::size_t at = file.find(asked);
  EXPECT_NE(at, std::string::npos) << asked;
  const EditRegion region =
      *EditRegion::make(document, EditScope::kSelection, ByteRange{at, at + asked.size()});
  std::string after = file;
  after.replace(region.range().begin, region.range().size(), written);
  const std::optional<Tidied> result = tidied(region, after, instruction, is_doubtful);
  if (!result) return {};
  return {apply_edits(file, result->edits), result->notes};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

const std::string kPut =
    "    # Sends a line.\n"
    "    def put(self, line):\n"
    "        self.send(line + CRLF)\n";
const std::string kNewPut =
    "    # Sends a line.\n"
    "    def put(self, line: str) -> None:\n"
    "        self.send(line + CRLF)\n";
const std::string kClose =
    "    def close(self):\n"
    "        self.sock.close()\n";
const std::string kFile =
    "import socket\n"
    "\n\n"
    "class Client:\n"
    "    host = ''\n"
    "\n"
    "    def __init__(self, host):\n"
    "        self.host = host\n"
    "\n" +
    kPut + "\n" + kClose + "\n\ndef main():\n    Client('a').put('x')\n";

TEST(EditTidy, TheClassAroundAMethodIsTakenOff) {
  const Outcome outcome = tidy("python", kFile, kPut,
                               "class Client:\n    host = ''\n\n    def __init__(self, host):\n"
                               "        self.host = host\n\n" +
                                   kNewPut);
  EXPECT_EQ(outcome.text, replaced(kFile, kPut, kNewPut));
  EXPECT_THAT(outcome.notes, ElementsAre("the copy of 'Client' around it is left out"));
}

TEST(EditTidy, AClassThatStandsDeeperToo) {
  std::string deep = "    class Client:\n";
  for (const char* line :
       {"        # Sends a line.\n", "        def put(self, line: str) -> None:\n",
        "            self.send(line + CRLF)\n"})
    deep += line;
  EXPECT_EQ(tidy("python", kFile, kPut, deep).text, replaced(kFile, kPut, kNewPut));
}

TEST(EditTidy, WhatFollowsIsDroppedWhereItIsTheSame) {
  const Outcome outcome = tidy("python", kFile, kPut, kNewPut + "\n" + kClose);
  EXPECT_EQ(outcome.text, replaced(kFile, kPut, kNewPut));
  EXPECT_THAT(outcome.notes, ElementsAre("the copy of 'Client.close' is left out"));
  // The method before, and a function outside, likewise.
  const std::string both = "    def __init__(self, host):\n        self.host = host\n\n" + kNewPut;
  EXPECT_EQ(tidy("python", kFile, kPut, both).text, replaced(kFile, kPut, kNewPut));
}

TEST(EditTidy, AMethodAtTheLeftMarginGetsItsIndentationBack) {
  const std::string left =
      "# Sends a line.\ndef put(self, line: str) -> None:\n    self.send(line + CRLF)\n";
  const Outcome outcome = tidy("python", kFile, kPut, left);
  EXPECT_EQ(outcome.text, replaced(kFile, kPut, kNewPut));
  EXPECT_THAT(outcome.notes, ElementsAre("its indentation is as it was"));
  // Only the first lines are there.
  const std::string first =
      "# Sends a line.\ndef put(self, line: str) -> None:\n        self.send(line + CRLF)\n";
  EXPECT_EQ(tidy("python", kFile, kPut, first).text, replaced(kFile, kPut, kNewPut));
  // With what follows it.
  const std::string more = left + "\ndef close(self):\n    self.sock.close()\n";
  EXPECT_EQ(tidy("python", kFile, kPut, more).text, replaced(kFile, kPut, kNewPut));
  // The user asked for it.
  EXPECT_EQ(tidy("python", kFile, kPut, left, false).text, "");
}

// Here the model went back to the old indentation in the middle.
TEST(EditTidy, IndentationThatChangesOnTheWay) {
  const std::string old =
      "class A:\n    def f(self):\n        with open(x) as y:\n            a(y)\n"
      "            b(y)\n        return 1\n";
  const std::string written =
      "def f(self):\n    with open(x, 'rb') as y:\n        # both\n        a(y)\n"
      "            b(y)\n        return 1\n";
  const std::string wanted =
      "    def f(self):\n        with open(x, 'rb') as y:\n            # both\n            a(y)\n"
      "            b(y)\n        return 1\n";
  EXPECT_EQ(tidy("python", old, old.substr(9), written).text, "class A:\n" + wanted);
}

TEST(EditTidy, WhatIsNewStays) {
  const std::string helper =
      "    def put_all(self, lines):\n        for line in lines:\n"
      "            self.put(line)\n";
  EXPECT_EQ(tidy("python", kFile, kPut, kNewPut + "\n" + helper).text, "");
  EXPECT_EQ(tidy("python", kFile, kPut, "class Client:\n" + kNewPut + "\n" + helper).text,
            replaced(kFile, kPut, kNewPut + "\n" + helper));
}

TEST(EditTidy, NothingIsDoneWhereTheMethodItselfIsMissing) {
  EXPECT_EQ(tidy("python", kFile, kPut, "class Client:\n    host = 'b'\n").text, "");
  EXPECT_EQ(tidy("python", kFile, kPut, kNewPut).text, "");
  EXPECT_EQ(tidy("python", kFile, kPut, "").text, "");
  EXPECT_EQ(tidy("plaintext", kFile, kPut, kNewPut + "\n" + kClose).text, "");
}

TEST(EditTidy, LineEndingsStay) {
  std::string file, written;
  for (const char c : kFile) file += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const char c : kNewPut + "\n" + kClose)
    written += c == '\n' ? std::string("\r\n") : std::string(1, c);
  std::string asked, wanted;
  for (const char c : kPut) asked += c == '\n' ? std::string("\r\n") : std::string(1, c);
  for (const char c : kNewPut) wanted += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(tidy("python", file, asked, written).text, replaced(file, asked, wanted));
}

TEST(EditTidy, AnImportGoesToTheOthersOnce) {
  const Outcome outcome =
      tidy("python", kFile, kPut, "    import re\n    import socket\n\n" + kNewPut);
  EXPECT_EQ(outcome.text, replaced(replaced(kFile, kPut, kNewPut), "import socket\n",
                                   "import socket\nimport re\n"));
  EXPECT_THAT(outcome.notes,
              ElementsAre("'import re' goes to the imports", "'import socket' is there already"));
  // With the class around it, and at the left margin.
  EXPECT_EQ(tidy("python", kFile, kPut, "import re\n\nclass Client:\n" + kNewPut).text,
            outcome.text);
}

TEST(EditTidy, AnImportThatIsMeantToBeThereStays) {
  const std::string local =
      replaced(kNewPut, "        self.send", "        import re\n        self.send");
  EXPECT_EQ(tidy("python", kFile, kPut, local).text, "");
  EXPECT_EQ(tidy("python", kFile, "import socket\n", "import re\nimport socket\n").text, "");
  const std::string optional = "try:\n    import fast\nexcept ImportError:\n    fast = None\n\n\n";
  const std::string main = "def main():\n    Client('a').put('x')\n";
  EXPECT_EQ(tidy("python", kFile, main, optional + main).text, "");
  for (const char* around :
       {"for name in NAMES:\n    import re\n\n\n", "with lock:\n    import re\n\n\n"})
    EXPECT_EQ(tidy("python", kFile, main, around + main).text, "") << around;
  EXPECT_EQ(tidy("cpp", "#include <map>\n\nint f() { return 1; }\n", "int f() { return 1; }\n",
                 "int f() {\n  using std::swap;\n  return 2;\n}\n")
                .text,
            "");
}

// Of two alternatives the one that was asked for is no copy of the other.
TEST(EditTidy, WhatWasAskedForStays) {
  const std::string file =
      "if FAST:\n    def load():\n        return 1\nelse:\n    def load():\n        return 2\n";
  const std::string asked = "    def load():\n        return 2\n";
  EXPECT_EQ(
      tidy("python", file, asked, "    LIMIT = 3\n\n    def load():\n        return LIMIT\n").text,
      "");
  // Nor is one under a condition a copy.
  const std::string main = "def main():\n    Client('a').put('x')\n";
  const std::string guarded = "\n\nif FAST:\n    def area():\n        return 0\n";
  EXPECT_EQ(tidy("python", "def area():\n    return 1\n\n\n" + main, main, main + guarded).text,
            "");
}

TEST(EditTidy, AKeyThatAnotherObjectHasStays) {
  const std::string file = "run({\n  done: (x) => x,\n});\n\nfunction f() {}\n";
  EXPECT_EQ(tidy("javascript", file, "function f() {}\n",
                 "function f() {\n}\n\nrun({\n  done: (x) => x,\n});\n")
                .text,
            "");
}

TEST(EditTidy, WhatTheLinesUseIsImported) {
  const std::string logs = replaced(kNewPut, "        self.send",
                                    "        logging.debug('%s', line)\n        self.send");
  const Outcome outcome = tidy("python", kFile, kPut, logs);
  EXPECT_EQ(outcome.text, replaced(replaced(kFile, kPut, logs), "import socket\n",
                                   "import socket\nimport logging\n"));
  EXPECT_THAT(outcome.notes, ElementsAre("'import logging' is needed now"));
  // A variable, a parameter, a member, a local import, what is imported.
  for (const char* line :
       {"time = now()\n        time.sleep(1)", "self.time.sleep(1)", "socket.send(line)",
        "import re\n        re.match('', line)", "from time import time", "mine.go()"}) {
    const std::string known =
        replaced(kNewPut, "self.send", std::string(line) + "\n        self.send");
    EXPECT_EQ(tidy("python", kFile, kPut, known).text, "") << line;
  }
  const std::string go = "package a\n\nimport (\n\t\"fmt\"\n)\n\nfunc f() { fmt.Println() }\n\n";
  const std::string old = "func g() {}\n";
  const std::string sorts = "func g() { filepath.Join(strings.ToUpper(\"\")) }\n";
  EXPECT_EQ(tidy("go", go + old, old, sorts).text,
            replaced(go, "\t\"fmt\"\n", "\t\"fmt\"\n\t\"path/filepath\"\n\t\"strings\"\n") + sorts);
}

// A file, what is written in the place of its last line, and the lines of the result above that.
struct Imported {
  const char* language;
  std::string head, asked, written, wanted_head;
};

class EditTidyNames : public testing::TestWithParam<Imported> {};

TEST_P(EditTidyNames, AreImported) {
  const Imported& one = GetParam();
  EXPECT_EQ(tidy(one.language, one.head + one.asked, one.asked, one.written, false, "do it").text,
            one.wanted_head + one.written);
}

INSTANTIATE_TEST_SUITE_P(
    Languages, EditTidyNames,
    testing::Values(
        Imported{"python", "from typing import Any\n\n\n", "def f(a: Any): pass\n",
                 "def f(a: Optional[Any]): pass\n", "from typing import Any, Optional\n\n\n"},
        Imported{
            "python", "from typing import (\n    Any,\n    Union,\n)\n\n\n",
            "def f(a: Any): pass\n", "def f(a: Optional[Any]) -> Callable: pass\n",
            "from typing import (\n    Any,\n    Callable,\n    Optional,\n    Union,\n)\n\n\n"},
        Imported{"python", "import os, stat\n\n\n", "def f(a): pass\n",
                 "def f(a): return Path(os.sep, stat.S_IRUSR)\n",
                 "import os, stat\nfrom pathlib import Path\n\n\n"},
        Imported{"rust", "use std::collections::HashMap;\n\n", "fn f(a: HashMap<u8, u8>) {}\n",
                 "fn f(a: HashMap<u8, u8>, b: BTreeMap<u8, u8>) {}\n",
                 "use std::collections::{BTreeMap, HashMap};\n\n"},
        Imported{"java", "package a;\n\nimport java.util.Map;\n\n", "class A { Map<A, A> m; }\n",
                 "class A { Map<A, A> m; List<A> l; }\n",
                 "package a;\n\nimport java.util.Map;\nimport java.util.List;\n\n"},
        Imported{"cpp", "#include <map>\n\n", "int f() { return 1; }\n",
                 "std::vector<int> f() { return {1}; }\n", "#include <map>\n#include <vector>\n\n"},
        Imported{"c", "#include <stdio.h>\n\n", "int f(char* a) { return puts(a); }\n",
                 "int f(char* a) { return strlen(a); }\n",
                 "#include <stdio.h>\n#include <string.h>\n\n"},
        Imported{"javascript", "const fs = require(\"fs\");\n\n", "const f = () => fs.a();\n",
                 "const f = () => path.join(fs.a());\n",
                 "const fs = require(\"fs\");\nconst path = require(\"path\");\n\n"},
        Imported{"typescript", "import { a } from 'a'\n\n", "const f = () => a()\n",
                 "const f = () => path.join(a())\n",
                 "import { a } from 'a'\nimport * as path from 'path'\n\n"}));

TEST(EditTidy, AnAddedImportThatNothingUsesGoes) {
  const auto with = [](const std::string& import, const std::string& instruction) {
    return tidy("python", kFile, kPut, import + "\n\n" + kNewPut, true, instruction);
  };
  const std::string changed = replaced(kFile, kPut, kNewPut);
  EXPECT_EQ(with("import re", "add types").text, changed);
  EXPECT_EQ(with("from os import *", "add types").text, changed);
  EXPECT_EQ(with("import re", "import re").text,
            replaced(changed, "import socket\n", "import socket\nimport re\n"));
  // One that stands among others is there already.
  EXPECT_EQ(tidy("python", replaced(kFile, "import socket\n", "import os, socket\n"), kPut,
                 "import socket\n\n" + kNewPut)
                .text,
            replaced(changed, "import socket\n", "import os, socket\n"));
}

struct Lift {
  const char* language;
  std::string head, rest, import;
  std::string wanted_head;
};
void PrintTo(const Lift& one, std::ostream* out) { *out << one.language; }  // NOLINT

class EditTidyImports : public testing::TestWithParam<Lift> {};

TEST_P(EditTidyImports, GoWhereTheLanguageHasThem) {
  const Lift& one = GetParam();
  const std::string written = one.import + "\n\n" + replaced(one.rest, "1", "2");
  EXPECT_EQ(tidy(one.language, one.head + one.rest, one.rest, written).text,
            one.wanted_head + replaced(one.rest, "1", "2"));
}

INSTANTIATE_TEST_SUITE_P(
    Languages, EditTidyImports,
    testing::Values(
        Lift{"python", "\"\"\"About it.\"\"\"\n\n", "def f():\n    return 1\n", "import re",
             "\"\"\"About it.\"\"\"\nimport re\n\n\n"},
        Lift{"python", "from __future__ import annotations\nX = 0\n\n\n",
             "def f():\n    return 1\n", "from a import b",
             "from __future__ import annotations\nfrom a import b\nX = 0\n\n\n"},
        Lift{"go", "package a\n\nimport \"fmt\"\n\nfunc g() { fmt.Println() }\n\n",
             "func f() int { return 1 }\n", "import \"os\"",
             "package a\n\nimport \"fmt\"\nimport \"os\"\n\nfunc g() { fmt.Println() }\n\n"},
        Lift{"cpp", "#pragma once\n#include <map>\n\nint g();\n\n", "int f() { return 1; }\n",
             "#include <vector>",
             "#pragma once\n#include <map>\n#include <vector>\n\nint g();\n\n"},
        Lift{"c",
             "#ifndef A_H\n#define A_H\n#include <a.h>\n#ifdef B\n#include <b.h>\n#endif\nint "
             "x;\n\n",
             "int f(void) { return 1; }\n#endif\n", "#include <c.h>",
             "#ifndef A_H\n#define A_H\n#include <a.h>\n#include <c.h>\n#ifdef B\n#include "
             "<b.h>\n#endif\nint x;\n\n"},
        Lift{"java", "package a;\n\nimport java.util.Map;\n\nclass A {}\n\n",
             "class B { int f() { return 1; } }\n", "import java.util.List;",
             "package a;\n\nimport java.util.Map;\nimport java.util.List;\n\nclass A {}\n\n"},
        Lift{"typescript", "import { a } from 'a';\n\nconst x = a;\n\n",
             "function f() { return 1; }\n", "import { b } from 'b';",
             "import { a } from 'a';\nimport { b } from 'b';\n\nconst x = a;\n\n"},
        Lift{"rust", "//! About it.\n\nstruct A;\n\n", "fn f() -> i32 { 1 }\n", "use std::fmt;",
             "//! About it.\nuse std::fmt;\n\n\nstruct A;\n\n"}));

struct Case {
  const char* language;
  std::string file, asked, written, wanted;
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.language; }  // NOLINT

class EditTidyOfLanguage : public testing::TestWithParam<Case> {};

TEST_P(EditTidyOfLanguage, TakesOffWhatIsAround) {
  const Case& one = GetParam();
  EXPECT_EQ(tidy(one.language, one.file, one.asked, one.written).text,
            replaced(one.file, one.asked, one.wanted));
}

INSTANTIATE_TEST_SUITE_P(
    Languages, EditTidyOfLanguage,
    testing::Values(
        Case{"cpp", "struct A {\n  int x() { return 1; }\n  int y() { return 2; }\n};\n",
             "  int y() { return 2; }\n", "struct A {\n  int y() { return 3; }\n};\n",
             "  int y() { return 3; }\n"},
        Case{"java", "class A {\n  int x() { return 1; }\n  int y() { return 2; }\n}\n",
             "  int y() { return 2; }\n", "  int y() { return 3; }\n\n  int x() { return 1; }\n",
             "  int y() { return 3; }\n"},
        Case{"javascript", "class A {\n  x() { return 1; }\n\n  y() { return 2; }\n}\n",
             "  x() { return 1; }\n", "class A {\n  x() { return 3; }\n\n  y() { return 2; }\n}\n",
             "  x() { return 3; }\n"},
        Case{"rust", "impl A {\n    fn x() {}\n\n    fn y() {}\n}\n", "    fn x() {}\n",
             "impl A {\n    fn x() { go() }\n}\n", "    fn x() { go() }\n"},
        Case{"go", "package a\n\nfunc X() {}\n\nfunc Y() {}\n", "func X() {}\n",
             "func X() { go Y() }\n\nfunc Y() {}\n", "func X() { go Y() }\n"},
        Case{"typescript", "export class A {\n  x(): void {}\n\n  y(): void {}\n}\n",
             "  x(): void {}\n", "export class A {\n  x(): void { this.y(); }\n}\n",
             "  x(): void { this.y(); }\n"}));

}  // namespace
}  // namespace redraft
