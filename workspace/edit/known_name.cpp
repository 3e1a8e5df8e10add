#include "workspace/edit/known_name.h"

#include <set>
#include <string>

#include "text/strings/names.h"

namespace redraft {
namespace {

// Among so many tokens at most one is looked for that goes on with a name.
constexpr int kLikeliest = 64;
constexpr std::size_t kMaxTokens = 16;

}  // namespace

std::vector<TokenId> write_known_name(Engine& engine, std::vector<TokenId> context,
                                      std::string_view before, std::string_view known,
                                      std::string_view unknown, const std::stop_token& stop) {
  std::set<std::string> allowed;
  for_each_name(known, [&](std::string_view name) {
    if (name != unknown) allowed.insert(std::string(before) + std::string(name));
  });
  std::vector<TokenId> written;
  std::string text;
  while (written.size() < kMaxTokens && !stop.stop_requested()) {
    const bool is_complete = allowed.contains(text);
    bool goes_on = false;
    for (const TokenId token : engine.likeliest(context, kLikeliest)) {
      const std::string_view bytes = engine.tokenizer().bytes(token);
      if (is_complete && (bytes.empty() || !is_name_byte(bytes.front()))) return written;
      const std::string longer = text + std::string(bytes);
      const auto name = allowed.lower_bound(longer);
      goes_on = !bytes.empty() && name != allowed.end() && name->starts_with(longer);
      if (!goes_on) continue;
      text = longer;
      written.push_back(token);
      context.push_back(token);
      break;
    }
    if (!goes_on) return is_complete ? written : std::vector<TokenId>();
  }
  return {};
}

}  // namespace redraft
