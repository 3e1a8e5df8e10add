#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lsp/wire/json.h"
#include "support/confine/confinement.h"
#include "support/result.h"

namespace redraft::lsp {

// The secret that a client of a port has to know. Any program on the machine may connect to the
// port, whichever user runs it; only this user can read the token's file.

// A file with a new token: 32 random bytes in hexadecimal, on one line. Removed with this object,
// or emptied where this process may not remove it.
class TokenFile {
 public:
  // Creates or replaces the file (mode 0600), and creates missing folders above it (0700).
  static Result<TokenFile> make(const std::filesystem::path& file);
  TokenFile(TokenFile&& other) noexcept;
  TokenFile& operator=(TokenFile&&) = delete;
  ~TokenFile();

  const std::filesystem::path& path() const { return path_; }
  const std::string& token() const { return token_; }

 private:
  TokenFile(std::filesystem::path path, std::string token)
      : path_(std::move(path)), token_(std::move(token)) {}

  std::filesystem::path path_;
  std::string token_;
};

// What a confined process needs so that the token goes with it: to remove files from redraft's
// runtime folder, or to empty the file if it is elsewhere, beside files of others.
void allow_its_end(const TokenFile& token, ConfinementOptions& confinement);

// Takes equally long wherever the two differ, so that timing reveals nothing about a secret but its
// length.
bool is_same_secret(std::string_view a, std::string_view b);

// The error response to a client's first message, unless that is an `initialize` that names the
// token in initializationOptions.redraft.token; none: it is.
std::optional<Json> refusal(std::string_view first_message, std::string_view token);

}  // namespace redraft::lsp
