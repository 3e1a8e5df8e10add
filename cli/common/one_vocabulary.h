#pragma once

#include <memory>
#include <mutex>

#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft::cli {

// The vocabulary of a process: its indexes hold tokens, so a model of another vocabulary can be
// loaded only by the next process, however its file got there. Any thread.
class OneVocabulary {
 public:
  // The first one is the process's. An error for another one says what to do.
  Result<void> take(const std::shared_ptr<const Tokenizer>& tokenizer);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Tokenizer> first_;
};

}  // namespace redraft::cli
