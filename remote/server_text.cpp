#include "remote/server_text.h"

#include <algorithm>
#include <utility>

namespace redraft {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // shown for a part of a character

struct Spelled {
  ServerText::Group tokens;
  std::string text;
};

bool is_part(const Spelled& spelled) {
  return spelled.text.find(kReplacement) != std::string::npos;
}

// Some servers put control tokens around a text. These have no bytes.
void trim_around(std::vector<Spelled>& all) {
  while (!all.empty() && all.back().text.empty()) all.pop_back();
  const auto first = std::ranges::find_if(all, [](const Spelled& s) { return !s.text.empty(); });
  all.erase(all.begin(), first);
}

// Joins neighbours that are parts of characters.
std::vector<Spelled> join_parts(std::vector<Spelled> all) {
  std::vector<Spelled> joined;
  for (Spelled& spelled : all) {
    if (!joined.empty() && is_part(joined.back()) && is_part(spelled)) {
      joined.back().tokens.push_back(spelled.tokens.front());
    } else {
      joined.push_back(std::move(spelled));
    }
  }
  return joined;
}

}  // namespace

Result<std::optional<ServerText>> ServerText::make(std::string text, std::vector<TokenId> tokens,
                                                   const Spell& spell) {
  std::vector<Group> groups;
  groups.reserve(tokens.size());
  for (const TokenId token : tokens) groups.push_back({token});
  Result<std::vector<std::string>> spelled = spell(groups);
  if (!spelled) return spelled.error();
  std::vector<Spelled> all;
  for (std::size_t i = 0; i < groups.size(); ++i) all.push_back({groups[i], (*spelled)[i]});
  trim_around(all);
  all = join_parts(std::move(all));
  groups.clear();
  for (const Spelled& part : all) {
    if (part.tokens.size() > 1) groups.push_back(part.tokens);
  }
  if (!groups.empty()) {
    spelled = spell(groups);
    if (!spelled) return spelled.error();
    auto next = spelled->begin();
    for (Spelled& part : all) {
      if (part.tokens.size() > 1) part.text = *next++;
    }
  }
  ServerText made;
  std::size_t end = 0;
  made.borders_.push_back(end);
  for (const Spelled& part : all) {
    if (part.text.empty() || text.compare(end, part.text.size(), part.text) != 0)
      return std::optional<ServerText>();
    end += part.text.size();
    made.tokens_.insert(made.tokens_.end(), part.tokens.begin(), part.tokens.end());
    made.borders_.resize(made.tokens_.size());
    made.borders_.push_back(end);
  }
  if (end != text.size()) return std::optional<ServerText>();
  made.text_ = std::move(text);
  return std::optional(std::move(made));
}

int ServerText::whole(int place, int count) const {
  while (count > 0 && !is_border(place + count)) --count;
  return count;
}

std::string_view ServerText::bytes(int place, int count) const {
  const std::size_t begin = borders_[static_cast<std::size_t>(place)].value_or(0);
  const std::size_t end = borders_[static_cast<std::size_t>(place + count)].value_or(begin);
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace redraft
