#include "cli/common/one_vocabulary.h"

#include "text/same_vocabulary.h"

namespace redraft::cli {

Result<void> OneVocabulary::take(const std::shared_ptr<const Tokenizer>& tokenizer) {
  const std::lock_guard lock(mutex_);
  if (!first_) first_ = tokenizer;
  if (same_vocabulary(*first_, *tokenizer)) return {};
  return Error(
      "the model's file was replaced by one of another vocabulary; it can be used once redraft is "
      "started again: restart it in each editor that is open");
}

}  // namespace redraft::cli
