#include "bench/output_limit.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "workspace/edit/code_answer.h"

namespace redraft {
namespace {

constexpr std::array<std::string_view, 6> kAfterScript = {"\nassert ", "\nprint(", "\nif __name__",
                                                          "\n\"\"\"",  "\n'''",    "\n```"};
constexpr std::size_t kLongestMark = 12;

// Whether a line that begins with `c` belongs to the function above it although it is not indented.
bool goes_on(char c) { return std::string_view(" \t\r\n)]}#").find(c) != std::string_view::npos; }

}  // namespace

struct OutputLimit::Impl {
  const Tokenizer& tokenizer;
  OutputEnd end;
  CodeAnswer code;
  std::string text = {};
  bool complete = false;

  // Searches from byte `from` on.
  std::size_t end_of_function(std::size_t from) const {
    for (std::size_t at = from; (at = text.find('\n', at)) != std::string::npos; ++at) {
      if (at + 1 < text.size() && !goes_on(text[at + 1])) return at;
    }
    return std::string::npos;
  }
  std::size_t end_of_script(std::size_t from) const {
    std::size_t first = std::string::npos;
    for (const std::string_view mark : kAfterScript) first = std::min(first, text.find(mark, from));
    return first;
  }
  void take(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) text += line + "\n";
  }
};

OutputLimit::OutputLimit(const Tokenizer& tokenizer, OutputEnd end, const std::string& fence,
                         AnswerBeginning beginning)
    : impl_(new Impl{tokenizer, end, CodeAnswer(tokenizer, fence, beginning)}) {}

OutputLimit::~OutputLimit() = default;

bool OutputLimit::add(TokenId token) {
  if (impl_->complete) return false;
  if (impl_->end == OutputEnd::kFence) {
    impl_->take(impl_->code.add(token));
    impl_->complete = impl_->code.closed();
    return !impl_->complete;
  }
  const std::string_view bytes = impl_->tokenizer.bytes(token);
  const std::size_t seen = impl_->text.size();
  impl_->text += bytes;
  if (impl_->end == OutputEnd::kNone) return true;
  const std::size_t from = seen - std::min(seen, kLongestMark);
  const std::size_t end = impl_->end == OutputEnd::kFunction ? impl_->end_of_function(from)
                                                             : impl_->end_of_script(from);
  if (end == std::string::npos) return true;
  impl_->text.resize(end + 1);
  impl_->complete = true;
  return false;
}

std::string OutputLimit::text() {
  if (impl_->end == OutputEnd::kFence && !impl_->code.closed()) impl_->take(impl_->code.end());
  return std::move(impl_->text);
}

}  // namespace redraft
