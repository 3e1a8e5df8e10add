#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexing/store/file_stamp.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/store/store_folder.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// Texts by name in immutable segments, as a log-structured set (O'Neil et al. 1996): a changed text
// is a new small segment at once, its old place is hidden, and merges keep the segments few and the
// hidden part small. What is saved in a folder is searched where it lies.
//
// Any thread may call anything. Merging and saving happen one at a time; nothing else waits for
// them, or for more than a moment's bookkeeping of another.
class TextStore {
 public:
  // More tokens are not put into one segment: building it takes 17 bytes each for a while.
  static constexpr std::size_t kMaxSegmentTokens = std::size_t{1} << 24;

  struct Text {
    std::string name;
    FileStamp stamp;
    std::vector<TokenId> tokens;
    std::vector<StoredDefinition> definitions = {};
  };

  // Without a folder all stays in memory.
  explicit TextStore(std::optional<StoreFolder> folder = std::nullopt);

  // Takes over what the folder has, to begin with. After an error the store is empty, and what is
  // saved next replaces what was damaged.
  Result<void> load();

  // Adds and replaces texts; they are searchable when it returns. Together fewer than
  // kMaxSegmentTokens, or one alone. Of two of one name the last counts.
  void put(std::vector<Text> texts);
  void erase(std::span<const std::string> names);

  std::optional<FileStamp> stamp(const std::string& name) const;
  std::vector<std::string> names() const;
  // Of names that are paths: `path` itself and those below it.
  std::vector<std::string> names_at(const std::string& path) const;
  // Everything as it is now, but for the text `without`, which is being written.
  std::shared_ptr<const IndexSnapshot> snapshot(const std::string& without = {}) const;

  // Does one merge, if one is due; false if none was.
  bool merge();
  // Brings what is only in memory into the folder. Not an error where another process is the
  // writer, or there is no folder: then nothing is saved. After an error (a full disk) all goes on
  // in memory.
  Result<void> save();

  // Whether another process writes what this one reads.
  bool is_reader();
  // A reader takes over what the writer has saved lately, instead of texts of the same stamps that
  // it holds in memory. False: there was nothing new. What it should not have taken (texts that are
  // gone) is found when the files are looked at again.
  bool adopt();

  struct Statistics {
    std::size_t texts = 0;
    std::size_t tokens = 0;         // of them
    std::size_t hidden_tokens = 0;  // of texts that are gone but still take room
    std::size_t segments = 0;
    std::size_t memory_tokens = 0;  // of segments that are not on disk
  };
  Statistics statistics() const;
  // Where save() saves to; none where it does nothing.
  std::optional<std::filesystem::path> save_folder();

 private:
  struct Entry {
    std::shared_ptr<const Segment> segment;
    std::shared_ptr<const std::vector<std::string>> names;  // of its texts, hidden ones too
    std::vector<std::optional<FileStamp>> stamps;           // null: hidden
    std::shared_ptr<HiddenRanges> hidden = std::make_shared<HiddenRanges>();
    bool shared = false;                    // a snapshot has `hidden`: it must not change any more
    std::optional<std::uint64_t> number{};  // of its file; null: in memory
  };
  using EntryPointer = std::shared_ptr<Entry>;
  struct TextInEntry {
    EntryPointer entry;
    std::size_t text;
  };
  // What a merge brings together, as it was when it began.
  struct Merge {
    std::vector<EntryPointer> entries;
    std::vector<TextInEntry> places;  // of texts that counted, entry by entry
    std::vector<std::string> names;
    std::vector<std::optional<FileStamp>> stamps;
  };

  // All of these need the lock.
  EntryPointer entry_of(StoreManifest::Segment listed, std::shared_ptr<const Segment> segment);
  void hide(const TextInEntry& place);
  void forget(const std::string& name);
  void add(EntryPointer entry);
  void publish();
  std::vector<EntryPointer> due_for_merge(bool on_disk) const;
  Merge begin_merge(std::vector<EntryPointer> entries) const;
  void finish_merge(const Merge& merge, EntryPointer merged);
  StoreManifest manifest() const;

  // These take it for themselves.
  static std::shared_ptr<const Segment> merged_segment(const Merge& merge);
  void run_merge(Merge merge, bool to_disk);

  mutable std::mutex mutex_;  // of all that follows but the folder
  std::vector<EntryPointer> entries_;
  std::unordered_map<std::string, TextInEntry> places_;
  std::shared_ptr<const IndexSnapshot> snapshot_;

  std::mutex background_;  // merge() and save() one at a time; it guards the folder
  std::optional<StoreFolder> folder_;
  std::optional<Error> problem_;  // of the last attempt to write
};

}  // namespace redraft
