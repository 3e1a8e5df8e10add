// What a name means, of real files: renaming a thing changes no other, and can be taken back.
#include "indexing/syntax/name_uses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "languages/languages.h"
#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 60;  // of one file

std::string renamed(std::string text, const NamedThing& thing, const std::string& name) {
  for (std::size_t i = thing.uses.size(); i-- > 0;)
    text.replace(thing.uses[i].range.begin, thing.uses[i].range.size(), name);
  return text;
}

bool is_plain(const NamedThing& thing) {
  return std::ranges::all_of(thing.uses, [](const NameUse& use) {
    return use.doubt.empty() && use.form == NameUse::Form::kPlain;
  });
}

// Empty, or what does not hold.
std::string fault_of(const SyntaxTree& tree, const std::string& name, const std::string& language) {
  const NameMeanings meanings = *tree.meanings_of(name);
  for (const NamedThing& thing : meanings.things) {
    std::size_t behind = 0;
    for (const NameUse& use : thing.uses) {
      if (use.range.begin < behind) return "uses are not in order";
      behind = use.range.end;
      if (tree.text().substr(use.range.begin, use.range.size()) != name) return "a use is no use";
    }
    if (thing.uses.empty() || !is_plain(thing)) continue;
    const std::string fresh = "fresh_name_of_it";
    const std::string text = renamed(tree.text(), thing, fresh);
    const SyntaxTree after = parse(text, language.c_str());
    if (after.errors().size() != tree.errors().size()) return "other errors";
    const NameMeanings anew = *after.meanings_of(fresh);
    if (anew.things.size() != 1 || !anew.unknown.empty()) return "it is not one thing any more";
    if (anew.things.front().uses.size() != thing.uses.size()) return "it has other uses";
    if (renamed(text, anew.things.front(), name) != tree.text()) return "it cannot be taken back";
  }
  return {};
}

void check_names(const std::string& text, const std::string& language, const std::string& what) {
  const SyntaxTree tree = parse(text, language.c_str());
  std::set<std::string> names;
  for (const ByteRange& range : tree.identifiers({0, text.size()}))
    names.insert(text.substr(range.begin, range.size()));
  if (!tree.meanings_of("x")) return;
  const std::size_t step = 1 + names.size() / kMaxNames;
  std::size_t i = 0;
  for (const std::string& name : names) {
    if (i++ % step != 0) continue;
    EXPECT_EQ(fault_of(tree, name, language), "") << what << ": " << name;
  }
}

TEST(NameUses, OfSamplesCanBeRenamedAndBack) {
  int n_followed = 0;
  for (const Sample& sample : samples()) {
    check_names(MarkedText(sample.marked).text, sample.language, sample.language);
    n_followed += SyntaxTree::parse(std::make_shared<const std::string>("x"), sample.language)
                          ->meanings_of("x")
                      ? 1
                      : 0;
  }
  EXPECT_GE(n_followed, 9);
}

TEST(NameUses, OfRealFilesCanBeRenamedAndBack) {
  const std::map<std::string, std::string> languages = {{".py", "python"},
                                                        {".cpp", "cpp"},
                                                        {".h", "cpp"},
                                                        {".ts", "typescript"},
                                                        {".js", "javascript"}};
  int n_files = 0;
  for (const char* folder : {"indexing/syntax", "workspace/edit", "lsp/features",
                             "editors/vscode/src", "tests/editors/vscode", "tools", "bench"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(REDRAFT_SOURCES) / folder)) {
      const auto language = languages.find(entry.path().extension().string());
      if (!entry.is_regular_file() || language == languages.end()) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      std::stringstream text;
      text << stream.rdbuf();
      check_names(text.str(), language->second, entry.path().filename());
      ++n_files;
    }
  }
  EXPECT_GT(n_files, 50);
}

}  // namespace
}  // namespace redraft
