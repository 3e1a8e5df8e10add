// How reliable the doubt about names is that nothing defines, on real commits of single files.
//   undefined_names_bench [--texts N] [--seed S] [--show] FILE.jsonl…
// A line of a file is an object with "id", "language", "before" and "after", the file's texts;
// those without texts are left out. Counted are, by language,
//   real:    commits whose own text gets such a doubt, which is wrong;
//   changed: N texts, in which one use of a name in the new lines has become that of a name that
//            nothing defines, and those of them that get such a doubt about it.
// The use is chosen at random among those by which the name alone stands for what the file declares
// or imports. --show prints each wrong doubt and each change without one.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {
namespace {

struct Commit {
  std::string id, language, instruction;
  std::shared_ptr<const Document> before;
  std::string after;
};

struct Counts {
  int commits = 0, wrong = 0, texts = 0, found = 0;
};

struct Options {
  int n_texts = 150;
  unsigned seed = 1;
  bool show = false;
  std::vector<std::string> files;
};

std::vector<Commit> read(const std::vector<std::string>& files) {
  std::vector<Commit> commits;
  for (const std::string& file : files) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
      const auto json = nlohmann::json::parse(line);
      if (!json["before"].is_string() || !json["after"].is_string()) continue;
      const std::string language = json["language"];
      auto document = Document::make("file:///a", 1, json["before"], language);
      if (!document || (*document)->syntax() == nullptr) continue;
      commits.push_back({json["id"], language, json.value("instruction", ""), *document,
                         json["after"].get<std::string>()});
    }
  }
  return commits;
}

std::vector<TextEdit> edits_to(const Commit& commit, const std::string& after) {
  const auto changed = Document::make("file:///b", 1, after, commit.language);
  const auto old_region = EditRegion::make(commit.before, EditScope::kFile, {});
  const auto new_region = EditRegion::make(*changed, EditScope::kFile, {});
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(old_region->lines(), new_region->lines()))
    edits.push_back(old_region->edit(change));
  return edits;
}

// The names that nothing defines, for people; empty: no such doubt.
std::string undefined_in(const Commit& commit, const std::string& after) {
  const SyntaxTree& before = *commit.before->syntax();
  const auto tree = before.edited(std::make_shared<const std::string>(after));
  if (!tree) return {};
  const std::vector<TextEdit> edits = edits_to(commit, after);
  std::string reasons;
  for (const Doubt& doubt : doubts_about({before, *tree, edits, commit.instruction})) {
    if (doubt.kind == Doubt::Kind::kUndefined)
      reasons += (reasons.empty() ? "" : "; ") + doubt.reason;
  }
  return reasons;
}

// The places in new lines where a name by itself stands for something that the file declares.
std::vector<ByteRange> changeable_uses(const Commit& commit) {
  const auto tree =
      SyntaxTree::parse(std::make_shared<const std::string>(commit.after), commit.language);
  std::vector<ByteRange> places;
  if (!tree) return places;
  const Imports imports = tree->imports();
  std::ptrdiff_t shift = 0;
  for (const TextEdit& edit : edits_to(commit, commit.after)) {
    const auto begin =
        static_cast<std::size_t>(static_cast<std::ptrdiff_t>(edit.range.begin) + shift);
    shift += std::ssize(edit.new_text) - static_cast<std::ptrdiff_t>(edit.range.size());
    for (const ByteRange& name : tree->identifiers({begin, begin + edit.new_text.size()})) {
      const bool is_import = std::ranges::any_of(
          imports.all, [&](const Import& import) { return import.range.contains(name); });
      const auto meanings =
          tree->meanings_of(std::string_view(commit.after).substr(name.begin, name.size()));
      if (is_import || !meanings) continue;
      for (const NamedThing& thing : meanings->things) {
        const bool is_use = thing.kind != NamedThing::Kind::kMember &&
                            std::ranges::any_of(thing.uses, [&](const NameUse& use) {
                              return use.range == name && !use.declares && use.doubt.empty();
                            });
        if (is_use) places.push_back(name);
      }
    }
  }
  return places;
}

