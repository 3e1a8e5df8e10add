#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tuning/data/edit_pair.h"
#include "tuning/data/git_repository.h"

namespace redraft {

// The commits of a repository, newest first, that change one source file (tests, documents and data
// may change with it) and describe the change.
class GitPairs : public PairSource {
 public:
  // `licence`: the licence of all files that state no other.
  static Result<GitPairs> open(GitRepository repository, std::string licence);
  Result<std::optional<EditPair>> next() override;

 private:
  GitPairs(GitRepository repository, std::string licence, std::vector<std::string> commits)
      : repository_(std::move(repository)),
        licence_(std::move(licence)),
        commits_(std::move(commits)) {}
  Result<void> read_more();

  GitRepository repository_;
  std::string licence_;
  std::vector<std::string> commits_;
  std::size_t at_ = 0;  // index of the next commit to read
  std::deque<EditPair> ready_;
};

// Whether a file of this path is code that somebody would edit: in a language with a syntax tree,
// and not a test, document, data, installed or generated file.
bool is_source_to_learn(std::string_view path);

}  // namespace redraft
