#include "lsp/host/access_token.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <span>

#include "lsp/wire/protocol.h"
#include "support/files/private_folder.h"
#include "support/files/whole_file.h"
#include "support/system_error.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kTokenBytes = 32;

// Null if there is no such member.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

bool names_token(const Json& message, std::string_view token) {
  if (member(message, "method") != "initialize") return false;
  const Json& options = member(member(message, "params"), "initializationOptions");
  const Json& named = member(member(options, "redraft"), "token");
  return named.is_string() && is_same_secret(named.get_ref<const std::string&>(), token);
}

Result<std::string> make_token() {
  std::array<unsigned char, kTokenBytes> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    return system_error("no random bytes for a token");
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

}  // namespace

bool is_same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differing = static_cast<unsigned char>(differing | (a[i] ^ b[i]));
  return differing == 0;
}

Result<TokenFile> TokenFile::make(const std::filesystem::path& given) {
  const std::filesystem::path file = std::filesystem::absolute(given);
  if (const Result<void> made = make_folders(file.parent_path()); !made) return made.error();
  Result<std::string> token = make_token();
  if (!token) return token.error();
  const std::string line = *token + "\n";
  const Result<void> written = write_whole_file(file, {std::as_bytes(std::span(line))});
  if (!written) return written.error();
  return TokenFile(file, std::move(*token));
}

TokenFile::TokenFile(TokenFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), token_(std::move(other.token_)) {}

TokenFile::~TokenFile() {
  if (path_.empty() || ::unlink(path_.c_str()) == 0) return;
  (void)::truncate(path_.c_str(), 0);
}

void allow_its_end(const TokenFile& token, ConfinementOptions& confinement) {
  const Result<std::filesystem::path> own = private_runtime_folder();
  if (own && token.path().parent_path() == *own) {
    confinement.removable.push_back(*own);
  } else {
    confinement.changeable.push_back(token.path());
  }
}

std::optional<Json> refusal(std::string_view first_message, std::string_view token) {
  const Result<Json> message = parse_json(first_message);
  if (message && names_token(*message, token)) return std::nullopt;
  const Json id = message ? member(*message, "id") : Json();
  return Json{{"jsonrpc", "2.0"},
              {"id", id.is_number_integer() || id.is_string() ? id : Json()},
              {"error",
               {{"code", static_cast<int>(ErrorCode::kRequestFailed)},
                {"message",
                 "this server serves those alone whose first message is an initialize with its "
                 "token in initializationOptions.redraft.token"}}}};
}

}  // namespace redraft::lsp
