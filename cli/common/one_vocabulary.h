#pragma once

#include <memory>
#include <mutex>

#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft::cli {

// The vocabulary of a process. Its indexes contain tokens, so only the next process can load a
// model with another vocabulary, however its file got there. Any thread.
class OneVocabulary {
 public:
  // The first vocabulary is the process's. The error for another one says what to do.
  Result<void> take(const std::shared_ptr<const Tokenizer>& tokenizer);

 private:
  std::mutex mutex_;
  std::shared_ptr<const Tokenizer> first_;
};

}  // namespace redraft::cli
