#include "workspace/edit/allowed_loss.h"

#include <algorithm>
#include <utility>

#include "text/strings/lower_case.h"
#include "text/strings/names.h"

namespace redraft {
namespace {

using Words = std::string_view;

constexpr Words kRemoving[] = {"remove",  "delete", "drop",      "inline", "merge",
                               "combine", "move",   "eliminate", "rid",    "collapse",
                               "fold",    "unify",  "join",      "dedupe", "deduplicate"};
constexpr Words kObjectEnds[] = {"from",    "in", "inside", "for", "to",    "with", "at",   "on",
                                 "into",    "by", "that",   "of",  "which", "if",   "when", "where",
                                 "because", "so", "as",     ";",   ":",     ".",    "!",    "?",
                                 "(",       ")",  "using",  "via", "out",   "then"};
constexpr Words kDefinitions[] = {
    "function",  "functions",  "method",      "methods",      "class",     "classes",
    "struct",    "structs",    "type",        "types",        "interface", "interfaces",
    "enum",      "enums",      "definition",  "definitions",  "helper",    "helpers",
    "test",      "tests",      "getter",      "getters",      "setter",    "setters",
    "wrapper",   "wrappers",   "constructor", "constructors", "overload",  "overloads",
    "duplicate", "duplicates", "code",        "it",           "this",      "them",
    "these",     "those",      "all",         "everything",   "accessor",  "accessors"};
constexpr Words kBranches[] = {"branch", "branches", "case",     "cases", "block",
                               "clause", "body",     "fallback", "part",  "path"};
constexpr Words kRenaming[] = {"rename",     "renamed",    "name",        "names",   "call",
                               "called",     "convert",    "turn",        "split",   "extract",
                               "merge",      "move",       "replace",     "rewrite", "case",
                               "snake_case", "snake",      "camel",       "prefix",  "suffix",
                               "camelcase",  "underscore", "underscores", "private", "public",
                               "static",     "plural",     "singular",    "migrate", "change"};
// Words of an instruction that needs fewer lines, in addition to kRemoving.
constexpr Words kShortening[] = {
    "removes",        "removed",   "removing",    "removal",    "deletes",     "deleted",
    "deleting",       "dropped",   "drops",       "simplify",   "simplified",  "simplifies",
    "simplification", "shorten",   "shorter",     "reduce",     "clean",       "cleanup",
    "cleaned",        "cleans",    "refactor",    "refactored", "refactoring", "unused",
    "dead",           "obsolete",  "deprecated",  "replace",    "replaced",    "replaces",
    "rewrite",        "rewritten", "revert",      "reverts",    "strip",       "trim",
    "extract",        "extracted", "split",       "moved",      "moves",       "convert",
    "instead",        "without",   "only",        "avoid",      "duplicate",   "duplicated",
    "duplication",    "redundant", "unnecessary", "condense",   "compact",     "consolidate",
    "less",           "fewer",     "clear",       "empty",      "discard",     "disable",
    "modernize",      "migrate",   "switch",      "factor",     "generate",    "summarize",
    "truncate",       "hide",      "stop",        "derive"};

// The words of a text, and its commas and other marks as words of their own; quotes do not count.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && is_name_byte(text[i])) {
      word += text[i];
      continue;
    }
    if (!word.empty()) words.push_back(std::exchange(word, {}));
    if (i < text.size() && std::string_view(",;:.!?()").find(text[i]) != std::string_view::npos)
      words.emplace_back(1, text[i]);
  }
  return words;
}

template <typename Words>
bool is_among(const Words& words, const std::string& word) {
  return std::ranges::find(words, std::string_view(word)) != std::end(words);
}

}  // namespace

AllowedLoss::AllowedLoss(std::string_view instruction) : words_(words_of(instruction)) {
  for (const std::string& word : words_) lower_.push_back(lower_case(word));
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (!is_among(kRemoving, lower_[i])) continue;
    const bool rid_of = i + 1 < words_.size() && lower_[i + 1] == "of";
    take_object(i + (rid_of ? 2 : 1));
  }
}

bool AllowedLoss::to_lose_branch() const {
  return std::ranges::any_of(kBranches, [this](Words word) { return to_lose(std::string(word)); });
}

bool AllowedLoss::to_lose(const std::string& name) const {
  return loses_any_ || is_among(lost_, name);
}

bool AllowedLoss::to_rename(const std::string& name, const std::string& to) const {
  return to_lose(name) || is_among(words_, to) ||
         std::ranges::any_of(lower_,
                             [](const std::string& word) { return is_among(kRenaming, word); });
}

bool AllowedLoss::to_lose_lines() const {
  return std::ranges::any_of(lower_, [](const std::string& word) {
    return is_among(kRemoving, word) || is_among(kShortening, word);
  });
}

// "remove the unused helper function and run_twice from this class": what is removed are words
// up to the first preposition. The last one of each of its parts says what that is.
void AllowedLoss::take_object(std::size_t at) {
  for (; at < words_.size() && !is_among(kObjectEnds, lower_[at]); ++at) {
    lost_.push_back(words_[at]);
    const bool ends = at + 1 == words_.size() || lower_[at + 1] == "," || lower_[at + 1] == "and" ||
                      is_among(kObjectEnds, lower_[at + 1]);
    if (ends && is_among(kDefinitions, lower_[at])) loses_any_ = true;
  }
}

}  // namespace redraft
