#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/task.h"
#include "decoding/text/tokenizer.h"
#include "indexing/datastore.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

struct SourceFile {
  std::string path;
  std::string content;
};

// Files of JSON lines, each an object with `path` and `content`: hostile until parsed, errors name
// file and line.
Result<std::vector<SourceFile>> read_sources(const std::filesystem::path& file);

// All of `files` in one datastore.
Result<std::shared_ptr<const Datastore>> store_of(const std::vector<std::filesystem::path>& files,
                                                  const Tokenizer& tokenizer);

// The repositories of completion tasks as datastores. Remembers the last one's tokens: tasks of one
// repository follow each other.
class Repositories {
 public:
  // `tokenizer` outlives this.
  explicit Repositories(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Everything but the lines that the task asks for. The error says what cannot be read, or that
  // the repository has no such file or lines.
  Result<std::shared_ptr<const Datastore>> without(const HiddenLines& hidden);

 private:
  Result<void> load(const std::filesystem::path& file);

  const Tokenizer& tokenizer_;
  std::filesystem::path file_;
  std::vector<SourceFile> sources_;
  std::vector<std::vector<TokenId>> tokens_;  // of each source
};

}  // namespace redraft
