#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace redraft {

// Of what characters a token consists behind its prefix.
enum class TokenAlphabet : std::uint8_t {
  kHex,           // 0-9 a-f
  kCapitals,      // 0-9 A-Z
  kAlphanumeric,  // 0-9 A-Z a-z
  kUrl,           // the same with - _ .
};

// A token of a service, which tells by its beginning whose it is. Behind the prefix there are
// between `shortest` and `longest` characters of the alphabet, and then a character of no token.
struct SecretToken {
  std::string_view prefix;
  std::size_t shortest;
  std::size_t longest;
  TokenAlphabet alphabet;
  std::string_view what;  // a few words
};

// A name whose value is a secret wherever it is assigned one: `name = value`, `"name": "value"`.
struct SecretSetting {
  std::string_view name;  // how it ends, in lower case
  std::size_t shortest;   // length of a value that is a secret
  std::string_view what;  // a few words
};

// All of them, each in no order that matters. Static memory.
std::span<const SecretToken> secret_tokens();
std::span<const SecretSetting> secret_settings();

// Whether a text holds a private key, a service's token, or one of the settings above. Placeholders
// (`ghp_xxxx…`, `AKIA…EXAMPLE`) do not count. Takes linear time; any thread.
bool has_secret(std::string_view text);

}  // namespace redraft
