#include "workspace/edit/carried_out.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <vector>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/syntax_tree.h"
#include "text/strings/names.h"
#include "workspace/edit/instruction.h"

namespace redraft {
namespace {

constexpr std::size_t kLongestInstruction = 300;

using Match = std::match_results<std::string_view::const_iterator>;
using Names = std::vector<std::string>;

std::optional<Match> matched(std::string_view text, const std::regex& expression) {
  Match match;
  if (!std::regex_search(text.begin(), text.end(), match, expression)) return std::nullopt;
  return match;
}

// Words that are names of code for certain: quoted, called, with "_" or a capital letter within.
Names names_in(std::string_view words) {
  static const std::regex kName(
      "[`'\"]([A-Za-z_$][\\w$]*)(?:\\(\\))?[`'\"]|([A-Za-z_$][\\w$]*)(\\(\\))?",
      std::regex::optimize);
  Names names;
  using Iterator = std::regex_iterator<std::string_view::const_iterator>;
  for (Iterator at(words.begin(), words.end(), kName); at != Iterator(); ++at) {
    const std::string quoted = (*at)[1], word = (*at)[2];
    const bool looks_like_code =
        (*at)[3].matched || word.find('_') != word.npos ||
        std::ranges::any_of(word.substr(std::min<std::size_t>(word.size(), 1)),
                            [](unsigned char c) { return std::isupper(c) != 0; });
    if (!quoted.empty()) names.push_back(quoted);
    if (looks_like_code) names.push_back(word);
  }
  return names;
}

std::string listed(const Names& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : " and ";
    list += "'" + names[i] + "'";
  }
  return list;
}

std::string absent(const Names& names) {
  return listed(names) + (names.size() == 1 ? " does" : " do") + " not occur in the file";
}

bool occurs_any(std::string_view text, const Names& names) {
  return std::ranges::any_of(names, [&](const std::string& name) { return has_name(text, name); });
}

std::string why_removed(std::string_view text, std::string_view instruction) {
  static const std::regex kRemoval("^\\s*(?:please\\s+)?(?:remove|delete|drop|get rid of)\\s+(.*)$",
                                   std::regex::icase | std::regex::optimize);
  static const std::regex kMore(
      "\\b(?:add|replace|instead|with|use|put|move|write|unless|from|in)\\b",
      std::regex::icase | std::regex::optimize);
  const auto match = matched(instruction, kRemoval);
  if (!match || matched(instruction, kMore)) return {};
  const Names names = names_in((*match)[1].str());
  return names.empty() || occurs_any(text, names) ? std::string() : absent(names);
}

std::string why_replaced(std::string_view text, std::string_view instruction) {
  Names old_names, new_names;
  for (const RenameWish& wish : renames_in(instruction)) {
    old_names.push_back(wish.from);
    new_names.push_back(wish.to);
  }
  const bool has_all =
      std::ranges::all_of(new_names, [&](const std::string& name) { return has_name(text, name); });
  if (old_names.empty() || !has_all || occurs_any(text, old_names)) return {};
  return absent(old_names) + ", " + listed(new_names) + (new_names.size() == 1 ? " does" : " do");
}

std::string why_imported(const Document& document, std::string_view instruction) {
  static const std::regex kImport(
      "^\\s*(?:please\\s+)?(?:add\\s+(?:an?|the)\\s+(?:missing\\s+)?import\\s+(?:of|for)|import)"
      "\\s+"
      "[`'\"]?([A-Za-z_$][\\w$]*)[`'\"]?[\\s.!]*$",
      std::regex::icase | std::regex::optimize);
  const auto match = matched(instruction, kImport);
  const SyntaxTree* const tree = match ? document.syntax() : nullptr;
  if (tree == nullptr) return {};
  const std::string name = (*match)[1];
  const bool is_there = std::ranges::any_of(tree->imports().all, [&](const Import& import) {
    const std::string_view text = document.text();
    return !import.in_function && import.is_direct &&
           has_name(text.substr(import.range.begin, import.range.size()), name);
  });
  return is_there ? "the file already imports '" + name + "'" : std::string();
}

}  // namespace

std::string why_carried_out(const Document& document, std::string_view instruction) {
  if (instruction.size() > kLongestInstruction) return {};
  std::string why = why_removed(document.text(), instruction);
  if (why.empty()) why = why_replaced(document.text(), instruction);
  if (why.empty()) why = why_imported(document, instruction);
  return why;
}

}  // namespace redraft
