// Read, not mapped: a file that becomes shorter meanwhile must not end the process.
#include "decoding/model/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <vector>

#include "support/files/file_handle.h"
#include "support/system_error.h"

namespace redraft {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr const char* kNotAvailable = ": SHA-256 is not available in this OpenSSL";

}  // namespace

Result<std::string> sha256_of_file(const std::filesystem::path& file) {
  const FileHandle handle = FileHandle::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!handle) return file_error(file);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> hash(EVP_MD_CTX_new(),
                                                                     &EVP_MD_CTX_free);
  if (!hash || EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr) != 1)
    return Error(file.string() + kNotAvailable);
  std::vector<std::byte> piece(kPieceBytes);
  while (true) {
    const ssize_t n = ::read(handle.get(), piece.data(), piece.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return file_error(file);
    if (n == 0) break;
    EVP_DigestUpdate(hash.get(), piece.data(), static_cast<std::size_t>(n));
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(hash.get(), digest.data(), &size) != 1)
    return Error(file.string() + kNotAvailable);
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace redraft
