#include "workspace/edit/code_answer.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace redraft {
namespace {

constexpr const char* kOtherModel = "a model whose thinking can be switched off";

void append(std::vector<std::string> more, std::vector<std::string>& lines) {
  std::ranges::move(more, std::back_inserter(lines));
}

}  // namespace

CodeAnswer::CodeAnswer(const Tokenizer& tokenizer, std::string fence, AnswerBeginning beginning)
    : tokenizer_(tokenizer),
      splitter_(beginning),
      opening_(beginning == AnswerBeginning::kThinks ? Opening::kRequired : Opening::kNone),
      prompts_length_(fence.size()),
      fenced_(std::move(fence)) {}

std::vector<std::string> CodeAnswer::add(TokenId token) {
  const bool begun = splitter_.has_thought();
  const ThoughtSplitter::Pieces pieces = splitter_.add(answer_bytes(tokenizer_, token));
  if (splitter_.has_thought() && !begun) opening_ = Opening::kPossible;
  return take(pieces);
}

std::vector<std::string> CodeAnswer::end() {
  std::vector<std::string> lines = take(splitter_.end());
  if (opening_ == Opening::kPossible && (n_read_ > 0 || !line_.empty())) {
    opening_ = Opening::kNone;
    lines = std::exchange(held_, {});
    const FenceLine fence = read_fence(line_);
    if (n_read_ > 0 || fence.length < prompts_length_) {
      append(fenced_.add(line_), lines);
    } else {  // the only line: the closing fence, or an opening one without code
      fenced_ = FencedOutput(std::string(fence.length, '`'));
      if (fence.bare) fenced_.add(line_);
      if (!fence.bare) before_opening_ = line_.size();
    }
  }
  append(fenced_.end(), lines);
  return lines;
}

std::vector<std::string> CodeAnswer::take(const ThoughtSplitter::Pieces& pieces) {
  if (opening_ == Opening::kNone) return fenced_.add(pieces.text);
  line_ += pieces.text;
  while (opening_ != Opening::kNone) {
    const std::size_t size = line_.find('\n') + 1;
    if (size == 0) return {};
    read_line(std::string_view(line_).substr(0, size));
    line_.erase(0, size);
  }
  std::vector<std::string> lines = std::exchange(held_, {});
  append(fenced_.add(std::exchange(line_, {})), lines);
  return lines;
}

// A line, with its ending, of which it is not certain that code came before it.
void CodeAnswer::read_line(std::string_view line) {
  const bool first = n_read_ == 0;
  n_read_ += line.size();
  const FenceLine fence = read_fence(line.substr(0, line.find_last_not_of("\r\n") + 1));
  const bool may_open = opening_ == Opening::kRequired || first || !fence.bare;
  if (fence.length >= prompts_length_ && may_open) {
    fenced_ = FencedOutput(std::string(fence.length, '`'));
    held_.clear();
    before_opening_ = n_read_;
    opening_ = Opening::kNone;
  } else if (opening_ == Opening::kPossible) {
    append(fenced_.add(line), held_);
    if (fenced_.closed()) opening_ = Opening::kNone;
  }
}

std::optional<std::size_t> CodeAnswer::code_begin() const {
  const std::optional<std::size_t> text = splitter_.text_begin();
  if (!text || opening_ != Opening::kNone) return std::nullopt;
  return *text + before_opening_;
}

Result<void> CodeAnswer::check(int n_tokens, bool at_limit) const {
  const std::string tokens = std::to_string(n_tokens) + " tokens";
  if (splitter_.thinking()) {
    if (!at_limit) {
      return Error("the model thought for " + tokens +
                   " and wrote no code. Rephrase the instruction, or choose " + kOtherModel);
    }
    return Error("the model was still thinking after " + tokens +
                 ", which is the limit of this edit. Raise the limit (--max-new-tokens, setting "
                 "edit.maxTokens), or choose " +
                 kOtherModel);
  }
  if (opening_ == Opening::kNone || (opening_ == Opening::kPossible && at_limit)) return {};
  return Error("the model thought and then wrote no code block" +
               std::string(at_limit ? " within " + tokens : "") +
               ". Rephrase the instruction, or choose " + kOtherModel);
}

}  // namespace redraft
