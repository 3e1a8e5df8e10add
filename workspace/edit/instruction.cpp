#include "workspace/edit/instruction.h"

#include <algorithm>
#include <array>
#include <optional>
#include <regex>
#include <utility>

#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/word_list.h"

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

// "parameter of", "fields of": what follows is not what is renamed, but what has it. "uses of" and
// "the name of" are followed by what is renamed.
bool names_owner(std::string_view words) {
  static const std::regex kOwned(
      "(?:variable|constant|function|method|class|struct|type|interface|enum|field|attribute|"
      "property|member|parameter|param|argument)s? of\\s+$",
      std::regex::icase | std::regex::optimize);
  return std::regex_search(words.begin(), words.end(), kOwned);
}

// Whether `word`, of "rename `before` word `after` to …", is what one calls something without
// saying its name.
bool is_description(std::string_view word, std::string_view before, std::string_view after) {
  constexpr std::string_view kKinds =
                                 "variable constant function method class struct interface enum "
                                 "attribute property parameter "
                                 "param argument identifier",
                             kAlsoNames = "type field member symbol object instance name value key",
                             kPronouns =
                                 "it this that these those them they everything all anything both "
                                 "camelcase snake_case snakecase pascalcase uppercase lowercase",
                             kAdjectives =
                                 "loop index counter iterator inner outer first second third last "
                                 "next previous current old new main helper temporary temp unused "
                                 "local global result return output input callback";
  const std::string lower = lower_case(word);
  const std::string_view one(lower);
  const std::string_view singular = one.substr(0, one.size() - (one.ends_with('s') ? 1 : 0));
  static const std::regex kArticle("\\b(?:the|this|a|an|all|every)\\b", std::regex::icase);
  const bool has_article = std::regex_search(before.begin(), before.end(), kArticle);
  return has_word(kPronouns, one) || has_word(kKinds, singular) || one == "classes" ||
         one == "properties" || (has_article && has_word(kAlsoNames, singular)) ||
         (!after.empty() && has_word(kAdjectives, one));
}

const std::string kWhat =
    "((?:(?:the|this|a|an|all|every|local|global|private|public|class|instance|variable|constant|"
    "function|method|struct|type|interface|enum|field|attribute|property|member|name|parameter|"
    "param|argument|identifier|symbol|calls|uses|occurrences|of)\\s+)*)";
const std::string kQuote = "[`'\"]?";
const std::string kPath =
    "((?:[A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]{0,63}(?:\\.|::|->))*)"
    "([A-Za-z_$\x80-\xff][A-Za-z0-9_$\x80-\xff]{0,63})(?:\\(\\))?";
const std::string kAfter =
    "((?:\\s+(?:variable|constant|function|method|class|struct|type|field|attribute|property|"
    "member|parameter|argument))?)";
const std::string kTo = "\\s*(\\b(?:to|with|by|into|as)\\b|->|=>|→)\\s*";
const std::string kPart = "(?:whole |entire )?(?:file|function|method|class|module|document)";
const std::string kEverywhere =
    "(?:,?\\s+(?:here|everywhere|throughout|(?:everywhere in|throughout|in|across) (?:the|this) " +
    kPart + "))?[\\s.!]*";

using Match = std::match_results<std::string_view::const_iterator>;

// "self." of "self.size" without the dot.
std::string owner_of(std::string path) {
  while (!path.empty() && std::string_view(".:->").find(path.back()) != std::string::npos)
    path.pop_back();
  return path;
}

// Whether the text before the new name says anything else than that before the old one.
bool is_moved(const std::string& from, const std::string& to) { return !to.empty() && to != from; }

