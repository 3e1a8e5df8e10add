#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/repository_windows.h"
#include "bench/task.h"
#include "indexing/store/datastore.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/store/text_store.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// Reads an untrusted file of JSON lines, each an object with `path` and `content`. Errors name file
// and line.
Result<std::vector<StoredFile>> read_sources(const std::filesystem::path& file);

// Puts all of `files` in one datastore.
Result<std::shared_ptr<const Datastore>> store_of(const std::vector<std::filesystem::path>& files,
                                                  const Tokenizer& tokenizer);

// The part of its repository that a completion task may see.
struct RepositoryView {
  std::string before, after;                         // of its own file, around the requested lines
  std::shared_ptr<const IndexSnapshot> all;          // without the requested lines
  std::shared_ptr<const IndexSnapshot> other_files;  // all files but the task's
};

// The repositories of completion tasks as datastores. Keeps the last one, because tasks of one
// repository follow each other.
class Repositories {
 public:
  // `tokenizer` outlives this.
  explicit Repositories(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // The error says what cannot be read, or that the repository has no such file or lines.
  Result<RepositoryView> without(const HiddenLines& hidden);
  // The windows of the last requested repository; valid until another one is requested.
  const RepositoryWindows& windows();

 private:
  Result<void> load(const std::filesystem::path& file);

  const Tokenizer& tokenizer_;
  std::filesystem::path file_;
  std::vector<StoredFile> sources_;
  std::vector<TextStore::Text> texts_;  // of each source
  std::unique_ptr<TextStore> store_;
  std::optional<RepositoryWindows> windows_;  // made when they are needed
};

}  // namespace redraft
