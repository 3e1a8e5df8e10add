#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "indexing/files/file_scan.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/store/text_store.h"
#include "indexing/syntax/syntax_tree.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

struct IndexOptions {
  ScanOptions scan;
  int threads = 2;          // threads that read and encode files
  bool background = false;  // with low priority
  // Limit for all files together; a walk leaves out the rest. The index on disk is twice as large.
  std::uint64_t max_bytes = std::uint64_t{2} << 30;
};

// Progress on new and changed files.
struct IndexProgress {
  std::size_t files = 0, all_files = 0;
  std::uint64_t bytes = 0, all_bytes = 0;
};

// The result of a refresh.
struct RefreshReport {
  ScanReport scan;
  std::map<std::string, std::size_t> languages;  // of all files; empty: unknown
  std::size_t read = 0;                          // files, new or changed
  std::uint64_t read_bytes = 0;
  std::size_t refused = 0;   // files found to be unwanted or unreadable
  std::size_t removed = 0;   // files that no longer exist
  std::size_t left_out = 0;  // files beyond max_bytes
  double seconds = 0;
};

// Keeps a TextStore in step with the files of a workspace and the buffers of an editor; its names
// are absolute paths. Any thread may call any function; two refreshes wait for each other.
class WorkspaceIndex {
 public:
  using OnProgress = std::function<void(const IndexProgress&)>;

  // `roots` that do not exist, or disappear, count as empty.
  WorkspaceIndex(std::span<const std::filesystem::path> roots,
                 std::shared_ptr<const Tokenizer> tokenizer, std::unique_ptr<TextStore> store,
                 IndexOptions options = {});

  // Scans all files, reads those that are new or changed and removes those that no longer exist.
  // Blocks for long. `progress` is called on other threads, one at a time.
  RefreshReport refresh(const OnProgress& progress = {}, std::stop_token stop = {});
  // The same for one file or folder, by its absolute path; ignores paths outside the roots.
  void refresh_place(const std::filesystem::path& path);

  // Replaces the file by an open buffer, if the index covers that file.
  void set_buffer(const std::filesystem::path& path, std::string_view text);
  // The next scan of the file replaces the buffer.
  void close_buffer(const std::filesystem::path& path);

  // Everything except the file `without`.
  std::shared_ptr<const IndexSnapshot> snapshot(const std::filesystem::path& without = {}) const;
  TextStore& store() { return *store_; }
  const std::vector<std::filesystem::path>& roots() const { return roots_; }
  const IndexOptions& options() const { return options_; }

 private:
  class Reading;
  // The result of a walk.
  struct Look {
    std::vector<SourceFile> changed;  // or new
    std::unordered_set<std::string> seen;
  };
  std::string name_of(const SourceFile& file) const;
  void note(const SourceFile& file, Look& look) const;
  // Removes those of `names` that were not seen; returns how many.
  std::size_t forget_unseen(std::vector<std::string> names, const Look& look);
  void read(const std::vector<SourceFile>& files, const OnProgress& progress,
            const std::stop_token& stop, RefreshReport& report);
  void put(std::vector<TextStore::Text> texts);
  struct Buffer {
    std::vector<TokenId> tokens;
    std::vector<StoredDefinition> definitions;
    std::optional<SyntaxTree> tree;  // nullopt: the language is unknown
  };
  bool is_open(const std::string& name) const;
  std::optional<SyntaxTree> tree_of(const std::string& buffer) const;

  std::vector<std::filesystem::path> roots_;  // canonical
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<TextStore> store_;
  IndexOptions options_;
  std::mutex refreshing_;
  mutable std::mutex buffers_mutex_;
  std::unordered_map<std::string, Buffer> buffers_;  // open ones
};

// Identifies the meaning of an index's tokens: different tokenizers give different keys.
std::uint64_t index_key(const Tokenizer& tokenizer);

// Where the index of these folders is stored, in the user's cache folder. Fails if there is none.
// Builds of redraft with another store format use another folder.
Result<std::filesystem::path> index_folder(std::span<const std::filesystem::path> roots,
                                           std::uint64_t key);

// The index of these folders, with the content that an earlier process saved. If the disk cannot be
// used, or the saved index is damaged, it begins empty or in memory only, and `message` says so.
// Removes indexes of other folders that were unused for long: see kept_indexes.h.
std::unique_ptr<WorkspaceIndex> open_index(std::span<const std::filesystem::path> roots,
                                           std::shared_ptr<const Tokenizer> tokenizer,
                                           const IndexOptions& options, std::string& message);

}  // namespace redraft
