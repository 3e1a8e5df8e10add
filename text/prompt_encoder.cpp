#include "text/prompt_encoder.h"

#include <algorithm>
#include <utility>

#include "text/unicode.h"

namespace redraft {
namespace {

// The one place in which two texts differ: what is left without their common beginning and end.
EncodedText::ChangedBytes difference(std::string_view before, std::string_view after) {
  const std::size_t shorter = std::min(before.size(), after.size());
  const auto first = std::mismatch(before.begin(), before.begin() + shorter, after.begin());
  const auto begin = static_cast<std::size_t>(first.first - before.begin());
  const auto last =
      std::mismatch(before.rbegin(), before.rbegin() + (shorter - begin), after.rbegin());
  const auto n_after = static_cast<std::size_t>(last.first - before.rbegin());
  return {begin, before.size() - n_after, after.size() - n_after};
}

}  // namespace

Result<std::vector<TokenId>> PromptEncoder::encode(const std::vector<PromptPart>& parts) {
  n_encoded_bytes_ = 0;
  std::vector<TokenId> ids;
  if (tokenizer_->begin_of_text() >= 0) ids.push_back(tokenizer_->begin_of_text());
  std::string text;
  std::size_t n_texts = 0;
  const auto flush = [&] {
    if (!text.empty()) append_text(n_texts++, std::exchange(text, {}), ids);
  };
  for (const PromptPart& part : parts) {
    if (!part.control) {
      text += part.text;
      continue;
    }
    flush();
    const TokenId id = tokenizer_->special(part.text);
    if (id < 0) {
      return Error("the model has no special token " + quoted_in_error(part.text) +
                   ": its chat format is not one that redraft knows");
    }
    ids.push_back(id);
  }
  flush();
  texts_.erase(texts_.begin() + static_cast<std::ptrdiff_t>(n_texts), texts_.end());
  return ids;
}

void PromptEncoder::append_text(std::size_t index, std::string text, std::vector<TokenId>& ids) {
  if (index == texts_.size()) {
    n_encoded_bytes_ += text.size();
    texts_.push_back({std::move(text), EncodedText(*tokenizer_, {})});
    texts_.back().encoded.update(texts_.back().text, {0, 0, texts_.back().text.size()});
  } else {
    Remembered& remembered = texts_[index];
    const EncodedText::ChangedBytes edit = difference(remembered.text, text);
    remembered.text = std::move(text);
    if (edit.begin < edit.old_end || edit.begin < edit.new_end) {
      n_encoded_bytes_ += remembered.encoded.update(remembered.text, edit);
    }
  }
  texts_[index].encoded.append_to(ids);
}

Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer,
                                           const std::vector<PromptPart>& parts) {
  return PromptEncoder(tokenizer).encode(parts);
}

}  // namespace redraft
