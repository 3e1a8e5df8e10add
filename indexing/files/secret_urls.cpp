#include "indexing/files/secret_urls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "text/strings/lower_case.h"

namespace redraft {
namespace {

bool ends_url(char c) {
  return static_cast<unsigned char>(c) <= ' ' ||
         std::string_view("\"'`<>()[]{}|\\^,;").find(c) != std::string_view::npos;
}

constexpr std::size_t kLongestUrl = 1024;

std::string_view url_at(std::string_view text) {
  text = text.substr(0, kLongestUrl);
  return text.substr(0,
                     static_cast<std::size_t>(std::ranges::find_if(text, ends_url) - text.begin()));
}

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, word) != all.end();
}

// A variable, or a word that stands for a password.
bool stands_for_a_password(std::string_view password) {
  constexpr std::size_t kShortest = 6;
  if (password.size() < kShortest || password.find_first_of("$%*") == 0) return true;
  const std::string lower = lower_case(password);
  constexpr auto kWords = std::to_array<std::string_view>(
      {"password", "passwd", "secret", "changeme", "example", "your", "xxxx", "redacted", "token"});
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// This machine, a container's neighbour, or a name from documentation.
bool is_nobodys_host(std::string_view host) {
  const std::string lower = lower_case(host.substr(0, host.find_first_of(":/?#")));
  return lower.find('.') == std::string::npos || is_any_of(lower, {"127.0.0.1", "0.0.0.0"}) ||
         lower.ends_with(".local") || lower.ends_with(".test") || lower.ends_with(".invalid") ||
         lower.ends_with(".example") || lower.find("example.") != std::string::npos;
}

// `rest` follows "://".
bool has_password(std::string_view rest) {
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
  const std::size_t at = authority.rfind('@');
  if (at == authority.npos) return false;
  const std::string_view user = authority.substr(0, at);
  const std::size_t colon = user.find(':');
  return colon != user.npos && !stands_for_a_password(user.substr(colon + 1)) &&
         user.substr(colon + 1) != user.substr(0, colon) &&
         !is_nobodys_host(authority.substr(at + 1));
}

// The secret is the path's last part, which has at least so many characters.
struct WebHook {
  std::string_view beginning;
  std::size_t shortest;
};
constexpr auto kWebHooks = std::to_array<WebHook>({
    {"hooks.slack.com/services/", 20},
    {"hooks.slack.com/workflows/", 20},
    {"hooks.slack.com/triggers/", 20},
    {"discord.com/api/webhooks/", 60},
    {"discordapp.com/api/webhooks/", 60},
    {"outlook.office.com/webhook/", 30},
});

bool is_web_hook(std::string_view rest) {
  return std::ranges::any_of(kWebHooks, [&](const WebHook& hook) {
    const std::size_t at = rest.find(hook.beginning);
    if (at == rest.npos || (at > 0 && rest[at - 1] != '.')) return false;
    std::string_view path = rest.substr(at + hook.beginning.size());
    path = path.substr(0, path.find_first_of("?#"));
    while (path.ends_with('/') || path.ends_with('.')) path.remove_suffix(1);
    const std::string_view secret = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    return secret.size() >= hook.shortest && std::ranges::any_of(secret, is_digit) &&
           lower_case(secret).find("xxxx") == std::string::npos;
  });
}

}  // namespace

bool has_secret_url(std::string_view text) {
  constexpr std::string_view kMark = "://";
  for (std::size_t at = text.find(kMark); at != text.npos;) {
    const std::string_view rest = url_at(text.substr(at + kMark.size()));
    if (has_password(rest) || is_web_hook(rest)) return true;
    // What is longer is no URL, but may hold many marks.
    at = text.find(kMark, at + (rest.size() == kLongestUrl ? kLongestUrl : 1));
  }
  return false;
}

}  // namespace redraft
