#include "workspace/edit/instruction.h"

#include <algorithm>
#include <regex>

namespace redraft {
namespace {

constexpr std::size_t kLongestInstruction = 4096;  // bytes that are read
constexpr std::size_t kMaxReplacements = 16;

// A name, quoted or not, with what people write before and after it.
const std::string kName =
    "(?:(?:the|a|an|all|every|variable|function|method|class|field|name|parameter|argument|type|"
    "calls|uses|occurrences|of)\\s+)*"
    "[`'\"]?([A-Za-z_$][A-Za-z0-9_$]{0,63})(?:\\(\\))?[`'\"]?"
    "(?:\\s+(?:variable|function|method|class|field|parameter|argument|type|everywhere))*";

bool is_name_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x80 && std::isalnum(byte)) || c == '_' || c == '$' || byte >= 0x80;
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_name_byte(text[at - 1]);
    if (begins && (end == text.size() || !is_name_byte(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<Replacement> replacements_in(std::string_view instruction, std::string_view text) {
  static const std::regex kForward(
      kName + "\\s*(?:\\b(?:to|with|by|into|as)\\b|->|=>|→)\\s*" + kName,
      std::regex::icase | std::regex::optimize);
  static const std::regex kBackward(
      kName + "\\s+(?:instead of|rather than|in place of)\\s+" + kName,
      std::regex::icase | std::regex::optimize);
  static const std::regex kVerb("renam|replac|chang|convert|substitut|switch|migrat|turn|->|=>|→",
                                std::regex::icase);
  instruction = instruction.substr(0, kLongestInstruction);
  std::vector<Replacement> replacements;
  const auto add = [&](const std::string& from, const std::string& to) {
    const bool known = std::ranges::any_of(
        replacements, [&](const Replacement& other) { return other.from == from; });
    if (from != to && !known && replacements.size() < kMaxReplacements && has_word(text, from))
      replacements.push_back({from, to});
  };
  using Iterator = std::regex_iterator<std::string_view::const_iterator>;
  if (std::regex_search(instruction.begin(), instruction.end(), kVerb)) {  // not "add x to y"
    for (Iterator at(instruction.begin(), instruction.end(), kForward); at != Iterator(); ++at)
      add((*at)[1], (*at)[2]);
  }
  for (Iterator at(instruction.begin(), instruction.end(), kBackward); at != Iterator(); ++at)
    add((*at)[2], (*at)[1]);
  return replacements;
}

}  // namespace redraft
