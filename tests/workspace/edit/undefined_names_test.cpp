// Names and members that nothing defines, in each language whose names are followed.
#include "workspace/edit/undefined_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The reasons of doubts about names if `before` becomes `after`.
std::vector<std::string> reasons(const std::string& language, const std::string& before,
                                 const std::string& after, const OtherFiles& others = {}) {
  const auto document = *Document::make("file:///a", 1, before, language);
  const auto changed = *Document::make("file:///b", 1, after, language);
  const EditRegion region = *EditRegion::make(document, EditScope::kFile, {});
  const EditRegion new_region = *EditRegion::make(changed, EditScope::kFile, {});
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(region.lines(), new_region.lines()))
    edits.push_back(region.edit(change));
  std::vector<std::string> found;
  for (const Doubt& doubt : doubts_about({.before = *document->syntax(),
                            .after = *changed->syntax(),
                            .edits = edits,
                            .instruction = "change it",
                            .others = others}))
    if (doubt.kind == Doubt::Kind::kUndefined) found.push_back(doubt.reason);
  return found;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A file, a line of it, what takes its place without a doubt, and what with one about `name`.
struct Case {
  const char* language;
  std::string text, line, sound, faulty, name;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.language; }  // NOLINT

class UndefinedNames : public testing::TestWithParam<Case> {};

TEST_P(UndefinedNames, AreDoubted) {
  const Case& one = GetParam();
  EXPECT_THAT(reasons(one.language, one.text, replaced(one.text, one.line, one.sound)), IsEmpty());
  EXPECT_THAT(reasons(one.language, one.text, replaced(one.text, one.line, one.faulty)),
              ElementsAre("the name '" + one.name + "' is defined nowhere"));
}

// What a comment or a string says is no use.
TEST_P(UndefinedNames, DoNotCountInTexts) {
  const Case& one = GetParam();
  const bool is_python = std::string(one.language) == "python";
  const std::string comment = (is_python ? "# " : "// ") + one.name + "\n";
  EXPECT_THAT(reasons(one.language, one.text, replaced(one.text, one.line, one.line + comment)),
              IsEmpty());
}

