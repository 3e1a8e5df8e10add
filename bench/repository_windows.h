#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

struct StoredFile {
  std::string path;
  std::string content;
};

// Some lines of a file.
struct RepositoryWindow {
  const StoredFile* file = nullptr;
  std::string_view text;             // whole lines, of the file's content
  std::vector<TokenId> tokens = {};  // the tokens in it, ascending, each once
};

// The files of a repository as overlapping windows of lines.
class RepositoryWindows {
 public:
  static constexpr int kLines = 20;  // lines per window: the paper's size for lines
  static constexpr int kSlice = 10;  // lines between the beginnings of successive windows

  // `files` and `tokenizer` outlive this.
  RepositoryWindows(std::span<const StoredFile> files, const Tokenizer& tokenizer);

  // The windows whose sets of tokens are most similar to the query's (Jaccard index), the most
  // similar first; equally similar ones in the order of the files. Leaves out windows that share no
  // token with it, and windows of the file `except`.
  std::vector<RepositoryWindow> most_alike(std::string_view query, std::string_view except,
                                           std::size_t count) const;

 private:
  const Tokenizer& tokenizer_;
  std::vector<RepositoryWindow> windows_;
};

}  // namespace redraft
