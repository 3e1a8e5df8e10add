#include "workspace/edit/region_to_add_to.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "text/strings/names.h"
#include "text/strings/word_list.h"
#include "workspace/documents/cursor_region.h"

namespace redraft {
namespace {

constexpr std::string_view kAdding =
    "add adds adding insert introduce create define declare support handle implement append "
    "extend need needs give offer provide include put";
// Ends what the verb adds: "add logging to the case".
constexpr std::string_view kEnds =
    "to in into for of that which when if so with from on at by because where as using and then "
    "before after inside around per";

// The words of parts, those in the plural as well.
struct PartWords {
  AddedPart part;
  std::string_view words;
};
constexpr PartWords kParts[] = {
    {AddedPart::kCase, "case branch variant enumerator arm clause alternative"},
    {AddedPart::kOption, "option flag subcommand argparse cli"},
    {AddedPart::kField, "field member property attribute column slot"},
    {AddedPart::kMethod, "method getter setter accessor"},
    {AddedPart::kEntry, "entry item element key mapping row"},
    {AddedPart::kParameter, "parameter argument param arg"},
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (is_name_byte(c)) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (!word.empty()) words.push_back(std::exchange(word, {}));
    const bool ends = std::string_view(".,;:!?").find(c) != std::string_view::npos;
    if (ends) words.emplace_back(1, c);
  }
  return words;
}

std::optional<AddedPart> part_of(const std::string& word) {
  std::string singular = word;
  if (singular.ends_with("ies")) {
    singular.replace(singular.size() - 3, 3, "y");
  } else if (singular.ends_with('s') && !singular.ends_with("ss")) {
    singular.pop_back();
  }
  for (const PartWords& one : kParts) {
    if (has_word(one.words, word) || has_word(one.words, singular)) return one.part;
    if (has_word(one.words, "branch") && word == "branches") return one.part;
  }
  return std::nullopt;
}

// "handle the case where it is empty", "a test case": nothing that a switch has.
bool is_about_input(const std::vector<std::string>& words, std::size_t at) {
  constexpr std::string_view kBefore = "test edge use corner special base";
  const bool is_told = at + 1 < words.size() && has_word("where when that if in", words[at + 1]);
  return is_told || has_word(kBefore, words[at - 1]);
}

// "--quiet", which only a program's options are called.
bool names_option(std::string_view instruction) {
  const std::size_t at = instruction.find("--");
  return at != instruction.npos && at + 2 < instruction.size() &&
         std::isalpha(static_cast<unsigned char>(instruction[at + 2])) != 0;
}

std::optional<ByteRange> smallest_with(const RegionChain& chain, const ByteRange& lines) {
  for (const Region& region : chain.regions) {
    if (region.range.begin <= lines.begin && lines.end <= region.range.end) return region.range;
  }
  return std::nullopt;
}

}  // namespace

std::optional<AddedPart> added_part(std::string_view instruction) {
  const std::vector<std::string> words = words_of(instruction);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!has_word(kAdding, words[i])) continue;
    std::optional<AddedPart> part;
    // The last word of what is added says what that is: "a field argument".
    for (std::size_t j = i + 1; j < words.size(); ++j) {
      const bool is_mark = std::ispunct(static_cast<unsigned char>(words[j].front())) != 0;
      if (is_mark || has_word(kEnds, words[j])) break;
      const auto found = part_of(words[j]);
      if (found && !(*found == AddedPart::kCase && is_about_input(words, j))) part = found;
    }
    if (part && *part == AddedPart::kParameter && names_option(instruction))
      return AddedPart::kOption;
    if (part) return part;
    if (names_option(instruction)) return AddedPart::kOption;
  }
  return std::nullopt;
}

std::optional<ByteRange> region_to_add_to(const Document& document, std::size_t cursor,
                                          const ByteRange& region, std::string_view instruction,
                                          std::size_t max_bytes) {
  const std::optional<AddedPart> part = added_part(instruction);
  const SyntaxTree* const tree = part ? document.syntax() : nullptr;
  if (tree == nullptr) return std::nullopt;
  std::optional<ByteRange> lines = tree->container_around(cursor, *part);
  // A flag may be a parameter, a parameter one of the program.
  if (!lines && *part == AddedPart::kOption)
    lines = tree->container_around(cursor, AddedPart::kParameter);
  if (!lines) return std::nullopt;
  const ByteRange both{std::min(lines->begin, region.begin), std::max(lines->end, region.end)};
  const RegionChain chain = regions_at(document, {cursor, cursor}, max_bytes);
  std::optional<ByteRange> found = smallest_with(chain, both);
  // A part of a large function.
  if (!found || found->size() > max_bytes) found = both;
  if (found->size() > max_bytes) found = lines;
  if (found->size() > max_bytes || *found == region) return std::nullopt;
  return found;
}

}  // namespace redraft
