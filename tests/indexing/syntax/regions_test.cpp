// What a cursor stands for, at every line of one small file in each language, and what holds at
// every line of any file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/tree_cursor.h"
#include "languages/languages.h"
#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> starts{0};
  for (std::size_t at = 0; (at = text.find('\n', at)) != text.npos;) starts.push_back(++at);
  return starts;
}

// A file in tests/cases/regions: each line has the region of a cursor there, as its name and its
// lines, before the "| " that begins the line of the source. The first line has the size that a
// region may have. REDRAFT_UPDATE_CASES=1 writes the regions anew.
struct RegionCase {
  std::string language;
  fs::path file;
  std::size_t max_bytes = 0;
  std::string text;
  std::vector<std::string> expected;

  explicit RegionCase(const fs::path& path) : language(path.stem()), file(path) {
    std::istringstream lines(read(path));
    std::string line;
    std::getline(lines, line);
    max_bytes = std::stoul(line);
    while (std::getline(lines, line)) {
      const std::size_t bar = line.find('|');
      expected.push_back(line.substr(0, line.find_last_not_of(' ', bar - 1) + 1));
      text += line.substr(std::min(bar + 2, line.size())) + "\n";
    }
  }
};

std::vector<fs::path> case_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(REDRAFT_REGION_CASES))
    if (entry.path().extension() == ".regions") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// "method f 3-5"; a place between two lines has the number of the line that it is before.
std::string describe(std::string_view text, const Region& region) {
  const auto line = [&](std::size_t offset) {
    return std::to_string(1 + std::ranges::count(text.substr(0, offset), '\n'));
  };
  const std::string first = line(region.range.begin);
  if (region.range.empty()) return region.name + " " + first;
  return region.name + " " + first + "-" + line(region.range.end - 1);
}

std::string first_token(const SyntaxTree& tree, std::size_t begin, std::size_t max_bytes) {
  const std::size_t at = std::min(skip_blanks(tree.text(), begin), line_end(tree.text(), begin));
  return describe(tree.text(), tree.regions_around(at, max_bytes).region());
}

void update(const RegionCase& sample, const SyntaxTree& tree) {
  std::ofstream out(sample.file, std::ios::binary);
  out << sample.max_bytes << "\n";
  std::istringstream lines(sample.text);
  std::string line;
  for (const std::size_t start : line_starts(sample.text)) {
    if (!std::getline(lines, line)) break;
    std::string region = first_token(tree, start, sample.max_bytes);
    region.resize(std::max<std::size_t>(region.size(), 40), ' ');
    out << region << (line.empty() ? "|" : "| ") << line << "\n";
  }
}

class EachLine : public testing::TestWithParam<fs::path> {};

TEST_P(EachLine, HasItsRegion) {
  const RegionCase sample(GetParam());
  const SyntaxTree tree = parse(sample.text, sample.language);
  EXPECT_FALSE(tree.has_errors());
  if (std::getenv("REDRAFT_UPDATE_CASES") != nullptr) return update(sample, tree);
  const std::vector<std::size_t> starts = line_starts(sample.text);
  for (std::size_t i = 0; i < sample.expected.size(); ++i) {
    EXPECT_EQ(first_token(tree, starts[i], sample.max_bytes), sample.expected[i])
        << sample.language << ":" << i + 1;
  }
}

INSTANTIATE_TEST_SUITE_P(Regions, EachLine, testing::ValuesIn(case_files()),
                         [](const auto& file) { return file.param.stem().string(); });

TEST(Regions, AreTestedInEachLanguage) {
  std::vector<std::string> tested, known;
  for (const fs::path& file : case_files()) tested.push_back(file.stem());
  for (const Language* language : languages()) {
    if (language->has_grammar()) known.emplace_back(language->id());
  }
  EXPECT_THAT(tested, testing::UnorderedElementsAreArray(known));
}

