#include "decoding/model/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "support/files/mapped_file.h"

namespace redraft {

Result<std::string> sha256_of_file(const std::filesystem::path& file) {
  Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(map->bytes().data(), map->bytes().size(), digest.data(), &size, EVP_sha256(),
                 nullptr) != 1) {
    return Error(file.string() + ": SHA-256 is not available in this OpenSSL");
  }
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace redraft
