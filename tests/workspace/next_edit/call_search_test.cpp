// Calls that follow when parameters change: which ones do, and what the tree makes of them, in each
// language.
#include "workspace/next_edit/call_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>

#include "tests/kit/case_files.h"
#include "tests/kit/temp_folder.h"
#include "workspace/documents/open_documents.h"
#include "workspace/next_edit/call_verdict.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// In tests/cases/calls what is given is a text in which the user changes "«this¦into that»"; "---
// NAME" begins another open document. What comes of it are the lines that the tree changes ("3|
// text", of another document "NAME 3| text"), applied one after the other; then the calls that the
// model is asked about ("? 3: call"; "?? 3: call" if it may be another function's), and the note
// that is left.

// What a person has open.
class Desk {
 public:
  Desk(const std::string& given, const std::string& language) {
    const fs::path extension = language == "python" ? ".py" : language == "c" ? ".c" : ".x";
    std::istringstream lines(given);
    std::vector<std::pair<std::string, std::string>> texts{{"main" + extension.string(), {}}};
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("--- "))
        texts.emplace_back(line.substr(4), std::string());
      else
        texts.back().second += line + "\n";
    }
    for (auto& [name, marked] : texts) open(name, marked, language);
  }

  ChangedCalls look() const {
    std::vector<std::shared_ptr<const Document>> all;
    std::vector<DocumentOrigin> origins;
    for (const std::string& uri : uris_) {
      all.push_back(documents_.find(uri));
      origins.push_back(documents_.origin_of(all.back()));
    }
    return find_changed_calls(all, origins);
  }

  void apply(const TreeEdits& found) {
    const std::string uri = found.document->uri();
    std::vector<TextEdit> edits = found.edits;
    std::ranges::reverse(edits);
    ASSERT_TRUE(documents_.change(uri, ++version_, edits));
  }

  // "" or "b.py ".
  std::string name_of(const Document& document) const {
    if (document.uri() == uris_.front()) return {};
    return fs::path(document.uri()).filename().string() + " ";
  }

 private:
  void open(const std::string& name, const std::string& marked, const std::string& language) {
    const std::string uri = "file:///p/" + name;
    std::string text;
    std::vector<TextEdit> edits;
    for (std::size_t at = 0; at < marked.size();) {
      const std::size_t begin = std::min(marked.find("«", at), marked.size());
      text += marked.substr(at, begin - at);
      if (begin == marked.size()) break;
      const std::size_t middle = marked.find("¦", begin), end = marked.find("»", begin);
      const std::string old = marked.substr(begin + 2, middle - begin - 2);
      edits.push_back(
          {{text.size(), text.size() + old.size()}, marked.substr(middle + 2, end - middle - 2)});
      text += old;
      at = end + 2;
    }
    uris_.push_back(uri);
    ASSERT_TRUE(documents_.open(uri, 1, text, language));
    std::ranges::reverse(edits);
    if (edits.empty()) return;
    ASSERT_TRUE(documents_.change(uri, ++version_, edits));
  }

  OpenDocuments documents_;
  std::vector<std::string> uris_;
  std::int64_t version_ = 1;
};

std::string described(Desk& desk) {
  std::string all;
  for (int round = 0; round < 20; ++round) {
    const TreeEdits found = edits_by_tree(desk.look(), {});
    if (!found.document) break;
    for (const TextEdit& edit : found.edits) {
      int line = found.document->lines().line_of(edit.range.begin);
      std::istringstream lines(edit.new_text);
      for (std::string text; std::getline(lines, text);)
        all += desk.name_of(*found.document) + std::to_string(++line) + "| " + text + "\n";
    }
    desk.apply(found);
  }
  const ChangedCalls left = desk.look();
  for (const CallsInDocument& in : left.documents) {
    for (const FoundCall& found : in.calls) {
      if (!found.has_to_follow) continue;
      const ByteRange& range = found.call.range;
      all += (found.is_certain ? "? " : "?? ") + desk.name_of(*in.document) +
             std::to_string(in.document->lines().line_of(range.begin) + 1) + ": " +
             in.document->text().substr(range.begin, range.size()) + "\n";
    }
  }
  return all + left.note() + "\n";
}

