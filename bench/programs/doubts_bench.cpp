// How often the change of a commit is doubted where there is no syntax tree, and how often a
// damaged one is. The file's language is not told. The damages: an answer that ends too early, a
// third of the lines left out, a third replaced by a line that stands for it, a definition written
// twice.
//   doubts_bench FILE... [--show]     FILE has commits, one JSON object per line
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "text/strings/blank_text.h"
#include "text/strings/joined.h"
#include "text/strings/lines.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/head_line.h"
#include "workspace/edit/line_blocks.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMinLines = 12;  // of an answer that is damaged

struct Commit {
  std::string language, instruction, before, after;  // no language: lines
  std::size_t first = 0, end = 0;                    // lines of `after` that the answer has
  std::size_t old_first = 0, old_end = 0;
};

Lines lines_of(const std::string& text) {
  Lines lines;
  for (const std::string_view line : split_lines(text)) lines.emplace_back(line);
  return lines;
}

std::optional<Commit> read(const nlohmann::json& record, bool has_language) {
  Commit commit{.language = has_language ? record["language"].get<std::string>() : std::string(),
                .instruction = record["instruction"],
                .before = {},
                .after = {}};
  const bool has_region = record["region"].is_object();
  if (record["before"].is_string()) {
    commit.before = record["before"];
    commit.after = record["after"];
    commit.end = lines_of(commit.after).size();
    commit.old_end = lines_of(commit.before).size();
    if (has_region) {
      commit.first = commit.old_first =
          record["region"]["before_first_line"].get<std::size_t>() - 1;
      const std::size_t last = record["region"]["before_last_line"];
      const std::size_t below = commit.old_end - std::min(last, commit.old_end);
      commit.old_end -= below;
      commit.end -= below;
    }
  } else if (has_region) {
    commit.before = record["region"]["before"];
    commit.after = record["region"]["after"];
    commit.end = lines_of(commit.after).size();
    commit.old_end = lines_of(commit.before).size();
  } else {
    return std::nullopt;
  }
  return commit;
}

bool has_tree(const Commit& commit) {
  const auto before = Document::make("file:///lines", 1, commit.before, commit.language);
  return before && (*before)->syntax() != nullptr;
}

std::vector<Doubt> doubts(const Commit& commit, const std::string& after) {
  const auto before = Document::make("file:///lines", 1, commit.before, commit.language);
  const auto now = Document::make("file:///lines", 2, after, commit.language);
  if (!before || !now) return {};
  const EditRegion old_file = *EditRegion::make(*before, EditScope::kFile, {});
  const EditRegion new_file = *EditRegion::make(*now, EditScope::kFile, {});
  std::vector<Hunk> hunks;
  for (const LineChange& change : diff_lines(old_file.lines(), new_file.lines()))
    hunks.push_back({static_cast<int>(hunks.size()), old_file.edit(change), {}});
  const LineIndex& index = (*before)->lines();
  const ByteRange region{index.start(static_cast<int>(commit.old_first)),
                         index.start(static_cast<int>(commit.old_end))};
  return doubts_about(**before, commit.instruction, hunks, {region});
}

// The lines [first, end) of the answer, replaced.
std::string with(const Lines& lines, std::size_t first, std::size_t end, const Lines& others) {
  Lines all(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first));
  all.insert(all.end(), others.begin(), others.end());
  all.insert(all.end(), lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end());
  return text_of_lines(all);
}

std::map<std::string, std::string> damaged(const Commit& commit, std::mt19937& random) {
  static const Lines kStandIns = {
      "// ... existing code ...",   "...", "# rest of the code", "<!-- rest -->", "/* ... */",
      "// remaining code unchanged"};
  const Lines lines = lines_of(commit.after);
  std::map<std::string, std::string> texts;
  const std::size_t n = commit.end - commit.first;
  if (n < kMinLines) return texts;
  const std::size_t cut = commit.first + n * (40 + random() % 40) / 100;
  texts["ends too early"] = with(lines, cut, commit.end, {});
  const std::size_t third = commit.first + random() % (n - n / 3);
  texts["a third left out"] = with(lines, third, third + n / 3, {});
  texts["stands for a third"] =
      with(lines, third, third + n / 3, {kStandIns[random() % kStandIns.size()]});
  const std::vector<std::string_view> views(lines.begin(), lines.end());
  std::vector<LineBlock> blocks = line_blocks(views, 1500);
  std::erase_if(blocks, [&](const LineBlock& block) {
    const auto first = static_cast<std::size_t>(block.lines.first);
    const auto end = static_cast<std::size_t>(block.lines.last);
    return first < commit.first || end > commit.end ||
           declared_name(lines[static_cast<std::size_t>(block.header)]).empty();
  });
  if (blocks.empty()) return texts;
  const LineWindow twice = blocks[random() % blocks.size()].lines;
  Lines copy = {""};
  copy.insert(copy.end(), lines.begin() + twice.first, lines.begin() + twice.last);
  const auto end = static_cast<std::size_t>(twice.last);
  texts["defined twice"] = with(lines, end, end, copy);
  return texts;
}

struct Share {
  int doubted = 0, all = 0;
  std::map<Doubt::Kind, int> kinds;
};

void count(const std::vector<Doubt>& doubts, Share& share) {
  ++share.all;
  share.doubted += doubts.empty() ? 0 : 1;
  for (const Doubt& doubt : doubts) ++share.kinds[doubt.kind];
}

int run(const std::vector<std::string>& files, bool has_trees, bool shows) {
  std::map<std::string, Share> shares;
  int n_trees = 0;
  std::mt19937 random(1);
  for (const std::string& file : files) {
    std::ifstream stream(file);
    if (!stream) return std::fprintf(stderr, "cannot read %s\n", file.c_str()), 1;
    for (std::string line; std::getline(stream, line);) {
      const nlohmann::json record = nlohmann::json::parse(line);
      const std::optional<Commit> commit = read(record, has_trees);
      if (!commit) continue;
      n_trees += has_tree(*commit) ? 1 : 0;
      const std::vector<Doubt> found = doubts(*commit, commit->after);
      count(found, shares["correct"]);
      if (shows && !found.empty())
        std::printf("%s: %s\n    %s\n", record["id"].get<std::string>().c_str(),
                    record["subject"].get<std::string>().c_str(), reasons_of(found).c_str());
      for (const auto& [damage, text] : damaged(*commit, random))
        count(doubts(*commit, text), shares[damage]);
    }
  }
  std::printf("commits with a syntax tree: %d\n", n_trees);
  for (const auto& [name, share] : shares) {
    std::printf("%-20s %4d of %4d  %5.1f %%  kinds:", name.c_str(), share.doubted, share.all,
                100.0 * share.doubted / std::max(share.all, 1));
    for (const auto& [kind, n] : share.kinds) std::printf(" %d:%d", static_cast<int>(kind), n);
    std::printf("\n");
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  std::vector<std::string> files(argv + 1, argv + argc);
  const bool shows = std::erase(files, "--show") > 0;
  const bool has_trees = std::erase(files, "--trees") > 0;
  if (files.empty())
    return std::fprintf(stderr, "usage: doubts_bench FILE... [--trees] [--show]\n"), 2;
  return redraft::run(files, has_trees, shows);
}
