#include "decoding/drafting/lookup/open_text.h"

#include "decoding/drafting/lookup/draft_memory.h"

namespace redraft {

void OpenText::follow(const Files& files) {
  if (files == files_) return;
  files_ = files;
  text_ = SuffixAutomaton();
  if (!files_) return;
  for (const std::vector<TokenId>& file : *files_) {
    for (const TokenId token : file) {
      if (text_.size() >= kMaxTokens) return;
      text_.append(token);
    }
    text_.append(DraftMemory::kBorder);
  }
}

}  // namespace redraft