// It was used so before: it comes from somewhere.
TEST_P(UndefinedNames, ThatTheFileUsedAlreadyDoNotCount) {
  const Case& one = GetParam();
  const std::string before = replaced(one.text, one.line, one.faulty);
  EXPECT_THAT(reasons(one.language, before, replaced(before, one.faulty, one.faulty + one.faulty)),
              IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Languages, UndefinedNames,
    testing::Values(
        Case{"python",
             "import os\n\n\ndef run(path, verbose=False):\n    size = os.stat(path)\n    return "
             "size\n",
             "    return size\n", "    return [print(x) for x in (size, verbose)]\n",
             "    return size if not quiet else None\n", "quiet"},
        Case{
            "javascript",
            "const fs = require('fs');\n\nfunction run(path) {\n  const size = fs.statSync(path);\n"
            "  return size;\n}\n",
            "  return size;\n", "  return [size].map((x) => Math.max(x, path.length));\n",
            "  return quiet ? null : size;\n", "quiet"},
        Case{"typescript",
             "import { stat } from './stat';\n\nexport function run(path: string): number {\n"
             "  const size = stat(path);\n  return size;\n}\n",
             "  return size;\n", "  const all: Array<number> = [size];\n  return all.length;\n",
             "  const all: Sizes = [size];\n", "Sizes"},
        Case{"typescriptreact",
             "import { Box } from './box';\n\nexport function View(props: { name: string }) {\n"
             "  const size = props.name.length;\n  return <Box size={size} />;\n}\n",
             "  return <Box size={size} />;\n", "  return <div><Box size={size + 1} /></div>;\n",
             "  return <Box size={quiet} />;\n", "quiet"},
        Case{"go",
             "package a\n\nimport \"os\"\n\nfunc run(path string) int64 {\n\tinfo, err := "
             "os.Stat(path)\n\tif err != nil {\n\t\treturn 0\n\t}\n\treturn info.Size()\n}\n",
             "\treturn info.Size()\n",
             "\tfor i := range path {\n\t\t_ = i\n\t}\n\treturn info.Size()\n",
             "\tif quiet {\n\t\treturn 1\n\t}\n\treturn info.Size()\n", "quiet"},
        Case{"rust",
             "use std::fs::File;\n\nfn run(path: &str) -> usize {\n    let size = path.len();\n"
             "    size\n}\n",
             "    size\n",
             "    let all: Vec<usize> = vec![size];\n    all.iter().map(|x| x + 1).sum()\n",
             "    let all: HashMap<usize, usize> = Default::default();\n    all.len()\n",
             "HashMap"},
        Case{"java",
             "package a;\n\nclass A {\n  int run(String path) {\n    int size = path.length();\n"
             "    return size;\n  }\n}\n",
             "    return size;\n", "    return Math.max(size, run(path));\n",
             "    return quiet ? 0 : size;\n", "quiet"},
        Case{"c",
             "#include <stdio.h>\n\nint run(const char* path) {\n  int size = 0;\n  return "
             "size;\n}\n",
             "  return size;\n", "  printf(\"%s\", path);\n  return size + EOF;\n",
             "  return quiet ? 0 : size;\n", "quiet"},
        Case{"cpp",
             "#include <string>\n\nint run(const std::string& path) {\n  int size = 0;\n  return "
             "size;\n}\n",
             "  return size;\n", "  for (char c : path) size += to_number(c);\n  return size;\n",
             "  return quiet ? 0 : size;\n", "quiet"},
        Case{"csharp",
             "using System;\n\nclass A {\n  int Run(string path) {\n    int size = path.Length;\n"
             "    return size;\n  }\n}\n",
             "    return size;\n", "    return Math.Max(size, Run(path));\n",
             "    return quiet ? 0 : size;\n", "quiet"},
        Case{
            "scala",
            "object A {\n  def run(path: String): Int = {\n    val size = path.length\n    size\n  "
            "}\n}\n",
            "    size\n", "    List(size).map(x => x + 1).sum\n", "    if (quiet) 0 else size\n",
            "quiet"}));

TEST(UndefinedNamesOfFiles, MayComeFromAnImportOfAllNames) {
  const std::string text = "from os.path import *\n\n\ndef f(a):\n    return a\n";
  EXPECT_THAT(reasons("python", text, replaced(text, "return a", "return join(a)")), IsEmpty());
  const std::string rust = "use std::io::*;\n\nfn f(a: u8) -> u8 {\n    a\n}\n";
  EXPECT_THAT(reasons("rust", rust, replaced(rust, "    a\n", "    stdin(a)\n")), IsEmpty());
}

// In a module of a file, "use super::*" names what the file has.
TEST(UndefinedNamesOfFiles, AreFoundBesideAnImportOfAllNamesOfTheFile) {
  const std::string text =
      "use std::fs::File;\n\nfn run(path: &str) -> usize {\n    path.len()\n}\n\nmod tests {\n"
      "    use super::*;\n\n    fn check() {\n        run(\"a\");\n    }\n}\n";
  EXPECT_THAT(reasons("rust", text, replaced(text, "path.len()", "path.len() + quiet")),
              ElementsAre("the name 'quiet' is defined nowhere"));
  EXPECT_THAT(reasons("rust", text, replaced(text, "run(\"a\")", "walk(\"a\")")),
              ElementsAre("the name 'walk' is defined nowhere"));
  EXPECT_THAT(reasons("rust", text, replaced(text, "run(\"a\");", "run(\"a\"); run(\"b\");")),
              IsEmpty());
  // Another module's names are known where they are imported, and only there.
  const std::string other = replaced(text, "use super::*", "use crate::kit::*");
  EXPECT_THAT(reasons("rust", other, replaced(other, "run(\"a\")", "walk(\"a\")")), IsEmpty());
  EXPECT_THAT(reasons("rust", other, replaced(other, "path.len()", "path.len() + quiet")),
              ElementsAre("the name 'quiet' is defined nowhere"));
}

TEST(UndefinedNamesOfFiles, AreKnownByAnImportWithDots) {
  const std::string text = "import os\n\n\ndef run(path):\n    return os.stat(path)\n";
  const std::string line = "    return os.stat(path)\n";
  EXPECT_THAT(reasons("python", text,
                      replaced(text, line,
                               "    import importlib.metadata\n\n    return "
                               "importlib.metadata.version(path)\n")),
              IsEmpty());
  EXPECT_THAT(reasons("python", text,
                      replaced(text, line, "    return importlib.metadata.version(path)\n")),
              ElementsAre("the name 'importlib' is defined nowhere"));
}

// A method may use what its class has in a header, and a header's constants.
TEST(UndefinedNamesOfFiles, AreFoundInMethodsOfCppWhoseFieldsAreMarked) {
  const std::string text =
      "#include \"box.h\"\n\nint Box::size() {\n  int all = width_ + height_;\n  return all + "
      "depth_;\n}\n";
  const auto with = [&](const std::string& of, const std::string& value) {
    return reasons("cpp", of, replaced(of, "return all", "return " + value));
  };
  EXPECT_THAT(with(text, "other_all"), ElementsAre("the name 'other_all' is defined nowhere"));
  EXPECT_THAT(with(text, "weight_"), IsEmpty());
  EXPECT_THAT(with(text, "kMaxSize"), IsEmpty());
  EXPECT_THAT(with(text, "MAX_SIZE"), IsEmpty());
  const std::string unmarked =
      "#include \"box.h\"\n\nint Box::size() {\n  int all = width + height;\n  return all + "
      "depth;\n}\n";
  EXPECT_THAT(with(unmarked, "other_all"), IsEmpty());
}

TEST(UndefinedNamesOfFiles, MayComeFromOtherScriptsOfAPage) {
  const std::string script = "function f(a) {\n  return a;\n}\n";
  const std::string calls = replaced(script, "return a", "return show(a)");
  EXPECT_THAT(reasons("javascript", script, calls), IsEmpty());
  const std::string exports = "module.exports = f;\n";
  EXPECT_THAT(reasons("javascript", script + exports, calls + exports),
              ElementsAre("the name 'show' is defined nowhere"));
}

TEST(UndefinedNamesOfFiles, AreNewOnes) {
  const std::string text = "def f(a):\n    return a + gone\n";
  EXPECT_THAT(reasons("python", text, replaced(text, "return a", "return gone * a")), IsEmpty());
}

TEST(UndefinedNamesOfFiles, AreThoseOfAnotherScopeToo) {
  const std::string text = "def f(a):\n    b = a\n    return b\n\n\ndef g(c):\n    return c\n";
  EXPECT_THAT(reasons("python", text, replaced(text, "return c", "return b + c")),
              ElementsAre("the name 'b' is defined nowhere"));
}

TEST(UndefinedNamesOfFiles, ThatAreLeftBehind) {
  const std::string text = "LIMIT = 3\n\n\ndef f(a):\n    return a < LIMIT\n";
  EXPECT_THAT(reasons("python", text, replaced(text, "LIMIT = 3", "MOST = 3")),
              ElementsAre("the name 'LIMIT' is defined nowhere any more"));
}

// Other files of a package share their names; the index knows them.
TEST(UndefinedNamesOfFiles, OfOtherFilesAreLookedUp) {
  const std::string text = "package a\n\nfunc f(a int) int {\n\treturn a\n}\n";
  const std::string calls = replaced(text, "return a", "return double(a)");
  const OtherFiles knows{.defines = [](const std::string& name) { return name == "double"; },
                         .is_complete = true};
  const OtherFiles knows_none{.defines = [](const std::string&) { return false; },
                              .is_complete = true};
  const OtherFiles reads{.defines = [](const std::string&) { return false; }};
  EXPECT_THAT(reasons("go", text, calls), IsEmpty());
  EXPECT_THAT(reasons("go", text, calls, knows), IsEmpty());
  EXPECT_THAT(reasons("go", text, calls, reads), IsEmpty());
  EXPECT_THAT(reasons("go", text, calls, knows_none),
              ElementsAre("the name 'double' is defined nowhere"));
}

TEST(UndefinedMembers, OfAClassThatSaysAllOfThem) {
  const std::string text =
      "class A:\n    def __init__(self, size):\n        self.size = size\n\n    def get(self):\n"
      "        return self.size\n";
  const auto with = [&](const std::string& line) {
    return reasons("python", text, replaced(text, "        return self.size\n", line));
  };
  EXPECT_THAT(with("        return self.quiet\n"), ElementsAre("'A' has no 'quiet'"));
  EXPECT_THAT(with("        self.quiet = 1\n        return self.quiet\n"), IsEmpty());
  EXPECT_THAT(with("        return self.get()\n"), IsEmpty());
  const std::string derived = replaced(text, "class A:", "class A(Base):");
  EXPECT_THAT(
      reasons("python", derived, replaced(derived, "return self.size", "return self.quiet")),
      IsEmpty());
  const std::string script =
      "class A {\n  constructor(size) {\n    this.size = size;\n  }\n  get() {\n    return "
      "this.size;\n  }\n}\n";
  for (const char* language : {"javascript", "typescript"}) {
    const std::string typed =
        language == std::string("typescript")
            ? replaced(script, "  constructor(", "  size: number;\n  constructor(")
            : script;
    EXPECT_THAT(reasons(language, typed, replaced(typed, "return this.size", "return this.quiet")),
                ElementsAre("'A' has no 'quiet'"))
        << language;
    EXPECT_THAT(reasons(language, typed, replaced(typed, "return this.size", "return this.get()")),
                IsEmpty())
        << language;
  }
}

TEST(UndefinedMembers, OfAGoStruct) {
  const std::string text =
      "package a\n\ntype Box struct {\n\tWidth int\n\tName string\n}\n\nfunc f(b *Box) int {\n"
      "\tb.Name = \"a\"\n\treturn b.Width\n}\n";
  const auto with = [&](const std::string& of, const std::string& line) {
    return reasons("go", of, replaced(of, "\tb.Name = \"a\"\n", line));
  };
  EXPECT_THAT(with(text, "\tb.Title = \"a\"\n"), ElementsAre("'Box' has no 'Title'"));
  EXPECT_THAT(with(text, "\tb.Width = 3\n"), IsEmpty());
  // A method, which another file of the package may have, be it called or not.
  EXPECT_THAT(with(text, "\tb.Open()\n\tdefer run(b.Close)\n"), IsEmpty());
  const std::string embedded = replaced(text, "\tWidth int\n", "\tWidth int\n\tsync.Mutex\n");
  EXPECT_THAT(with(embedded, "\tb.Title = \"a\"\n"), IsEmpty());
}

TEST(UndefinedMembers, OfAGoLiteral) {
  const std::string text =
      "package a\n\ntype Box struct {\n\tsync.Mutex\n\tWidth int\n}\n\nfunc f() {\n"
      "\tg(Box{Width: 1})\n}\n";
  const auto with = [&](const std::string& value) {
    return reasons("go", text, replaced(text, "Box{Width: 1}", value));
  };
  EXPECT_THAT(with("Box{Title: 1}"), ElementsAre("'Box' has no 'Title'"));
  EXPECT_THAT(with("&Box{Width: 1, Title: 1}"), ElementsAre("'Box' has no 'Title'"));
  EXPECT_THAT(with("Box{Mutex: sync.Mutex{}}"), IsEmpty());
  EXPECT_THAT(with("sync.Box{Title: 1}"), IsEmpty());
  EXPECT_THAT(with("map[string]Box{\"a\": {Width: 2}}"), IsEmpty());
}

TEST(UndefinedMembers, OfARustLiteral) {
  const std::string text =
      "#[derive(Debug)]\nstruct Options<'a> {\n    width: &'a str,\n}\n\nenum Kind {\n"
      "    Options { quiet: bool },\n}\n\nimpl<'a> Options<'a> {\n    fn new(width: &'a str, "
      "quiet: bool) -> Self {\n        Options { width }\n    }\n}\n";
  const auto with = [&](const std::string& of, const std::string& value) {
    return reasons("rust", of, replaced(of, "Options { width }", value));
  };
  for (const char* value : {"Options { width, no_break_words: true }", "Self { no_break_words: 1 }",
                            "Options { no_break_words: 1, ..Self::new(width, quiet) }"})
    EXPECT_THAT(with(text, value), ElementsAre("'Options' has no 'no_break_words'")) << value;
  EXPECT_THAT(with(text, "Options { width, quiet }"), ElementsAre("'Options' has no 'quiet'"));
  EXPECT_THAT(with(text, "Self { width: width }"), IsEmpty());
  EXPECT_THAT(with(text, "Kind::Options { quiet }"), IsEmpty());
  EXPECT_THAT(with(text, "kit::Options { quiet }"), IsEmpty());
  // Its attribute may add fields, or the name may mean another type.
  const std::string open = replaced(text, "#[derive(Debug)]", "#[model]");
  EXPECT_THAT(with(open, "Options { width, quiet }"), IsEmpty());
  const std::string inner =
      replaced(replaced(text, "struct Options<'a>", "mod a { struct Options<'a>"), "\n}\n\nenum",
               "\n}\n}\n\nenum");
  EXPECT_THAT(with(inner, "Options { width, quiet }"), IsEmpty());
  EXPECT_THAT(with("use kit::Options;\n\n" + text, "Options { width, quiet }"), IsEmpty());
}

TEST(UndefinedMembers, OfARustTypeItself) {
  const std::string text =
      "enum Mode {\n    Auto,\n}\n\nimpl Mode {\n    fn get() -> Mode {\n        Self::Auto\n"
      "    }\n}\n\nimpl Iterator for Mode {\n    type Item = u8;\n    fn next(&mut self) -> "
      "Option<u8> {\n        None\n    }\n}\n";
  EXPECT_THAT(reasons("rust", text, replaced(text, "Self::Auto", "Self::Always")),
              ElementsAre("'Mode' has no 'Always'"));
  EXPECT_THAT(reasons("rust", text, replaced(text, "Self::Auto", "Mode::Auto")), IsEmpty());
  EXPECT_THAT(reasons("rust", text, replaced(text, "Option<u8>", "Option<Self::Item>")), IsEmpty());
}

struct Enumeration {
  const char* language;
  std::string text, line, sound, faulty, reason;
};

void PrintTo(const Enumeration& one, std::ostream* out) { *out << one.language; }  // NOLINT

class UndefinedCases : public testing::TestWithParam<Enumeration> {};

TEST_P(UndefinedCases, AreDoubted) {
  const Enumeration& one = GetParam();
  EXPECT_THAT(reasons(one.language, one.text, replaced(one.text, one.line, one.sound)), IsEmpty());
  EXPECT_THAT(reasons(one.language, one.text, replaced(one.text, one.line, one.faulty)),
              ElementsAre(one.reason));
}

INSTANTIATE_TEST_SUITE_P(
    Languages, UndefinedCases,
    testing::Values(
        Enumeration{"rust",
                    "enum Error {\n    Empty,\n    Missing(u8),\n}\n\nfn f() -> Error {\n    "
                    "Error::Empty\n}\n",
                    "    Error::Empty\n", "    Error::Missing(3)\n", "    Error::InvalidDuration\n",
                    "'Error' has no 'InvalidDuration'"},
        Enumeration{"java", "enum E { A, B }\n\nclass C {\n  E f() {\n    return E.A;\n  }\n}\n",
                    "    return E.A;\n", "    return E.B;\n", "    return E.C_D;\n",
                    "'E' has no 'C_D'"},
        Enumeration{"typescript", "enum E { A, B }\n\nfunction f(): E {\n  return E.A;\n}\n",
                    "  return E.A;\n", "  return E.B;\n", "  return E.Other;\n",
                    "'E' has no 'Other'"},
        Enumeration{"cpp", "enum class E { kA, kB };\n\nE f() {\n  return E::kA;\n}\n",
                    "  return E::kA;\n", "  return E::kB;\n", "  return E::kOther;\n",
                    "'E' has no 'kOther'"},
        Enumeration{"csharp", "enum E { A, B }\n\nclass C {\n  E F() {\n    return E.A;\n  }\n}\n",
                    "    return E.A;\n", "    return E.B;\n", "    return E.Other;\n",
                    "'E' has no 'Other'"},
        Enumeration{
            "python",
            "from enum import Enum\n\n\nclass E(Enum):\n    A = 1\n    B = 2\n\n\ndef f():\n"
            "    return E.A\n",
            "    return E.A\n", "    return E.B\n", "    return E.OTHER\n", "'E' has no 'OTHER'"}));

TEST(UndefinedResults, OfAGoFunction) {
  const std::string text =
      "package a\n\nfunc one(a int) int {\n\treturn a\n}\n\nfunc two() (int, error) {\n\treturn 1, "
      "nil\n}\n\nfunc f() {\n\tx := one(1)\n\t_ = x\n}\n";
  EXPECT_THAT(reasons("go", text, replaced(text, "x := one(1)", "x, err := one(1)\n\t_ = err")),
              ElementsAre("'one' returns 1 value, and 2 are taken"));
  EXPECT_THAT(reasons("go", text, replaced(text, "x := one(1)", "x := two()")),
              ElementsAre("'two' returns 2 values, and 1 are taken"));
  EXPECT_THAT(reasons("go", text, replaced(text, "x := one(1)", "x, _ := two()")), IsEmpty());
}

}  // namespace
}  // namespace redraft
