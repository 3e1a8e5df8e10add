// One pass over the words of a text. A word consists of the characters that a token may have:
// letters, digits and "-_.". Only whole words count, so that no part of an encoded file is mistaken
// for a token, and only words as varied as random ones. Secrets without a mark of their own (a
// password, the signature in a JSON Web Token of a test) are not recognised: a guess by entropy
// alone would withhold many sources.
//
// To add a token, add one line to its table. The test then tries it in texts of several formats.
#include "indexing/files/secret_text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <string>

#include "indexing/files/secret_urls.h"
#include "text/strings/lines.h"
#include "text/strings/lower_case.h"

namespace redraft {
namespace {

using enum TokenAlphabet;

constexpr std::size_t kAnyLength = 4096;

constexpr auto kTokens = std::to_array<SecretToken>({
    // Sources and packages.
    {"ghp_", 36, 255, kAlphanumeric, "a personal token of GitHub"},
    {"gho_", 36, 255, kAlphanumeric, "an OAuth token of GitHub"},
    {"ghu_", 36, 255, kAlphanumeric, "a user's token of a GitHub app"},
    {"ghs_", 36, 255, kAlphanumeric, "the token of a GitHub app"},
    {"ghr_", 36, 255, kAlphanumeric, "a refresh token of GitHub"},
    {"github_pat_", 50, 255, kUrl, "a personal token of GitHub"},
    {"glpat-", 20, 255, kUrl, "a personal token of GitLab"},
    {"gldt-", 20, 255, kUrl, "a deployment token of GitLab"},
    {"glrt-", 20, 255, kUrl, "a runner's token of GitLab"},
    {"glptt-", 40, 255, kUrl, "a trigger token of GitLab"},
    {"glcbt-", 20, 255, kUrl, "a job token of GitLab"},
    {"ATBB", 28, 64, kAlphanumeric, "an app password of Bitbucket"},
    {"ATATT3", 100, 400, kUrl, "a token of Atlassian"},
    {"npm_", 36, 36, kAlphanumeric, "a token of npm"},
    {"pypi-AgE", 50, kAnyLength, kUrl, "a token of PyPI"},
    {"rubygems_", 48, 48, kHex, "a token of RubyGems"},
    {"dckr_pat_", 20, 64, kUrl, "a token of Docker Hub"},
    // Clouds.
    {"AKIA", 16, 16, kCapitals, "a key of AWS"},
    {"ASIA", 16, 16, kCapitals, "a temporary key of AWS"},
    {"AIza", 35, 35, kUrl, "a key of Google"},
    {"ya29.", 30, kAnyLength, kUrl, "an OAuth token of Google"},
    {"GOCSPX-", 28, 28, kUrl, "the secret of an OAuth client of Google"},
    {"dop_v1_", 64, 64, kHex, "a token of DigitalOcean"},
    {"doo_v1_", 64, 64, kHex, "an OAuth token of DigitalOcean"},
    {"dor_v1_", 64, 64, kHex, "a refresh token of DigitalOcean"},
    {"dapi", 32, 34, kHex, "a token of Databricks"},
    {"hvs.", 24, 255, kUrl, "a token of Vault"},
    {"hvb.", 100, 400, kUrl, "a batch token of Vault"},
    {"pul-", 40, 40, kHex, "a token of Pulumi"},
    {"dp.pt.", 40, 44, kAlphanumeric, "a token of Doppler"},
    {"AGE-SECRET-KEY-1", 58, 58, kCapitals, "a private key of age"},
    // Models.
    {"sk-ant-", 40, 255, kUrl, "a key of Anthropic"},
    {"sk-proj-", 40, 255, kUrl, "a key of OpenAI"},
    {"sk-svcacct-", 40, 255, kUrl, "a key of OpenAI"},
    {"sk-", 48, 48, kAlphanumeric, "a key of OpenAI"},
    {"hf_", 34, 40, kAlphanumeric, "a token of Hugging Face"},
    {"gsk_", 52, 52, kAlphanumeric, "a key of Groq"},
    {"pplx-", 48, 56, kAlphanumeric, "a key of Perplexity"},
    {"r8_", 37, 37, kAlphanumeric, "a token of Replicate"},
    // Payment, mail, messages.
    {"sk_live_", 24, 255, kAlphanumeric, "a key of Stripe"},
    {"rk_live_", 24, 255, kAlphanumeric, "a restricted key of Stripe"},
    {"whsec_", 32, 64, kAlphanumeric, "the secret of a web hook of Stripe"},
    {"sq0csp-", 43, 43, kUrl, "the secret of an application of Square"},
    {"sq0atp-", 22, 22, kUrl, "a token of Square"},
    {"SG.", 60, 80, kUrl, "a key of SendGrid"},
    {"xkeysib-", 64, 90, kUrl, "a key of Brevo"},
    {"SK", 32, 32, kHex, "a key of Twilio"},
    {"xoxb-", 40, 255, kUrl, "a bot's token of Slack"},
    {"xoxp-", 40, 255, kUrl, "a user's token of Slack"},
    {"xoxa-", 40, 255, kUrl, "a token of Slack"},
    {"xoxr-", 40, 255, kUrl, "a refresh token of Slack"},
    {"xapp-", 40, 255, kUrl, "an app's token of Slack"},
    // Shops and work.
    {"shpat_", 32, 32, kHex, "a token of Shopify"},
    {"shpca_", 32, 32, kHex, "a token of Shopify"},
    {"shppa_", 32, 32, kHex, "a token of Shopify"},
    {"shpss_", 32, 32, kHex, "the secret of an app of Shopify"},
    {"lin_api_", 40, 40, kAlphanumeric, "a key of Linear"},
    {"PMAK-", 50, 70, kUrl, "a key of Postman"},
    {"NRAK-", 27, 27, kCapitals, "a key of New Relic"},
    {"glsa_", 40, 48, kUrl, "the token of a service account of Grafana"},
    {"sntryu_", 64, 64, kHex, "a token of Sentry"},
    {"figd_", 40, 64, kUrl, "a token of Figma"},
});

constexpr auto kSettings = std::to_array<SecretSetting>({
    {"secret_access_key", 40, "a key of AWS"},
    {"secretaccesskey", 40, "a key of AWS"},
    {"aws_session_token", 100, "a temporary token of AWS"},
    {"accountkey", 80, "the key of an Azure storage account"},
    {"sharedaccesskey", 40, "a key of an Azure queue"},
    {"client-key-data", 100, "the private key of a Kubernetes user"},
    {"_authtoken", 30, "the token of a package registry"},
    {"privatekey", 43, "the private key of a WireGuard tunnel"},
    {"secret_key_base", 64, "the key of a Rails application", true},
    {"app_key", 40, "the key of a Laravel application", true},
    {"secret_key", 40, "the key of a Django application", true},
    {"api_key", 32, "a key of a service", true},
    {"apikey", 32, "a key of a service", true},
    {"api_token", 32, "a token of a service", true},
    {"access_token", 32, "a token of a service", true},
    {"auth_token", 32, "a token of a service", true},
    {"client_secret", 32, "the secret of an OAuth client", true},
});

using ByteSet = std::bitset<256>;

ByteSet bytes(std::string_view more, bool capitals, bool small, bool digits) {
  ByteSet set;
  for (int c = 0; c < 256; ++c) {
    const bool in = (capitals && c >= 'A' && c <= 'Z') || (small && c >= 'a' && c <= 'z') ||
                    (digits && c >= '0' && c <= '9');
    set.set(static_cast<std::size_t>(c), in);
  }
  for (const char c : more) set.set(static_cast<unsigned char>(c));
  return set;
}

// The bytes of a value: base64 and base64url, without the padding.
const ByteSet& value_bytes() {
  static const ByteSet kBytes = bytes("+/-_", true, true, true);
  return kBytes;
}

const ByteSet& bytes_of(TokenAlphabet alphabet) {
  static const std::array<ByteSet, 4> kSets = {
      bytes("abcdef", false, false, true), bytes("", true, false, true),
      bytes("", true, true, true), bytes("-_.", true, true, true)};
  return kSets[static_cast<std::size_t>(alphabet)];
}

std::size_t length_of(std::string_view text, const ByteSet& set) {
  const auto in = [&](char c) { return set[static_cast<unsigned char>(c)]; };
  return static_cast<std::size_t>(std::ranges::find_if_not(text, in) - text.begin());
}

// What stands in documentation in the place of a secret: of few different characters, or said to be
// no secret.
bool is_placeholder(std::string_view body) {
  constexpr std::size_t kFewest = 8;
  ByteSet seen;
  for (const char c : body) seen.set(static_cast<unsigned char>(c));
  if (seen.count() < kFewest) return true;
  const std::string lower = lower_case(body);
  return std::ranges::any_of(
      std::to_array<std::string_view>({"example", "xxxx", "placeholder", "redacted", "0123456789"}),
      [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

// Dots, dashes and lower-case letters alone are as often a name of many words.
bool fits(std::string_view body, TokenAlphabet alphabet) {
  if (length_of(body, bytes_of(alphabet)) != body.size()) return false;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  return alphabet != kUrl || std::ranges::any_of(body, is_capital);
}

bool is_token(std::string_view word) {
  constexpr std::size_t kShortest = 20;  // of all tokens, with their prefixes
  if (word.size() < kShortest) return false;
  return std::ranges::any_of(kTokens, [&](const SecretToken& token) {
    if (!word.starts_with(token.prefix)) return false;
    const std::string_view body = word.substr(token.prefix.size());
    return body.size() >= token.shortest && body.size() <= token.longest &&
           fits(body, token.alphabet) && !is_placeholder(body);
  });
}

void skip(std::string_view& text, std::string_view any_of) {
  text.remove_prefix(std::min(text.find_first_not_of(any_of), text.size()));
}

// As keys are, other than names: letters and digits change often.
bool is_random(std::string_view value) {
  const auto is_digit = [](unsigned char c) { return c >= '0' && c <= '9'; };
  std::size_t changes = 0;
  for (std::size_t i = 1; i < value.size(); ++i)
    changes += is_digit(value[i]) != is_digit(value[i - 1]);
  return changes * 8 >= value.size();
}

// A key in JSON (RFC 7517), with its private part "d", or "k" of a symmetric one.
bool has_json_key(std::string_view text) {
  constexpr std::size_t kShortest = 40, kFar = 4096;
  constexpr std::string_view kMark = "\"kty\"";
  int left = 32;  // more keys than these are the same file's
  for (std::size_t at = text.find(kMark); at != text.npos && left > 0;
       at = text.find(kMark, at + 1), --left) {
    const std::size_t begin = at - std::min(at, kFar);
    const std::string_view near = text.substr(begin, 2 * kFar);
    for (const std::string_view name : {"\"d\"", "\"k\""}) {
      const std::size_t found = near.find(name);
      if (found == near.npos) continue;
      std::string_view rest = near.substr(found + name.size());
      skip(rest, " \t\r\n:\"");
      const std::string_view value = rest.substr(0, length_of(rest, value_bytes()));
      if (value.size() >= kShortest && !is_placeholder(value)) return true;
    }
  }
  return false;
}

// "1234567890:AAH…", with a URL's "bot" before it or without.
bool is_telegram_token(std::string_view word, std::string_view rest) {
  constexpr std::size_t kLongest = 33;
  if (word.starts_with("bot")) word.remove_prefix(3);
  const bool is_number = word.size() >= 8 && word.find_first_not_of("0123456789") == word.npos;
  if (!is_number || !rest.starts_with(":AA")) return false;
  rest.remove_prefix(3);
  const std::size_t length = length_of(rest, bytes_of(kUrl));
  return length >= kLongest && !is_placeholder(rest.substr(0, length));
}

// `rest` follows the word.
bool is_secret_setting(std::string_view word, std::string_view rest) {
  skip(rest, "\"'` \t");
  if (!rest.starts_with('=') && !rest.starts_with(':')) return false;
  constexpr std::size_t kLongestName = 20;
  const std::string name =
      lower_case(word.substr(word.size() - std::min(word.size(), kLongestName)));
  const auto ends_name = [&](const SecretSetting& setting) { return name.ends_with(setting.name); };
  const auto* const setting = std::ranges::find_if(kSettings, ends_name);
  if (setting == kSettings.end()) return false;
  skip(rest, ":=> \t\"'`");
  if (constexpr std::string_view kForm = "base64:"; rest.starts_with(kForm))
    rest.remove_prefix(kForm.size());
  const std::string_view value = rest.substr(0, length_of(rest, value_bytes()));
  return value.size() >= setting->shortest && !is_placeholder(value) &&
         (!setting->random || is_random(value));
}

// Calls `judge` with each word that is long enough and with the text after it; returns whether any
// call returned true.
template <typename Judge>
bool any_word(std::string_view text, const Judge& judge) {
  constexpr std::size_t kShortest = 6;  // of the names of settings
  const ByteSet& set = bytes_of(kUrl);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = length_of(text.substr(at), set);
    if (length >= kShortest && judge(text.substr(at, length), text.substr(at + length)))
      return true;
    at += length + 1;
  }
  return false;
}

// `rest` follows "PRIVATE KEY-----". In a source that only looks for keys, a quotation mark
// follows; in a JSON file, the line end is written as \n.
bool is_key_body(std::string_view rest) {
  constexpr std::size_t kShortest = 40;  // the shortest key has one line of 64
  skip(rest, " \t\r");
  const std::size_t before = rest.size();
  for (const std::string_view end : {"\\r\\n", "\\n", "\n"}) {
    if (before == rest.size() && rest.starts_with(end)) rest.remove_prefix(end.size());
  }
  if (before == rest.size()) return false;
  skip(rest, " \t\r\n\"'+|>#*");
  for (const std::string_view header : {"Proc-Type:", "Version:", "Comment:", "DEK-Info:"}) {
    if (rest.starts_with(header)) return true;
  }
  const std::string_view body = rest.substr(0, length_of(rest, value_bytes()));
  return body.size() >= kShortest && !is_placeholder(body);
}

bool has_private_key(std::string_view text) {
  // A key of PuTTY may stand in another text.
  if (const std::size_t at = text.find("PuTTY-User-Key-File-"); at != text.npos) {
    constexpr std::string_view kLines = "Private-Lines: ";
    const std::size_t lines = text.find(kLines, at);
    if (lines != text.npos && text.substr(lines + kLines.size()).find_first_of("123456789") == 0)
      return true;
  }
  for (const std::string_view mark : {"PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"}) {
    for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + 1))
      if (is_key_body(text.substr(at + mark.size()))) return true;
  }
  return false;
}

// Whether the file is a key or a certificate: it begins like one, perhaps after blank lines and the
// attributes that OpenSSL writes before each ("Bag Attributes", "    localKeyID: 01",
// "subject=/CN=x").
bool is_key_file(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = take_line(rest);
    const bool is_indented = line.starts_with("    ");
    skip(line, " \t\r\xEF\xBB\xBF");
    if (line.starts_with("-----BEGIN ") || line.starts_with("PuTTY-User-Key-File")) return true;
    const bool is_attribute = line.starts_with("Bag Attributes") ||
                              line.starts_with("Key Attributes") || line.starts_with("subject=") ||
                              line.starts_with("issuer=");
    if (!line.empty() && !is_attribute && !(is_indented && line.find(':') != line.npos))
      return false;
  }
  return false;
}

}  // namespace

std::span<const SecretToken> secret_tokens() { return kTokens; }

std::span<const SecretSetting> secret_settings() { return kSettings; }

bool has_secret(std::string_view text) {
  if (is_key_file(text) || has_private_key(text) || has_json_key(text) || has_secret_url(text))
    return true;
  return any_word(text, [](std::string_view word, std::string_view rest) {
    if (is_secret_setting(word, rest) || is_telegram_token(word, rest)) return true;
    while (word.ends_with('.')) word.remove_suffix(1);  // the end of a sentence
    return is_token(word);
  });
}

}  // namespace redraft
