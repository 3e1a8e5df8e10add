// Prompts that a model has read, kept on disk
//
// Reading a prompt takes seconds, and a restart of the server would lose that work. The archive
// therefore writes the keys and values of prompts to the user's cache folder, and the next process
// copies them back. 1,300 tokens of a 1.5B model are 38 MB, and take 20 ms to load instead of 7 s
// to read. A row depends only on the tokens before it, to the last bit, so a loaded row equals the
// one that the model would compute. An entry of another model, processor or build of the program
// never matches.
//
// An example. The folder has one entry, for shapes.py: outline, function `area`, instruction; 1,300
// tokens.
//   - After a restart the user edits the same function with another instruction. The first 1,280
//     tokens are the same: their rows are loaded, from the first 20 blocks of the file.
//   - The next prompt of shapes.py begins with all 1,300 tokens and is longer. Once it is saved,
//     the archive removes the shorter entry, because the longer one contains it.
//   - The folder grows beyond its budget: the least recently used entry is removed.
//
// A model with state besides its rows (SequenceState) can go on only from where that is known. Its
// entries hold the state after all of their tokens, so one serves prompts that begin with all of
// them, and a longer entry does not replace a shorter one.
//
// Several processes may share a folder. A file gets its name when it is whole, is never changed
// afterwards, and may vanish at any time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "decoding/kv_cache.h"
#include "decoding/kv_entry.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// A folder of KvEntry files that only this user can read. One thread at a time.
class KvArchive {
 public:
  static constexpr std::uint64_t kDefaultBudget = std::uint64_t{2} << 30;

  // Everything besides the tokens that rows depend on.
  struct Key {
    std::string model;  // the weights, and the processor that computes with them
    std::string build;  // of the program; entries of other builds are removed
  };
  struct Match {
    std::string name;  // of the file
    int length = 0;    // how many of the requested tokens it holds; 0: no entry found
  };
  struct Listed {
    std::filesystem::path file;
    std::string source;  // the document; empty: unknown
    int tokens = 0;
    std::uint64_t bytes = 0;
    std::time_t used = 0;  // when it was last written or loaded
  };

  // Fails if the folder cannot be created or other users have access to it. `budget` is in bytes,
  // for all files of the folder.
  static Result<KvArchive> open(std::filesystem::path folder, Key key,
                                std::uint64_t budget = kDefaultBudget);
  // $XDG_CACHE_HOME/redraft/kv; empty if there is no such folder.
  static std::filesystem::path default_folder();

  // The entry that has the longest beginning of `tokens`, as far as it can be loaded. Removes what
  // is damaged, was left unfinished, or was written by another build.
  Match find(std::span<const TokenId> tokens);
  // Copies the rows of the first match.length tokens, and the state after them, into the storage,
  // which has slots for them, and counts as a use of the entry. False: the entry is gone, or
  // damaged and removed now, or `go_on` said so, which is asked before each block; the storage then
  // holds nothing of value.
  bool load(const Match& match, std::span<const TokenId> tokens, KvStorage& storage,
            const std::function<bool()>& go_on = {});
  // Keeps the rows of `tokens`, and the state after them, unless an entry has all but `slack` of
  // them already. At most KvEntry::kMaxTokens tokens; of more, the rows of the first ones are kept,
  // or nothing if there is state. An entry of the same source that has no more than `slack` tokens
  // of its own is removed then, unless there is state.
  // `storage` is asked before each block, and returns where the tokens' rows are now, or null to
  // give up; other methods may be called within. Nothing is written if the storage offers no rows.
  // The error says what went wrong with the disk.
  Result<void> save(std::span<const TokenId> tokens, const std::string& source, int slack,
                    const std::function<const KvStorage*()>& storage);

  // Entries of all models and builds, the most recently used first.
  static std::vector<Listed> list(const std::filesystem::path& folder);
  // clear() removes all entries; forget() removes those whose source is the file `within` or inside
  // the folder `within`. Both return the number removed.
  static int clear(const std::filesystem::path& folder);
  static int forget(const std::filesystem::path& folder, const std::filesystem::path& within);

 private:
  // Facts about a file, valid while its inode and size stay the same.
  struct Known {
    std::uint64_t inode = 0;
    std::uint64_t bytes = 0;
    bool ours = false;  // has our key; the head of any other is not kept
    KvEntryHead head;
  };

  KvArchive(std::filesystem::path folder, Key key, std::uint64_t budget)
      : folder_(std::move(folder)), key_(std::move(key)), budget_(budget) {}

  void scan();
  void learn(const std::string& name);
  Result<bool> write(const KvEntryHead& head, const std::string& name,
                     const std::function<const KvStorage*()>& storage) const;
  void remove_replaced(const KvEntryHead& by, const std::string& name, int slack);
  void keep_budget(const std::string& newest) const;

  std::filesystem::path folder_;
  Key key_;
  std::uint64_t budget_;
  std::map<std::string, Known> known_;  // by name
};

}  // namespace redraft
