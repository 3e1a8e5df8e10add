#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/token.h"

namespace redraft {

// One file of the KvArchive: the tokens that a model has read, the keys and values that it computed
// for them, and its state after them if it has any (SequenceState).
//
//   preamble     a fixed number of bytes: the counts, and checksums of itself and of the names
//   names        model, build and source as text, then the tokens
//   blocks       the rows of kSlots slots each (the last block may have fewer), and their checksum
//   state        the state after all tokens, and its checksum; absent if there is no state
//
// Checksums detect damage, not malice: only the user can write to the folder. Still, whatever a
// file contains, reading it ends with a usable answer or an error.
struct KvEntryHead {
  // The rows depend on these: the weights and the processor, and the build of the program.
  std::string model;
  std::string build;
  std::string source;  // the document that the tokens were read for; may be empty
  std::vector<TokenId> tokens;
  std::uint64_t slot_bytes = 0;   // KvStorage::bytes_per_slot()
  std::uint64_t state_bytes = 0;  // SequenceState::bytes(); 0: there is no state

  bool operator==(const KvEntryHead&) const = default;

  std::uint64_t bytes() const;       // size of preamble and names
  std::uint64_t file_bytes() const;  // size of the whole file
};

// Reads exactly `out.size()` bytes of a file, starting at `offset`. False: they are not there.
using ReadFileAt = std::function<bool(std::uint64_t offset, std::span<std::byte> out)>;

class KvEntry {
 public:
  static constexpr int kSlots = 64;
  static constexpr int kMaxTokens = 1 << 15;
  static constexpr std::uint64_t kMaxName = 4096;
  static constexpr std::uint64_t kMaxSlotBytes = std::uint64_t{1} << 22;
  static constexpr std::uint64_t kMaxStateBytes = std::uint64_t{1} << 30;

  // Whether the counts are within the limits of the file format.
  static bool fits(const KvEntryHead& head);
  // The beginning of the file, up to the blocks. `head` must fit.
  static std::vector<std::byte> write_head(const KvEntryHead& head);
  // Fails unless these are the bytes of an entry with this file size.
  static Result<KvEntryHead> read_head(const ReadFileAt& read, std::uint64_t file_bytes);
  // The blocks of rows, and the slots of one.
  static int block_count(const KvEntryHead& head);
  static int slots_of_block(const KvEntryHead& head, int block);
  // Where a block begins. The state, if there is any, begins where the block after the last would.
  static std::uint64_t offset_of_block(const KvEntryHead& head, int block);
  // Reads a block's rows into `rows`, which it resizes and overwrites. False: the block is damaged.
  static bool read_block(const ReadFileAt& read, const KvEntryHead& head, int block,
                         std::vector<std::byte>& rows);
  // The same for the state. The head has state.
  static bool read_state(const ReadFileAt& read, const KvEntryHead& head,
                         std::vector<std::byte>& state);
};

}  // namespace redraft
