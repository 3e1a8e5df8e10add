// In real files, a rename changes the name and nothing else, and can be taken back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "languages/languages.h"
#include "tests/kit/case_files.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_rename.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 25;  // of one file

struct CodeFile {
  std::string language, text;
};

std::string applied(std::string text, const std::vector<TextEdit>& edits) {
  for (std::size_t i = edits.size(); i-- > 0;)
    text.replace(edits[i].range.begin, edits[i].range.size(), edits[i].new_text);
  return text;
}

std::shared_ptr<const Document> document_of(const CodeFile& file, const std::string& text) {
  return *Document::make("file:///a", 1, text, file.language);
}

std::optional<Rename> rename_at(const CodeFile& file, const std::string& text, std::size_t cursor,
                                const std::string& from, const std::string& to) {
  EditRequest request;
  request.document = document_of(file, text);
  request.instruction = "rename " + from + " to " + to;
  request.range = {cursor, cursor};
  request.scope = EditScope::kAuto;
  return find_rename(request);
}

// Whether `after` is `before` with the new name at some places of the old one. Both begin at a
// place where they are the same so far.
bool is_renamed(std::string_view before, std::string_view after, const std::string& name,
                const std::string& fresh) {
  const std::size_t at = before.find(name);
  if (at == before.npos) return before == after;
  if (before.substr(0, at) != after.substr(0, at)) return false;
  before.remove_prefix(at + name.size());
  after.remove_prefix(at);
  for (const std::string& form : {fresh, name, name + ": " + fresh, fresh + ": " + name,
                                  name + " as " + fresh, fresh + " as " + name}) {
    if (after.starts_with(form) && is_renamed(before, after.substr(form.size()), name, fresh))
      return true;
  }
  return false;
}

// The offset of the new name in `after` that stands for the name at `offset` of `before`.
std::size_t place_in(const std::string& after, const std::string& before, std::size_t offset,
                     const std::string& fresh) {
  const std::size_t line = before.rfind('\n', offset) + 1;  // of npos, too
  const auto n_lines = std::count(before.begin(), before.begin() + static_cast<long>(line), '\n');
  std::size_t begin = 0;
  for (long i = 0; i < n_lines; ++i) begin = after.find('\n', begin) + 1;
  return after.find(fresh, begin + (offset - line));
}

// What does not hold of a rename at `range`; empty: everything does.
std::string fault_of(const CodeFile& file, const ByteRange& range, int& n_renamed) {
  const std::string name = file.text.substr(range.begin, range.size());
  const bool is_upper = std::isupper(static_cast<unsigned char>(name.front())) != 0;
  std::string fresh = is_upper ? "FreshNameOfIt" : "fresh_name_of_it";
  // `place_in` looks for it from the column of the old name on.
  if (fresh.size() < name.size()) fresh.resize(name.size(), 'z');
  const auto rename = rename_at(file, file.text, range.begin, name, fresh);
  if (!rename) return {};
  ++n_renamed;
  const std::string text = applied(file.text, rename->edits);
  if (!is_renamed(file.text, text, name, fresh)) return "something else has changed";
  const auto before = document_of(file, file.text), after = document_of(file, text);
  if (breaks_syntax(*before->syntax(), *after->syntax())) return "it does not parse any more";
  for (const Doubt& doubt : rename->doubts) {
    if (doubt.edits.empty() || doubt.reason.empty()) return "a doubt is about nothing";
  }
  // "{name}" has become "{name: other}", and would be "{name: name}".
  const bool is_plain =
      text.find(name + ": " + fresh) == text.npos && text.find(fresh + ": " + name) == text.npos &&
      text.find(" as " + fresh) == text.npos && text.find(fresh + " as ") == text.npos;
  if (!rename->doubts.empty() || !is_plain) return {};
  const auto back =
      rename_at(file, text, place_in(text, file.text, range.begin, fresh), fresh, name);
  if (!back) return "it cannot be taken back";
  return applied(text, back->edits) == file.text ? "" : "taken back it is something else";
}

void check(const CodeFile& file, const std::string& what, int& n_renamed) {
  const auto document = document_of(file, file.text);
  if (document->syntax() == nullptr || !document->syntax()->meanings_of("x")) return;
  std::vector<ByteRange> names = document->syntax()->identifiers({0, file.text.size()});
  const std::size_t step = 1 + names.size() / kMaxNames;
  for (std::size_t i = 0; i < names.size(); i += step) {
    EXPECT_EQ(fault_of(file, names[i], n_renamed), "")
        << what << ":"
        << 1 + std::count(file.text.begin(), file.text.begin() + names[i].begin, '\n') << ": "
        << file.text.substr(names[i].begin, names[i].size());
  }
}

TEST(RenameProperty, HoldsForEachCase) {
  int n_renamed = 0;
  for (const fs::path& cases : case_files(REDRAFT_RENAME_CASES)) {
    for (const FileCase& each : cases_in(cases)) {
      CodeFile file{cases.stem(), each.given};
      std::erase(file.text, '^');
      check(file, cases.stem().string() + ": " + each.title, n_renamed);
    }
  }
  EXPECT_GT(n_renamed, 500);
}

TEST(RenameProperty, HoldsForFilesOfThisRepository) {
  const fs::path sources = fs::path(REDRAFT_RENAME_CASES) / "../../..";
  std::set<fs::path> files;
  for (const char* folder : {"bench", "tools", "indexing/syntax", "text/strings", "editors"}) {
    for (const auto& entry : fs::recursive_directory_iterator(sources / folder)) {
      const bool is_foreign = entry.path().string().find("node_modules") != std::string::npos;
      if (entry.is_regular_file() && !is_foreign && entry.file_size() < 40000)
        files.insert(entry.path());
    }
  }
  int n_renamed = 0, n_files = 0;
  for (const fs::path& path : files) {
    const std::string language(language_of(path.string()));
    if (language.empty() || ++n_files % 4 != 0) continue;
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    check({language, text.str()}, path.filename().string(), n_renamed);
  }
  EXPECT_GT(n_renamed, 200);
}

}  // namespace
}  // namespace redraft
