#include "tests/kit/answer_script.h"

#include <algorithm>
#include <string>

namespace redraft {
namespace {

constexpr std::string_view kRole = "assistant\n";

std::string rest_of_answer(const FillScript& answers, const std::string& said,
                           const std::string& written) {
  for (const FillScript::Fill& answer : answers.fills) {
    if (said.find(answer.after) == std::string::npos) continue;
    return answer.write.starts_with(written) ? answer.write.substr(written.size()) : std::string();
  }
  return {};
}

}  // namespace

TokenId next_answer_token(const Tokenizer& tokenizer, const FillScript& answers,
                          std::span<const TokenId> sequence) {
  const auto turn =
      std::find(sequence.rbegin(), sequence.rend(), tokenizer.special("<|im_start|>")).base();
  const bool chat = turn != sequence.begin();
  std::string rest;
  if (chat) {
    const std::string last = tokenizer.decode({turn, sequence.end()});
    if (last.starts_with(kRole))
      rest = rest_of_answer(answers, tokenizer.decode({sequence.begin(), turn}),
                            last.substr(kRole.size()));
  } else {
    rest = fill_behind(answers, tokenizer.decode(sequence));
  }
  if (rest.empty()) return chat ? tokenizer.special("<|im_end|>") : tokenizer.end_of_text();
  return tokenizer.encode(rest.substr(0, 1)).front();
}

}  // namespace redraft
