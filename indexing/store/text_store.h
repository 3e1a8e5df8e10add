#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexing/store/file_stamp.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/store/store_folder.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// A set of named texts that changes all the time and can be searched at any moment.
//
// Why a log-structured set (O'Neil et al. 1996). A suffix array cannot be changed, and building a
// large one takes seconds; yet a saved file should be searchable within milliseconds. So a changed
// text becomes a new small segment and its old version is hidden. Merges in the background keep the
// segments few and the hidden part small. Saved segments are searched in their mapped files.
//
// An example, with one letter for each text:
//
//   load            [A B C D]               from disk
//   put B'          [A - C D] [B']          the old B is hidden
//   snapshot        both segments without the hidden text, whatever is put later
//   put F, erase A  [- - C D] [B'] [F]
//   save            [- - C D] [B' F]        small segments become one, in its own file
//   merge           [C D] [B' F]            half was hidden: the segment is rewritten
//
// Any thread may call any function. Merging, saving and verifying happen one at a time. Other calls
// do not wait for them, and wait for each other only for a moment of bookkeeping.
class TextStore {
 public:
  // The maximum size of one segment. Building it temporarily takes 17 bytes per token.
  static constexpr std::size_t kMaxSegmentTokens = std::size_t{1} << 24;

  struct Text {
    std::string name;
    FileStamp stamp;
    std::vector<TokenId> tokens;
    std::vector<StoredDefinition> definitions = {};
  };

  // Without a folder everything stays in memory. `while_merging` is for tests: called during each
  // merge, after its input was chosen and before its result counts, without a lock.
  explicit TextStore(std::optional<StoreFolder> folder = std::nullopt,
                     std::function<void()> while_merging = {});

  // Loads the content of the folder. Call it once, first. After an error the store is empty, and
  // the next save replaces the damaged files.
  Result<void> load();

  // Adds and replaces texts, which are searchable when it returns. Together they have fewer than
  // kMaxSegmentTokens, or there is only one. If two texts have the same name, the last counts.
  void put(std::vector<Text> texts);
  void erase(std::span<const std::string> names);

  std::optional<FileStamp> stamp(const std::string& name) const;
  std::vector<std::string> names() const;
  // For names that are paths: `path` itself and the paths below it.
  std::vector<std::string> names_at(const std::string& path) const;
  // The current content without the text `without`, which is being written.
  std::shared_ptr<const IndexSnapshot> snapshot(const std::string& without = {}) const;

  // Reads all segments that came from files, each only once, and removes the texts of damaged ones:
  // a scan of the files reads those texts again. Returns the number of removed texts.
  std::size_t verify(const std::stop_token& stop = {});
  // Performs one merge if one is due; false if none was. Verifies its input, because damaged tokens
  // would get a valid checksum.
  bool merge();
  // Saves everything that is only in memory to the folder. If another process is the writer, or
  // there is no folder, it saves nothing and succeeds. After an error, such as a full disk, the
  // store continues in memory.
  Result<void> save();

  // Whether another process writes the folder that this one reads.
  bool is_reader();
  // For a reader: loads what the writer has saved since, and drops texts with the same stamps from
  // memory. False: there was nothing new. The loaded texts may include deleted ones; a scan of the
  // files removes those.
  bool adopt();

  struct Statistics {
    std::size_t texts = 0;
    std::size_t tokens = 0;         // of those texts
    std::size_t hidden_tokens = 0;  // of removed texts that still take space
    std::size_t segments = 0;
    std::size_t memory_tokens = 0;  // of segments that are not on disk
  };
  Statistics statistics() const;
  // The folder that save() writes to; nullopt if it writes nothing.
  std::optional<std::filesystem::path> save_folder();

 private:
  struct Entry {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const std::vector<std::string>> names;  // of its texts, including hidden ones
    std::vector<std::optional<FileStamp>> stamps;           // null: hidden
    std::shared_ptr<HiddenRanges> hidden = std::make_shared<HiddenRanges>();
    bool shared = false;                    // used by a snapshot: `hidden` must not change any more
    std::optional<std::uint64_t> number{};  // of its file; nullopt: in memory
    bool verified = true;                   // false: verify() has not read it yet
  };
  using EntryPointer = std::shared_ptr<Entry>;
  struct TextInEntry {
    EntryPointer entry;
    std::size_t text;
  };
  // The input of a merge, as it was when the merge began.
  struct Merge {
    std::vector<EntryPointer> entries;
    std::vector<TextInEntry> places;  // texts that counted, entry by entry
    std::vector<std::string> names;
    std::vector<std::optional<FileStamp>> stamps;
  };

  // The functions below require the lock.
  EntryPointer entry_of(StoreManifest::Segment listed, std::shared_ptr<const Segment> segment);
  void hide(const TextInEntry& place);
  void forget(const std::string& name);
  void add(EntryPointer entry);
  void publish();
  std::vector<EntryPointer> due_for_merge(bool on_disk) const;
  Merge begin_merge(std::vector<EntryPointer> entries) const;
  void finish_merge(const Merge& merge, EntryPointer merged);
  StoreManifest manifest() const;

  // These take the lock themselves.
  static std::shared_ptr<const Segment> merged_segment(const Merge& merge);
  void run_merge(Merge merge, bool to_disk);
  std::size_t verify(const std::vector<EntryPointer>& entries, const std::stop_token& stop);

  mutable std::mutex mutex_;  // guards all members below except the folder
  std::vector<EntryPointer> entries_;
  std::unordered_map<std::string, TextInEntry> places_;
  std::shared_ptr<const IndexSnapshot> snapshot_;
  std::set<std::uint64_t> damaged_;  // numbers of files that verify() rejected

  std::mutex background_;  // merge() and save() run one at a time; guards the folder
  std::optional<StoreFolder> folder_;
  std::optional<Error> problem_;  // of the last attempt to write
  std::function<void()> while_merging_;
};

}  // namespace redraft
