// Other files that use what is renamed are named.
#include "workspace/edit/rename_importers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "languages/languages.h"
#include "tests/kit/temp_folder.h"
#include "workspace/documents/file_uri.h"
#include "workspace/edit/edit_rename.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;  // the text by its path

class RenameImporters : public testing::Test {
 protected:
  std::shared_ptr<const Document> document(const std::string& file, const std::string& text) const {
    return *Document::make(uri_of_path((folder_.path() / file).string()), 1, text,
                           std::string(language_of(file)));
  }

  // Writes the files; the request is for `file`.
  EditRequest request(const std::string& file, const Files& files) {
    for (const auto& [path, text] : files) folder_.write(path, text);
    EditRequest request;
    request.document = document(file, files.at(file));
    return request;
  }

  TempFolder folder_;
};

TEST_F(RenameImporters, AreFilesOfTheSameFolder) {
  const EditRequest python = request("store.py", {{"store.py", "def load(): pass\n"},
                                                  {"a.py", "from store import load\n"},
                                                  {"b.py", "import store as s\ns.load()\n"},
                                                  {"c.py", "from .store import *\nload()\n"},
                                                  {"d.py", "from other import load\n"},
                                                  {"e.py", "def load(): pass\nload()\n"},
                                                  {"f.py", "import store\nother.load()\n"},
                                                  {"g.txt", "from store import load\n"}});
  EXPECT_THAT(importers_of(python, "load"), ElementsAre("a.py", "b.py", "c.py"));
  EXPECT_THAT(importers_of(python, "save"), IsEmpty());
}

TEST_F(RenameImporters, AreFoundByTheRulesOfEachLanguage) {
  const EditRequest script =
      request("store.ts", {{"store.ts", "export function load() {}\n"},
                           {"a.ts", "import { load } from './store';\n"},
                           {"b.js", "import * as s from './store';\ns.load();\n"},
                           {"c.ts", "import { load } from './other';\n"}});
  EXPECT_THAT(importers_of(script, "load"), ElementsAre("a.ts", "b.js"));
  const EditRequest go = request("store.go", {{"store.go", "package a\nfunc load() {}\n"},
                                              {"a.go", "package a\nfunc f() { load() }\n"},
                                              {"b.go", "package a\nfunc load2() { x.load() }\n"}});
  EXPECT_THAT(importers_of(go, "load"), ElementsAre("a.go"));
  const EditRequest java = request("Store.java", {{"Store.java", "class Store {}\n"},
                                                  {"A.java", "class A { Store s; }\n"},
                                                  {"B.java", "class B { int Store; }\n"}});
  EXPECT_THAT(importers_of(java, "Store"), ElementsAre("A.java"));
  const EditRequest header =
      request("store.h", {{"store.h", "int load(int n);\n"},
                          {"a.cpp", "#include \"store.h\"\nint f() { return load(1); }\n"},
                          {"b.cpp", "int f() { return load(1); }\n"}});
  EXPECT_THAT(importers_of(header, "load"), ElementsAre("a.cpp"));
  const EditRequest source =
      request("list.cpp", {{"list.cpp", "#include \"list.h\"\nint size() { return 1; }\n"},
                           {"list.h", "int size();\n"}});
  EXPECT_THAT(importers_of(source, "size"), ElementsAre("list.h"));
  const EditRequest rust = request("store.rs", {{"store.rs", "pub fn load() {}\n"},
                                                {"a.rs", "use crate::store::load;\n"},
                                                {"b.rs", "use crate::other::load;\n"}});
  EXPECT_THAT(importers_of(rust, "load"), ElementsAre("a.rs"));
}

TEST_F(RenameImporters, AreOpenDocumentsAsTheyAreInTheEditor) {
  EditRequest one = request("store.py", {{"store.py", "def load(): pass\n"},
                                         {"a.py", "from store import load\n"},
                                         {"sub/b.py", "x = 1\n"}});
  one.beside = {document("a.py", "x = 1\n"), document("sub/b.py", "from store import load\n")};
  EXPECT_THAT(importers_of(one, "load"), ElementsAre("sub/b.py"));
}

TEST_F(RenameImporters, AreFilesOfTheRepositoryForAPath) {
  EditRequest one = request("src/store.py", {{"src/store.py", "def load(): pass\n"},
                                             {"tests/a.py", "from src.store import load\n"},
                                             {".git/HEAD", "ref: refs/heads/main\n"}});
  const auto document = Document::read(folder_.path() / "src/store.py");
  ASSERT_TRUE(document);
  one.document = *document;
  EXPECT_THAT(importers_of(one, "load"), ElementsAre("../tests/a.py"));
}

TEST_F(RenameImporters, AreFilesThatMayUseAMember) {
  const EditRequest rust =
      request("config.rs", {{"config.rs", "pub struct Config { pub size: u8 }\n"},
                            {"a.rs", "use crate::config::Config;\nfn f(c: &Config) { c.size; }\n"},
                            {"b.rs", "fn f(c: &Other) { c.size; }\n"},
                            {"c.rs", "use crate::config::Config;\nfn f(size: u8) {}\n"}});
  EXPECT_THAT(users_of_member(rust, "Config", "size"), ElementsAre("a.rs"));
  const EditRequest go = request("box.go", {{"box.go", "package a\ntype Box struct { size int }\n"},
                                            {"a.go", "package a\nfunc f() { make().size = 1 }\n"},
                                            {"b.go", "package a\nfunc g(size int) {}\n"}});
  EXPECT_THAT(users_of_member(go, "Box", "size"), ElementsAre("a.go"));
}

TEST_F(RenameImporters, AreNamedByTheDoubtOfTheRename) {
  EditRequest one = request("store.py", {{"store.py", "def load():\n    load()\n"},
                                         {"a.py", "from store import load\n"}});
  one.instruction = "rename load to read";
  const std::optional<Rename> rename = find_rename(one);
  ASSERT_TRUE(rename && rename->doubts.size() == 1);
  EXPECT_EQ(rename->doubts.front().reason, "'load' is used in a.py, too");
}

TEST(ListedFiles, NamesAFewAndCountsTheOthers) {
  EXPECT_EQ(listed_files({"a"}), "a");
  EXPECT_EQ(listed_files({"a", "b"}), "a and b");
  EXPECT_EQ(listed_files({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(listed_files({"a", "b", "c", "d"}), "a, b, c and 1 more file");
  EXPECT_EQ(listed_files({"a", "b", "c", "d", "e"}), "a, b, c and 2 more files");
}

}  // namespace
}  // namespace redraft
