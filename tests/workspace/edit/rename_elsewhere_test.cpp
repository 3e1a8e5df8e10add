#include "workspace/edit/rename_elsewhere.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "languages/languages.h"

namespace redraft {
namespace {

// The other file after the rename of `load` to `fetch`, with "<why>" before what is undecided.
std::string renamed(const std::string& home, const std::string& home_text, const std::string& file,
                    const std::string& text, bool is_member = false) {
  const auto document = [](const std::string& path, const std::string& content) {
    return *Document::make(path, 0, content, std::string(language_of(path)));
  };
  const RenamedForOthers what{.home = document(home, home_text),
                              .path = "/p/" + home,
                              .from = "load",
                              .to = "fetch",
                              .is_member = is_member};
  const RenamedElsewhere found = rename_elsewhere(what, *document(file, text), "/p/" + file);
  std::vector<TextEdit> edits = found.edits;
  for (const UndecidedUse& use : found.undecided)
    edits.push_back({{use.range.begin, use.range.begin}, "?"});
  std::ranges::sort(edits, {}, [](const TextEdit& edit) { return edit.range.begin; });
  return apply_edits(text, edits);
}

constexpr const char* kPython = "def load(): pass\n";

std::string python(const std::string& text) { return renamed("store.py", kPython, "a.py", text); }

TEST(RenameElsewhere, PythonFollowsImports) {
  EXPECT_EQ(python("from store import load\nload()\nx = [load]\n"),
            "from store import fetch\nfetch()\nx = [fetch]\n");
  EXPECT_EQ(python("import store\nstore.load()\nother.load()\n"),
            "import store\nstore.fetch()\nother.load()\n");
  EXPECT_EQ(python("import store as s\ns.load()\n"), "import store as s\ns.fetch()\n");
  EXPECT_EQ(python("from store import *\nload()\n"), "from store import *\n?load()\n");
  EXPECT_EQ(python("from store import load as read\nread()\n"),
            "from store import ?load as read\nread()\n");
}

TEST(RenameElsewhere, OtherThingsOfThatNameStay) {
  for (const char* text : {"from other import load\nload()\n", "def load(): pass\nload()\n",
                           "import store\ndef f(load):\n    return load\n",
                           "x.load()\n# load of the store\n\"load\"\n"})
    EXPECT_EQ(python(text), text);
}

TEST(RenameElsewhere, ANameThatIsTakenThereIsUndecided) {
  EXPECT_EQ(python("from store import load\ndef fetch(): pass\nload()\n"),
            "from store import ?load\ndef fetch(): pass\n?load()\n");
}

TEST(RenameElsewhere, AModuleThatIsHiddenIsUndecided) {
  EXPECT_EQ(python("import store\ndef f(store):\n    return store.load()\n"),
            "import store\ndef f(store):\n    return store.?load()\n");
}

TEST(RenameElsewhere, ScriptsFollowImportsAndKeepTheirKeys) {
  const auto script = [](const std::string& text) {
    return renamed("store.ts", "export function load() {}\n", "a.ts", text);
  };
  EXPECT_EQ(script("import { load } from './store';\nload();\nexport const api = { load };\n"),
            "import { fetch } from './store';\nfetch();\nexport const api = { load: fetch };\n");
  EXPECT_EQ(script("import * as s from './store';\ns.load();\n"),
            "import * as s from './store';\ns.fetch();\n");
  EXPECT_EQ(script("import { load as read } from './store';\nread();\n"),
            "import { ?load as read } from './store';\nread();\n");
  EXPECT_EQ(script("import { load } from './other';\nload();\n"),
            "import { load } from './other';\nload();\n");
}

TEST(RenameElsewhere, FilesOfAFolderShareNamesInGo) {
  const std::string home = "package p\n\nfunc load() int { return 1 }\n";
  EXPECT_EQ(renamed("store.go", home, "a.go", "package p\n\nfunc f() int { return load() }\n"),
            "package p\n\nfunc f() int { return fetch() }\n");
  EXPECT_EQ(renamed("store.go", home, "b/a.go", "package b\n\nfunc f() int { return load() }\n"),
            "package b\n\nfunc f() int { return load() }\n");
}

TEST(RenameElsewhere, AHeaderIsRenamedWithItsSource) {
  const std::string home = "#include \"store.h\"\nint load(void) { return 1; }\n";
  EXPECT_EQ(renamed("store.c", home, "store.h", "int load(void);\n"), "int fetch(void);\n");
  EXPECT_EQ(renamed("store.h", "int load(void);\n", "a.c",
                    "#include \"store.h\"\nint f(void) { return load(); }\n"),
            "#include \"store.h\"\nint f(void) { return fetch(); }\n");
  EXPECT_EQ(renamed("store.c", home, "b.c", "static int load(void) { return 2; }\n"),
            "static int load(void) { return 2; }\n");
}

TEST(RenameElsewhere, WhatAnotherIncludeOrImportMayBringIsUndecided) {
  EXPECT_EQ(renamed("store.h", "int load(void);\n", "a.c",
                    "#include \"all.h\"\nint f(void) { return load(); }\n"),
            "#include \"all.h\"\nint f(void) { return ?load(); }\n");
  EXPECT_EQ(python("from all import *\nload()\n"), "from all import *\n?load()\n");
}

TEST(RenameElsewhere, AnImportedNameCanBeImportedFromThere) {
  const auto passes_on = [](const std::string& file, const std::string& text) {
    const auto document = [](const std::string& path, const std::string& content) {
      return *Document::make(path, 0, content, std::string(language_of(path)));
    };
    const RenamedForOthers what{.home = document("p/store.py", kPython),
                                .path = "/p/store.py",
                                .from = "load",
                                .to = "fetch"};
    return rename_elsewhere(what, *document(file, text), "/p/" + file).passes_on;
  };
  EXPECT_TRUE(passes_on("__init__.py", "from .store import load\n"));
  EXPECT_FALSE(passes_on("a.py", "import store\nstore.load()\n"));
  EXPECT_FALSE(passes_on("a.py", "from .other import load\n"));
}

TEST(RenameElsewhere, MembersOfOtherObjectsAreUndecided) {
  EXPECT_EQ(renamed("store.py", "class Store:\n    def load(self): pass\n", "a.py",
                    "from store import Store\nx = make()\nx.load()\nload()\n", true),
            "from store import Store\nx = make()\nx.?load()\nload()\n");
}

}  // namespace
}  // namespace redraft
