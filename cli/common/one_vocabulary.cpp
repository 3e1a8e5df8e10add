#include "cli/common/one_vocabulary.h"

#include "text/same_vocabulary.h"

namespace redraft::cli {

Result<void> OneVocabulary::take(const std::shared_ptr<const Tokenizer>& tokenizer) {
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = tokenizer;
  if (same_vocabulary(*first_, *tokenizer)) return {};
  return Error(
      "the model's file was replaced by one with another vocabulary. To use it, restart redraft "
      "in each open editor");
}

}  // namespace redraft::cli
