#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace redraft {

// The characters that a token consists of after its prefix.
enum class TokenAlphabet : std::uint8_t {
  kHex,           // 0-9 a-f
  kCapitals,      // 0-9 A-Z
  kAlphanumeric,  // 0-9 A-Z a-z
  kUrl,           // the same with - _ .
};

// A token of a service, recognised by its beginning. After the prefix there are between `shortest`
// and `longest` characters of the alphabet, and then a character that cannot be in a token.
struct SecretToken {
  std::string_view prefix;
  std::size_t shortest;
  std::size_t longest;
  TokenAlphabet alphabet;
  std::string_view what;  // a few words
};

// A name whose assigned value is a secret: `name = value`, `"name": "value"`.
struct SecretSetting {
  std::string_view name;  // how the name ends, in lower case
  std::size_t shortest;   // minimum length of a value that is a secret
  std::string_view what;  // a few words
  bool random = false;    // the value has letters and digits, and no words
};

// All of them, in arbitrary order. Static memory.
std::span<const SecretToken> secret_tokens();
std::span<const SecretSetting> secret_settings();

// Whether a text contains a private key, a service's token, one of the settings above, or a URL
// with a secret (secret_urls.h). Placeholders (`ghp_xxxx…`, `AKIA…EXAMPLE`) do not count. Takes
// linear time; any thread.
bool has_secret(std::string_view text);

}  // namespace redraft
