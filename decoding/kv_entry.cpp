#include "decoding/kv_entry.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "indexing/store/checksum.h"

namespace redraft {
namespace {

static_assert(std::endian::native == std::endian::little, "the file stores values in memory order");

constexpr std::array<char, 8> kMagic = {'R', 'D', 'R', 'K', 'V', '0', '0', '2'};

struct Preamble {
  std::array<char, 8> magic;
  std::uint64_t model, build, source;  // bytes
  std::uint64_t tokens;
  std::uint64_t slot_bytes;
  std::uint64_t state_bytes;
  std::uint64_t block_slots;
  std::uint64_t names;     // checksum of the names and tokens
  std::uint64_t preamble;  // checksum of everything before it
};
static_assert(sizeof(Preamble) == 80);

std::uint64_t preamble_checksum(const Preamble& preamble) {
  return checksum(std::as_bytes(std::span(&preamble, 1)).first(offsetof(Preamble, preamble)));
}

// Copies the bytes to the beginning of `room`, which must be large enough, and advances `room` past
// them.
void put(std::span<std::byte>& room, std::span<const std::byte> bytes) {
  std::ranges::copy(bytes, room.begin());
  room = room.subspan(bytes.size());
}

// Removes the next `size` bytes from `rest`, which must have them, and returns them.
std::span<const std::byte> take(std::span<const std::byte>& rest, std::uint64_t size) {
  const auto taken = rest.first(static_cast<std::size_t>(size));
  rest = rest.subspan(static_cast<std::size_t>(size));
  return taken;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool within_limits(std::uint64_t model, std::uint64_t build, std::uint64_t source,
                   std::uint64_t tokens, std::uint64_t slot_bytes, std::uint64_t state_bytes) {
  return model <= KvEntry::kMaxName && build <= KvEntry::kMaxName && source <= KvEntry::kMaxName &&
         tokens > 0 && tokens <= KvEntry::kMaxTokens && slot_bytes > 0 &&
         slot_bytes <= KvEntry::kMaxSlotBytes && state_bytes <= KvEntry::kMaxStateBytes;
}

// `size` bytes and their checksum, at `offset`. False: they are not what was written.
bool read_checked(const ReadFileAt& read, std::uint64_t offset, std::size_t size,
                  std::vector<std::byte>& bytes) {
  std::uint64_t sum = 0;
  bytes.resize(size + sizeof sum);
  if (!read(offset, bytes)) return false;
  std::memcpy(&sum, bytes.data() + size, sizeof sum);
  bytes.resize(size);
  return checksum(bytes) == sum;
}

}  // namespace

std::uint64_t KvEntryHead::bytes() const {
  return sizeof(Preamble) + model.size() + build.size() + source.size() +
         tokens.size() * sizeof(TokenId);
}

std::uint64_t KvEntryHead::file_bytes() const {
  const std::uint64_t rows_end = KvEntry::offset_of_block(*this, KvEntry::block_count(*this));
  return rows_end + (state_bytes > 0 ? state_bytes + sizeof(std::uint64_t) : 0);
}

bool KvEntry::fits(const KvEntryHead& head) {
  return within_limits(head.model.size(), head.build.size(), head.source.size(), head.tokens.size(),
                       head.slot_bytes, head.state_bytes);
}

int KvEntry::block_count(const KvEntryHead& head) {
  return (static_cast<int>(head.tokens.size()) + kSlots - 1) / kSlots;
}

int KvEntry::slots_of_block(const KvEntryHead& head, int block) {
  return std::min(kSlots, static_cast<int>(head.tokens.size()) - block * kSlots);
}

std::uint64_t KvEntry::offset_of_block(const KvEntryHead& head, int block) {
  const auto slots = std::min<std::uint64_t>(head.tokens.size(), std::uint64_t{kSlots} * block);
  return head.bytes() + slots * head.slot_bytes +
         static_cast<std::uint64_t>(block) * sizeof(std::uint64_t);
}

std::vector<std::byte> KvEntry::write_head(const KvEntryHead& head) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(head.bytes()));
  const std::span<std::byte> names = std::span(bytes).subspan(sizeof(Preamble));
  std::span<std::byte> room = names;
  for (const std::string* name : {&head.model, &head.build, &head.source})
    put(room, std::as_bytes(std::span(*name)));
  put(room, std::as_bytes(std::span(head.tokens)));
  Preamble preamble{.magic = kMagic,
                    .model = head.model.size(),
                    .build = head.build.size(),
                    .source = head.source.size(),
                    .tokens = head.tokens.size(),
                    .slot_bytes = head.slot_bytes,
                    .state_bytes = head.state_bytes,
                    .block_slots = kSlots,
                    .names = checksum(names),
                    .preamble = 0};
  preamble.preamble = preamble_checksum(preamble);
  std::memcpy(bytes.data(), &preamble, sizeof preamble);
  return bytes;
}

Result<KvEntryHead> KvEntry::read_head(const ReadFileAt& read, std::uint64_t file_bytes) {
  Preamble preamble{};
  if (!read(0, std::as_writable_bytes(std::span(&preamble, 1)))) return Error("it is too short");
  if (preamble.magic != kMagic) return Error("it is no entry of this version");
  if (preamble.preamble != preamble_checksum(preamble))
    return Error("its beginning is not what was written");
  // Each count is small, so sums of them do not overflow.
  if (preamble.block_slots != kSlots ||
      !within_limits(preamble.model, preamble.build, preamble.source, preamble.tokens,
                     preamble.slot_bytes, preamble.state_bytes))
    return Error("its counts are outside the limits");
  KvEntryHead head;
  head.slot_bytes = preamble.slot_bytes;
  head.state_bytes = preamble.state_bytes;
  std::vector<std::byte> names(preamble.model + preamble.build + preamble.source +
                               preamble.tokens * sizeof(TokenId));
  if (!read(sizeof preamble, names)) return Error("it is too short");
  if (checksum(names) != preamble.names) return Error("its names are not what was written");
  std::span<const std::byte> rest = names;
  head.model = text_of(take(rest, preamble.model));
  head.build = text_of(take(rest, preamble.build));
  head.source = text_of(take(rest, preamble.source));
  head.tokens.resize(static_cast<std::size_t>(preamble.tokens));
  std::memcpy(head.tokens.data(), rest.data(), rest.size());
  if (head.file_bytes() != file_bytes) return Error("its size is wrong");
  return head;
}

bool KvEntry::read_block(const ReadFileAt& read, const KvEntryHead& head, int block,
                         std::vector<std::byte>& rows) {
  const std::size_t size = static_cast<std::size_t>(slots_of_block(head, block)) * head.slot_bytes;
  return read_checked(read, offset_of_block(head, block), size, rows);
}

bool KvEntry::read_state(const ReadFileAt& read, const KvEntryHead& head,
                         std::vector<std::byte>& state) {
  return read_checked(read, offset_of_block(head, block_count(head)),
                      static_cast<std::size_t>(head.state_bytes), state);
}

}  // namespace redraft
