// A file of the archive of keys and values. The first byte says what the rest is: a file as it is,
// or the content of one ('w'), which is then given the right checksums, so that mutation works on
// what the checksums guard.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "decoding/kv_entry.h"
#include "indexing/store/checksum.h"

namespace redraft {
namespace {

constexpr std::size_t kPreambleBytes = 72;

ReadFileAt reader(std::span<const std::byte> bytes) {
  return [bytes](std::uint64_t offset, std::span<std::byte> out) {
    if (offset > bytes.size() || bytes.size() - offset < out.size()) return false;
    std::ranges::copy(bytes.subspan(static_cast<std::size_t>(offset), out.size()), out.begin());
    return true;
  };
}

void read_entry(std::span<const std::byte> bytes) {
  const Result<KvEntryHead> head = KvEntry::read_head(reader(bytes), bytes.size());
  if (!head) return;
  const std::vector<std::byte> again = KvEntry::write_head(*head);
  if (!KvEntry::fits(*head) || again.size() != head->bytes() ||
      !std::ranges::equal(again, bytes.first(again.size())))
    std::abort();
  std::vector<std::byte> rows;
  for (int block = 0; block < KvEntry::block_count(*head); ++block) {
    const auto slots = static_cast<std::size_t>(KvEntry::slots_of_block(*head, block));
    if (KvEntry::read_block(reader(bytes), *head, block, rows) &&
        rows.size() != slots * head->slot_bytes)
      std::abort();
  }
}

// Replaces the checksums of preamble and names by the right ones, as far as the counts tell where
// the names end.
std::vector<std::byte> with_checksums(std::span<const std::byte> bytes) {
  std::vector<std::byte> whole(bytes.begin(), bytes.end());
  if (whole.size() < kPreambleBytes) return whole;
  std::uint64_t counts[4];  // of the bytes of model, build and source, and of the tokens
  std::memcpy(counts, whole.data() + 8, sizeof counts);
  std::uint64_t names = 0;
  for (int i = 0; i < 4; ++i) {
    if (counts[i] > whole.size()) return whole;
    names += counts[i] * (i == 3 ? sizeof(TokenId) : 1);
  }
  if (names > whole.size() - kPreambleBytes) return whole;
  const std::uint64_t sum = checksum(std::span(whole).subspan(kPreambleBytes, names));
  std::memcpy(whole.data() + kPreambleBytes - 16, &sum, sizeof sum);
  const std::uint64_t own = checksum(std::span(whole).first(kPreambleBytes - 8));
  std::memcpy(whole.data() + kPreambleBytes - 8, &own, sizeof own);
  return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto rest = std::as_bytes(std::span(data + 1, size - 1));
  if (data[0] == 'r') read_entry(rest);
  if (data[0] == 'w') read_entry(with_checksums(rest));
  return 0;
}

}  // namespace redraft
