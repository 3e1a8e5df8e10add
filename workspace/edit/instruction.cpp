#include "workspace/edit/instruction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <utility>

#include "text/strings/names.h"

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
    if (from != to && !known && replacements.size() < kMaxReplacements && has_name(text, from))
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

namespace {

RenameWish::What what_is_meant(std::string_view words) {
  using What = RenameWish::What;
  constexpr auto kKinds =
      std::to_array<std::pair<std::string_view, What>>({{"parameter", What::kParameter},
                                                        {"argument", What::kParameter},
                                                        {"param", What::kParameter},
                                                        {"method", What::kMember},
                                                        {"field", What::kMember},
                                                        {"attribute", What::kMember},
                                                        {"property", What::kMember},
                                                        {"member", What::kMember},
                                                        {"function", What::kFunction},
                                                        {"class", What::kType},
                                                        {"struct", What::kType},
                                                        {"type", What::kType},
                                                        {"interface", What::kType},
                                                        {"enum", What::kType},
                                                        {"variable", What::kVariable},
                                                        {"local", What::kVariable}});
  std::string lower(words);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto found =
      std::ranges::find_if(kKinds, [&](const auto& kind) { return has_name(lower, kind.first); });
  return found == kKinds.end() ? RenameWish::What::kAnything : found->second;
}

// Of "rename a to b and c to d" the second part has the verb of the first, which is `before`.
std::optional<RenameWish> rename_in(std::string_view part, const RenameWish* before) {
  static const std::string kWhat =
      "((?:(?:the|this|a|an|all|every|local|global|private|public|class|instance|variable|constant|"
      "function|method|struct|type|interface|enum|field|attribute|property|member|name|parameter|"
      "param|argument|identifier|symbol|calls|uses|occurrences|of)\\s+)*)";
  static const std::string kPath =
      "[`'\"]?((?:[A-Za-z_$][A-Za-z0-9_$]{0,63}(?:\\.|::|->))*)"
      "([A-Za-z_$][A-Za-z0-9_$]{0,63})(?:\\(\\))?[`'\"]?";
  static const std::string kAfter =
      "((?:\\s+(?:variable|constant|function|method|class|struct|type|field|attribute|property|"
      "member|parameter|argument))?)";
  static const std::string kEverywhere =
      "(?:,?\\s+(?:everywhere|throughout|throughout (?:the|this) "
      "(?:file|function|method|class|module)|in (?:the|this) "
      "(?:file|function|method|class|module)))?[\\s.!]*";
  static const std::regex kRename(
      "\\s*(?:please\\s+)?(?:(renam(?:e|ing)|change the name of|change name of)|"
      "(replace|change|substitute))?\\s*" +
          kWhat + kPath + kAfter + "\\s*(\\b(?:to|with|by|into|as)\\b|->|=>|→)\\s*" + kWhat +
          kPath + kAfter + kEverywhere,
      std::regex::icase | std::regex::optimize);
  std::match_results<std::string_view::const_iterator> match;
  if (!std::regex_match(part.begin(), part.end(), match, kRename)) return std::nullopt;
  const bool has_arrow = !std::isalpha(static_cast<unsigned char>(match[7].str().front()));
  const bool has_verb = match[1].matched || match[2].matched;
  if (!has_verb && !has_arrow && before == nullptr) return std::nullopt;
  RenameWish wish{.from = match[5], .to = match[10]};
  if (wish.from == wish.to) return std::nullopt;
  wish.says_so = match[1].matched || (!has_verb && before != nullptr && before->says_so);
  wish.what = what_is_meant(match[3].str() + " " + match[6].str());
  std::string path = match[4];
  while (!path.empty() && std::string_view(".:->").find(path.back()) != std::string::npos)
    path.pop_back();
  wish.owner = path.substr(path.find_last_of(".:>") + 1);  // npos + 1 is 0
  return wish;
}

}  // namespace

std::vector<RenameWish> renames_in(std::string_view words) {
  static const std::regex kBetween("\\s*(?:[,;]\\s*(?:and\\s+|then\\s+)?|\\s+and\\s+)",
                                   std::regex::icase | std::regex::optimize);
  constexpr std::size_t kLongest = 500;
  if (words.size() > kLongest) return {};
  std::string instruction;  // with single spaces: else an expression has many ways to read them
  for (const char byte : words) {
    const bool is_space = std::isspace(static_cast<unsigned char>(byte)) != 0;
    if (!is_space || !instruction.ends_with(' ')) instruction += is_space ? ' ' : byte;
  }
  std::vector<RenameWish> wishes;
  using Parts = std::regex_token_iterator<std::string::const_iterator>;
  for (Parts part(instruction.begin(), instruction.end(), kBetween, -1); part != Parts(); ++part) {
    const std::string_view one(part->first, part->second);
    const auto wish = rename_in(one, wishes.empty() ? nullptr : &wishes.back());
    if (!wish) return {};
    wishes.push_back(*wish);
  }
  return wishes;
}

}  // namespace redraft
