#include "tuning/encoded_example.h"

#include <algorithm>
#include <string_view>

#include "text/prompt_encoder.h"

namespace redraft {
namespace {

bool overlaps(const std::vector<ByteRange>& ranges, std::size_t begin, std::size_t end) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ByteRange& range) {
    return range.begin < end && begin < range.end;
  });
}

}  // namespace

ExampleEncoder::ExampleEncoder(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    if (!tokenizer.is_special(id)) continue;
    std::string spelling = tokenizer.display(id);
    if (!spelling.empty() && tokenizer.special(spelling) == id)
      controls_.emplace_back(std::move(spelling), id);
  }
  std::stable_sort(controls_.begin(), controls_.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
}

Result<std::vector<TokenId>> ExampleEncoder::encode_prompt(const std::string& prompt) const {
  std::vector<PromptPart> parts;
  std::string text;
  for (std::size_t at = 0; at < prompt.size();) {
    const auto found = std::find_if(controls_.begin(), controls_.end(), [&](const auto& control) {
      return prompt.compare(at, control.first.size(), control.first) == 0;
    });
    if (found == controls_.end()) {
      text += prompt[at++];
      continue;
    }
    at += found->first.size();
    // encode_prompt() adds the token that every prompt begins with.
    if (parts.empty() && text.empty() && found->second == tokenizer_.begin_of_text()) continue;
    if (!text.empty()) parts.push_back({std::exchange(text, {}), false});
    parts.push_back({found->first, true});
  }
  if (!text.empty()) parts.push_back({text, false});
  return redraft::encode_prompt(tokenizer_, parts);
}

Result<TrainingText> ExampleEncoder::encode(const TuningExample& example, TuningLoss loss) const {
  Result<std::vector<TokenId>> prompt = encode_prompt(example.prompt);
  if (!prompt) return prompt.error().in(example.source);
  if (prompt->empty()) return Error(example.source + ": its prompt has no tokens");
  std::string_view text = example.target;
  const auto end = std::find_if(controls_.begin(), controls_.end(),
                                [&](const auto& control) { return text.ends_with(control.first); });
  if (end != controls_.end()) text.remove_suffix(end->first.size());
  if (!tokenizer_.covers(text)) {
    return Error(example.source + ": its target has a character that the vocabulary lacks");
  }
  TrainingText out;
  out.tokens = std::move(*prompt);
  std::size_t begin = 0;
  const auto append = [&](TokenId token, std::size_t bytes) {
    if (loss == TuningLoss::kSft || overlaps(example.learn, begin, begin + bytes))
      out.learnt.push_back(static_cast<std::int32_t>(out.tokens.size()));
    out.tokens.push_back(token);
    begin += bytes;
  };
  for (const TokenId token : tokenizer_.encode(text)) append(token, tokenizer_.bytes(token).size());
  if (end != controls_.end()) append(end->second, end->first.size());
  if (out.learnt.empty()) return Error(example.source + ": no part of its target is learnt");
  return out;
}

EncodedExamples encode_examples(const ExampleEncoder& encoder,
                                const std::vector<TuningExample>& examples, TuningLoss loss,
                                int max_tokens) {
  EncodedExamples out;
  for (const TuningExample& example : examples) {
    Result<TrainingText> text = encoder.encode(example, loss);
    if (!text) {
      if (out.refused++ == 0) out.first_refusal = text.error().message();
    } else if (text->tokens.size() > static_cast<std::size_t>(max_tokens)) {
      ++out.too_long;
    } else {
      out.texts.push_back(std::move(*text));
    }
  }
  return out;
}

}  // namespace redraft