// "rename count to 2x": the new name may be anything. `before`: see rename_in().
std::optional<RenameWish> odd_rename_in(std::string_view part, const RenameWish* before) {
  static const std::regex kRename("\\s*(?:please\\s+)?(rename|change the name of)?\\s*" + kWhat +
                                      kQuote + kPath + kQuote + kAfter + kTo + kWhat + kQuote +
                                      "([^\\s`'\",;]+?)" + kQuote + kEverywhere,
                                  std::regex::icase | std::regex::optimize);
  Match match;
  if (!std::regex_match(part.begin(), part.end(), match, kRename) || names_owner(match[2].str()))
    return std::nullopt;
  if (!match[1].matched && (before == nullptr || !before->says_so)) return std::nullopt;
  // A path is a name at another place: "rename size to self.size".
  if (match[8].str().find_first_of(".:>(") != std::string::npos) return std::nullopt;
  const std::string owner = owner_of(match[3]);
  return RenameWish{.from = match[4],
                    .to = match[8],
                    .owner = owner.substr(owner.find_last_of(".:>") + 1),
                    .what = what_is_meant(match[2].str() + " " + match[5].str()),
                    .says_so = true,
                    .may_describe = is_description(match[4].str(), match[2].str(), match[5].str())};
}

// Of "rename a to b and c to d" the second part has the verb of the first, which is `before`.
std::optional<RenameWish> rename_in(std::string_view part, const RenameWish* before) {
  static const std::regex kRename(
      "\\s*(?:please\\s+)?(?:(renam(?:e|ing)|change the name of|change name of)|"
      "(replace|change|substitute))?\\s*" +
          kWhat + kQuote + kPath + kQuote + kAfter + kTo + kWhat + kQuote + kPath + kQuote +
          kAfter + kEverywhere,
      std::regex::icase | std::regex::optimize);
  Match match;
  if (!std::regex_match(part.begin(), part.end(), match, kRename))
    return odd_rename_in(part, before);
  const bool has_arrow = !std::isalpha(static_cast<unsigned char>(match[7].str().front()));
  const bool has_verb = match[1].matched || match[2].matched;
  if (!has_verb && !has_arrow && before == nullptr) return std::nullopt;
  if (names_owner(match[3].str()) || is_moved(match[4], match[9])) return std::nullopt;
  RenameWish wish{.from = match[5], .to = match[10]};
  if (wish.from == wish.to) return std::nullopt;
  wish.says_so = match[1].matched || (!has_verb && before != nullptr && before->says_so);
  wish.what = what_is_meant(match[3].str() + " " + match[6].str());
  wish.may_describe = is_description(wish.from, match[3].str(), match[6].str());
  const std::string owner = owner_of(match[4]);
  wish.owner = owner.substr(owner.find_last_of(".:>") + 1);  // npos + 1 is 0
  return wish;
}

// With single spaces, else an expression has many ways to read them, and with plain quotes.
std::string plain(std::string_view words) {
  constexpr auto kPlain = std::to_array<std::pair<std::string_view, char>>(
      {{"\u201c", '"'}, {"\u201d", '"'}, {"\u2018", '\''}, {"\u2019", '\''}, {"\u00a0", ' '}});
  std::string text;
  for (std::size_t at = 0; at < words.size();) {
    const auto found = std::ranges::find_if(
        kPlain, [&](const auto& each) { return words.substr(at).starts_with(each.first); });
    char byte = found == kPlain.end() ? words[at] : found->second;
    at += found == kPlain.end() ? 1 : found->first.size();
    if (std::isspace(static_cast<unsigned char>(byte)) != 0) byte = ' ';
    if (byte != ' ' || !text.ends_with(' ')) text += byte;
  }
  return text;
}

}  // namespace

std::vector<RenameWish> renames_in(std::string_view words) {
  static const std::regex kBetween("\\s*(?:[,;]\\s*(?:and\\s+|then\\s+)?|\\s+and\\s+)",
                                   std::regex::icase | std::regex::optimize);
  constexpr std::size_t kLongest = 500;
  if (words.size() > kLongest) return {};
  const std::string instruction = plain(words);
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
