#pragma once

#include <span>
#include <string_view>

namespace redraft {

// A file name that suggests a password, a token or a key inside, and a description of it.
struct SecretName {
  std::string_view pattern;  // as in an ignore file, in lower case; relative to any folder
  std::string_view what;     // a few words
};

// All names, in arbitrary order. Static memory.
std::span<const SecretName> secret_names();

// Whether a file or folder of this name probably holds a secret. `path` is relative to its root and
// in lower case. Any thread.
bool is_secret_name(std::string_view path, bool is_folder);

}  // namespace redraft
