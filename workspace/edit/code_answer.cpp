#include "workspace/edit/code_answer.h"

#include <utility>

namespace redraft {
namespace {

constexpr const char* kOtherModel = "a model whose thinking can be switched off";

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
  if (opening_ == Opening::kPossible && !line_.empty()) {
    opening_ = Opening::kNone;
    if (fence_length(line_) < prompts_length_)
      lines = fenced_.add(line_);  // otherwise it is the closing fence
  }
  for (std::string& line : fenced_.end()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> CodeAnswer::take(const ThoughtSplitter::Pieces& pieces) {
  if (pieces.text.empty()) return {};
  if (opening_ == Opening::kNone) return fenced_.add(pieces.text);
  line_ += pieces.text;
  if (!find_opening()) return {};
  opening_ = Opening::kNone;
  return fenced_.add(std::exchange(line_, {}));
}

// Whether line_ begins with code. Removes complete lines before it.
bool CodeAnswer::find_opening() {
  for (std::size_t end = line_.find('\n'); end != std::string::npos; end = line_.find('\n')) {
    std::string_view line = std::string_view(line_).substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t length = fence_length(line);
    if (opening_ == Opening::kPossible && length < prompts_length_) return true;
    if (length > 0) fenced_ = FencedOutput(std::string(length, '`'));
    before_opening_ += end + 1;
    line_.erase(0, end + 1);
    if (length > 0) return true;
  }
  return false;
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
