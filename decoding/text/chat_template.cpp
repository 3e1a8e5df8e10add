#include "decoding/text/chat_template.h"

namespace redraft {
namespace {

constexpr const char* kTurnStart = "<|im_start|>";
constexpr const char* kTurnEnd = "<|im_end|>";
constexpr const char* kEndOfText = "<|endoftext|>";

}  // namespace

std::vector<PromptPart> chat_prompt(const std::vector<ChatMessage>& messages) {
  std::vector<PromptPart> parts;
  for (const ChatMessage& message : messages) {
    parts.push_back({kTurnStart, true});
    parts.push_back({message.role + "\n" + message.text, false});
    parts.push_back({kTurnEnd, true});
    parts.push_back({"\n", false});
  }
  parts.push_back({kTurnStart, true});
  parts.push_back({"assistant\n", false});
  return parts;
}

std::vector<TokenId> end_of_turn_tokens(const Tokenizer& tokenizer) {
  std::vector<TokenId> ids;
  for (const char* spelling : {kTurnEnd, kEndOfText}) {
    if (const TokenId id = tokenizer.special(spelling); id >= 0) ids.push_back(id);
  }
  return ids;
}

Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer,
                                           const std::vector<PromptPart>& parts) {
  std::vector<TokenId> ids;
  if (tokenizer.begin_of_text() >= 0) ids.push_back(tokenizer.begin_of_text());
  std::string text;
  const auto flush = [&] {
    const std::vector<TokenId> encoded = tokenizer.encode(text);
    ids.insert(ids.end(), encoded.begin(), encoded.end());
    text.clear();
  };
  for (const PromptPart& part : parts) {
    if (!part.control) {
      text += part.text;
      continue;
    }
    flush();
    const TokenId id = tokenizer.special(part.text);
    if (id < 0) {
      return Error("the model has no special token \"" + part.text +
                   "\": its chat format is not one that redraft knows");
    }
    ids.push_back(id);
  }
  flush();
  return ids;
}

}  // namespace redraft