// Another name of the same style: "other_size", "otherSize", "OtherSize", "OTHER_SIZE".
std::string other_name(std::string name) {
  const auto is = [](int (*test)(int), char c) { return test(static_cast<unsigned char>(c)) != 0; };
  const bool has_lower = std::ranges::any_of(name, [&](char c) { return is(std::islower, c); });
  const bool has_upper = std::ranges::any_of(name, [&](char c) { return is(std::isupper, c); });
  if (!has_lower) return "OTHER_" + name;
  if (is(std::isupper, name.front())) return "Other" + name;
  if (!has_upper) return "other_" + name;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return "other" + name;
}

std::string line_at(const std::string& text, std::size_t offset) {
  const std::size_t begin = line_start(text, offset);
  return text.substr(begin, line_end(text, offset) - begin);
}

void count_real(const std::vector<Commit>& commits, bool show, std::map<std::string, Counts>& all) {
  for (const Commit& commit : commits) {
    const std::string wrong = undefined_in(commit, commit.after);
    Counts& counts = all[commit.language];
    ++counts.commits;
    counts.wrong += wrong.empty() ? 0 : 1;
    if (show && !wrong.empty()) std::printf("real     %s: %s\n", commit.id.c_str(), wrong.c_str());
  }
}

// One use of each commit, then a second one of each, and so on. Those of one commit are all
// different.
void count_changed(const std::vector<Commit>& commits, const Options& options,
                   std::map<std::string, Counts>& all) {
  std::mt19937 random(options.seed);
  std::vector<std::vector<ByteRange>> uses;
  for (const Commit& commit : commits) {
    uses.push_back(changeable_uses(commit));
    std::shuffle(uses.back().begin(), uses.back().end(), random);
  }
  int n_texts = 0;
  for (std::size_t round = 0; n_texts < options.n_texts; ++round) {
    bool is_any = false;
    for (std::size_t i = 0; i < commits.size() && n_texts < options.n_texts; ++i) {
      if (uses[i].size() <= round) continue;
      is_any = true;
      ++n_texts;
      const ByteRange use = uses[i][round];
      const std::string name = other_name(commits[i].after.substr(use.begin, use.size()));
      std::string text = commits[i].after;
      text.replace(use.begin, use.size(), name);
      const bool is_found = undefined_in(commits[i], text).find(name) != std::string::npos;
      Counts& counts = all[commits[i].language];
      ++counts.texts;
      counts.found += is_found ? 1 : 0;
      if (options.show && !is_found)
        std::printf("changed  %s: %s\n", commits[i].id.c_str(), line_at(text, use.begin).c_str());
    }
    if (!is_any) return;
  }
}

std::optional<Options> parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--show") {
      options.show = true;
    } else if (argument.starts_with("--")) {
      if (++i == count) return std::nullopt;
      const int value = std::atoi(arguments[i]);
      if (argument == "--texts") options.n_texts = value;
      if (argument == "--seed") options.seed = static_cast<unsigned>(value);
      if (argument != "--texts" && argument != "--seed") return std::nullopt;
    } else {
      options.files.push_back(argument);
    }
  }
  return options.files.empty() ? std::nullopt : std::optional(options);
}

int run(const Options& options) {
  const std::vector<Commit> commits = read(options.files);
  if (commits.empty()) {
    std::fprintf(stderr, "undefined_names_bench: the files are not there or have no commits\n");
    return 1;
  }
  std::map<std::string, Counts> all;
  count_real(commits, options.show, all);
  count_changed(commits, options, all);
  std::printf("| language | commits | with a doubt | changed texts | with a doubt |\n");
  std::printf("|---|---|---|---|---|\n");
  Counts sum;
  const auto print = [](const std::string& name, const Counts& counts) {
    std::printf("| %s | %d | %d | %d | %d (%.0f %%) |\n", name.c_str(), counts.commits,
                counts.wrong, counts.texts, counts.found,
                100.0 * counts.found / std::max(counts.texts, 1));
  };
  for (const auto& [language, counts] : all) {
    print(language, counts);
    sum.commits += counts.commits;
    sum.wrong += counts.wrong;
    sum.texts += counts.texts;
    sum.found += counts.found;
  }
  print("all", sum);
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int count, char** arguments) {
  const auto options = redraft::parse(count, arguments);
  if (!options) {
    std::fprintf(stderr, "undefined_names_bench [--texts N] [--seed S] [--show] FILE.jsonl…\n");
    return 2;
  }
  return redraft::run(*options);
}