class CallsInEachLanguage : public testing::TestWithParam<fs::path> {};

TEST_P(CallsInEachLanguage, FollowTheParameters) {
  expect_cases(GetParam(), [&](const FileCase& each) {
    Desk desk(each.given, GetParam().stem());
    return described(desk);
  });
}

INSTANTIATE_TEST_SUITE_P(Calls, CallsInEachLanguage,
                         testing::ValuesIn(case_files(REDRAFT_CALL_CASES)),
                         [](const auto& file) { return file.param.stem().string(); });

// A file with a call is opened after the parameters were swapped; it was written an hour before or
// after that.
std::string lines_changed_in_file_of(std::chrono::hours later) {
  const TempFolder folder;
  OpenDocuments documents;
  const std::string home = "file://" + (folder / "a.py").string();
  EXPECT_TRUE(documents.open(home, 1, "def load(path, mode): pass\n", "python"));
  EXPECT_TRUE(documents.change(home, 2, {{{9, 19}, "mode, path"}}));
  const std::string text = "from a import load\nload(1, 2)\n";
  folder.write("b.py", text);
  const fs::path file = folder / "b.py";
  fs::last_write_time(file, fs::last_write_time(file) + later);
  EXPECT_TRUE(documents.open("file://" + file.string(), 1, text, "python"));
  std::vector<DocumentOrigin> origins;
  const auto all = documents.from(home);
  for (const auto& document : all) origins.push_back(documents.origin_of(document));
  const TreeEdits found = edits_by_tree(find_changed_calls(all, origins), {});
  return found.document ? found.edits.front().new_text : "";
}

TEST(Calls, CallsWrittenSinceTheChangeAreAcceptedAsTheyAre) {
  EXPECT_EQ(lines_changed_in_file_of(std::chrono::hours(-1)), "load(2, 1)\n");
  EXPECT_EQ(lines_changed_in_file_of(std::chrono::hours(1)), "");
}

// What the model writes for the call of line 3.
CallVerdict written(const std::string& line) {
  const std::string text =
      "def load(path, mode): pass\ndef other(x): pass\nx = load(name)\ndef f(load): load(1)\n";
  OpenDocuments documents;
  EXPECT_TRUE(documents.open("file:///a.py", 1, text, "python"));
  EXPECT_TRUE(
      documents.open("file:///a.py", 1, "def load(path): pass\n" + text.substr(27), "python"));
  EXPECT_TRUE(documents.change("file:///a.py", 2, {{{13, 13}, ", mode"}}));
  const auto document = documents.find("file:///a.py");
  const ChangedCalls changed = find_changed_calls({document}, {documents.origin_of(document)});
  EXPECT_EQ(changed.functions.size(), 1U);
  const LineIndex& lines = document->lines();
  const int at = line.starts_with("def f") ? 3 : 2;
  return verdict_on(changed, *document, {{lines.start(at), lines.start(at + 1)}, line});
}

TEST(CallVerdicts, ACallMayTakeWhatItLacks) {
  EXPECT_EQ(written("x = load(name, 'r')\n"), CallVerdict::kSound);
  EXPECT_EQ(written("x = load(name, mode=other(name))\n"), CallVerdict::kSound);
  EXPECT_EQ(written("x = load(\n    name, 'r')\n"), CallVerdict::kSound);
}

TEST(CallVerdicts, AndNothingElse) {
  EXPECT_EQ(written("x = load(other, 'r')\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load('r', name)\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load(name, 'r', 1)\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load(name, size=1)\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("y = load(name, 'r')\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load(name, )\ny = 1\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load(name, 'r'\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = name\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("  x = load(name, 'r')\n"), CallVerdict::kUnsound);
  EXPECT_EQ(written("x = load(name, mode)\n"), CallVerdict::kUnsound) << "no such name there";
  EXPECT_EQ(written("def f(load): load(1, mode)\n"), CallVerdict::kUnsound) << "another's call";
}

TEST(CallVerdicts, OtherLinesHaveNoVerdict) {
  EXPECT_EQ(written("x = load(name)  # so\n"), CallVerdict::kNothing);
  EXPECT_EQ(written("def f(load): load(2)\n"), CallVerdict::kNothing) << "another's call";
}

}  // namespace
}  // namespace redraft
