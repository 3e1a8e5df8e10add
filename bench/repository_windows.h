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

// Each with its line break.
std::vector<std::string_view> lines_of(std::string_view text);

// Some lines of a file.
struct LineWindow {
  const StoredFile* file = nullptr;
  std::string_view text;             // whole lines, of the file's content
  std::vector<TokenId> tokens = {};  // those in it, ascending, each once
};

// The files of a repository as windows of lines that overlap.
class RepositoryWindows {
 public:
  static constexpr int kLines = 20;  // of a window: the paper's size for lines
  static constexpr int kSlice = 10;  // from where one begins to where the next one does

  // `files` and `tokenizer` outlive this.
  RepositoryWindows(std::span<const StoredFile> files, const Tokenizer& tokenizer);

  // The windows whose sets of tokens are most like the query's (Jaccard: shared over all), the most
  // alike first, at equal likeness in the order of the files; those that share nothing with it and
  // those of the file `except` are left out.
  std::vector<LineWindow> most_alike(std::string_view query, std::string_view except,
                                     std::size_t count) const;

 private:
  const Tokenizer& tokenizer_;
  std::vector<LineWindow> windows_;
};

}  // namespace redraft