// Each of the two fits, both together do not.
TEST(Regions, OfAFunctionAndALongCommentAreTwo) {
  const std::string text =
      "# What it does, at length.\n"
      "# And why it does it so.\n"
      "def f(a):\n"
      "    b = a + 1\n"
      "    return b\n";
  const SyntaxTree tree = parse(text, "python");
  const auto region_at = [&](std::string_view place, std::size_t max_bytes) {
    return describe(text, tree.regions_around(text.find(place), max_bytes).region());
  };
  EXPECT_EQ(region_at("return", 60), "function f 3-5");
  EXPECT_EQ(region_at("return", text.size()), "function f 1-5");
  EXPECT_EQ(region_at("What", 60), "comment 1-2");
}

bool is_whole_lines(std::string_view text, const ByteRange& range) {
  const bool ends = range.end == text.size() || range.end == 0 || text[range.end - 1] == '\n';
  return ends && (range.begin == 0 || text[range.begin - 1] == '\n');
}

// Where the text of `range` begins and ends, without the blanks around.
ByteRange content(std::string_view text, const ByteRange& range) {
  const std::size_t begin = std::min(skip_space(text, range.begin), range.end);
  return {begin, without_space(text, {begin, range.end})};
}

// The parsed text, as tree-sitter has it.
class RawTree {
 public:
  RawTree(const std::string& text, std::string_view language) : text_(text) {
    ts_parser_set_language(parser_.get(), find_grammar(language)->parser);
    tree_.reset(ts_parser_parse_string(parser_.get(), nullptr, text.data(),
                                       static_cast<std::uint32_t>(text.size())));
  }

  // The node that has a part of `range` but not all of it, and something else; empty: there is
  // none.
  std::string cut_by(const ByteRange& range) const {
    const ByteRange within = content(text_, range);
    if (within.empty()) return {};
    for (const std::size_t place : {within.begin, within.end - 1}) {
      TreeCursor cursor(ts_tree_root_node(tree_.get()));
      cursor.descend_to(place);
      for (const TSNode& node : cursor.path()) {
        const ByteRange all = content(text_, range_of(node));
        const bool inside = within.begin <= all.begin && all.end <= within.end;
        const bool around = all.begin <= within.begin && within.end <= line_end(text_, all.end);
        if (!inside && !around) return std::string(type_of(node));
      }
    }
    return {};
  }

 private:
  struct Delete {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
  };
  std::string_view text_;
  std::unique_ptr<TSParser, Delete> parser_{ts_parser_new()};
  std::unique_ptr<TSTree, Delete> tree_;
};

// What holds for a cursor anywhere; empty, or what does not.
std::string fault_at(const SyntaxTree& tree, const RawTree& raw, std::size_t offset,
                     std::size_t max_bytes) {
  const std::string_view text = tree.text();
  const RegionChain chain = tree.regions_around(offset, max_bytes);
  if (chain.chosen >= chain.regions.size()) return "nothing is chosen";
  const ByteRange chosen = chain.region().range;
  const std::string_view chosen_text = text.substr(chosen.begin, chosen.size());
  if (chosen.size() > max_bytes && std::ranges::count(chosen_text, '\n') > 1) return "too large";
  if (chain.regions.back().range != ByteRange{0, text.size()}) return "the widest is not the file";
  for (std::size_t i = 0; i < chain.regions.size(); ++i) {
    const Region& region = chain.regions[i];
    const ByteRange& range = region.range;
    const std::string name = describe(text, region) + " ";
    if (region.name.empty()) return name + "has no name";
    if (!is_whole_lines(text, range)) return name + "has a part of a line";
    if (range.begin > line_end(text, offset) || range.end < line_start(text, offset))
      return name + "does not touch the cursor";
    if (i > 0) {
      const ByteRange& inner = chain.regions[i - 1].range;
      if (range.begin > inner.begin || range.end < inner.end || range == inner)
        return name + "does not widen " + describe(text, chain.regions[i - 1]);
    }
    if (region.kind == RegionKind::kPart) continue;
    if (const std::string node = raw.cut_by(range); !node.empty()) return name + "cuts a " + node;
  }
  return {};
}

// Checks a cursor at the beginning, on the first token, in the middle and at the end of each line.
void check_every_line(const std::string& text, const std::string& language,
                      const std::string& name) {
  const std::optional<SyntaxTree> tree = try_parse(text, language);
  ASSERT_TRUE(tree) << name;
  const RawTree raw(text, language);
  int n_faults = 0;
  for (const std::size_t start : line_starts(text)) {
    const std::size_t end = line_end(text, start);
    for (const std::size_t at :
         {start, std::min(skip_blanks(text, start), end), (start + end) / 2, end}) {
      for (const std::size_t max_bytes : {std::size_t{200}, std::size_t{1500}}) {
        const std::string fault = fault_at(*tree, raw, at, max_bytes);
        if (fault.empty()) continue;
        ADD_FAILURE() << name << ":" << 1 + std::ranges::count(text.substr(0, at), '\n') << " at "
                      << at << ", " << max_bytes << " bytes: " << fault;
        if (++n_faults == 5) return;
      }
    }
  }
}

TEST_P(EachLine, OfASampleHasAWholeRegion) {
  const RegionCase sample(GetParam());
  check_every_line(sample.text, sample.language, sample.language);
  std::string text = sample.text;
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\r');
  check_every_line(text, sample.language, sample.language + " with CRLF");
}

// Of real files: the sources of this project, and where REDRAFT_REGION_FILES names a folder, those
// in it.
TEST(Regions, OfEveryLineOfRealFilesAreWhole) {
  const std::map<std::string, std::string> languages = {
      {".py", "python"},    {".cpp", "cpp"},       {".h", "cpp"},         {".lua", "lua"},
      {".sh", "sh"},        {".ts", "typescript"}, {".js", "javascript"}, {".json", "json"},
      {".md", "markdown"},  {".kt", "kotlin"},     {".swift", "swift"},   {".zig", "zig"},
      {".tf", "terraform"}, {".vue", "vue"},       {".svelte", "svelte"}};
  std::vector<fs::path> folders;
  for (const char* folder :
       {"indexing/syntax", "cli/common", "lsp/features", "editors", "tools", "docs"})
    folders.push_back(fs::path(REDRAFT_SOURCES) / folder);
  if (const char* more = std::getenv("REDRAFT_REGION_FILES")) folders = {more};
  int n_files = 0;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto language = languages.find(entry.path().extension().string());
      if (!entry.is_regular_file() || language == languages.end()) continue;
      if (entry.path().string().find("node_modules") != std::string::npos) continue;
      const std::string text = read(entry.path());
      if (text.size() > 60000) continue;
      ++n_files;
      check_every_line(text, language->second, entry.path().string());
    }
  }
  EXPECT_GT(n_files, 3);
}

// Whatever the text: what is cut off, or of another language.
TEST(Regions, OfBrokenTextsAreWholeLinesAndBounded) {
  for (const Sample& sample : samples()) {
    const std::string text = MarkedText(sample.marked).text;
    for (std::size_t size = 0; size <= text.size(); size += 7) {
      for (const char* language : {sample.language, "python", "cpp"}) {
        const std::string cut = text.substr(0, size);
        const SyntaxTree tree = parse(cut, language);
        for (const std::size_t at : line_starts(cut)) {
          const RegionChain chain = tree.regions_around(at, 100);
          const ByteRange range = chain.region().range;
          ASSERT_TRUE(is_whole_lines(cut, range)) << sample.language << " " << size << " " << at;
          ASSERT_TRUE(range.size() <= 100 ||
                      std::ranges::count(cut.substr(range.begin, range.size()), '\n') <= 1)
              << sample.language << " " << size << " " << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace redraft
