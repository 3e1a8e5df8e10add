#include "workspace/completion/completion_prompt.h"

#include <utility>

#include "workspace/completion/fill_format.h"

namespace redraft {
namespace {

// The parts of a fill-in-the-middle prompt, in the order of the format.
class FillPrompt {
 public:
  // `format` may be null: the model continues a text.
  FillPrompt(const Tokenizer& tokenizer, const FillFormat* format)
      : format_(format), has_files_(format && tokenizer.special(format->file) >= 0) {}

  std::vector<PromptPart> parts(const CompletionContext& context) {
    const bool files_first = !context.suffix || format_->files == FillFormat::Files::kFirst;
    if (files_first) add_files(context);
    if (!context.suffix) {
      add(context.prefix);
      return std::move(parts_);
    }
    const bool suffix_first = format_->order == FillFormat::Order::kSuffixFirst;
    if (suffix_first) add_suffix(*context.suffix);
    add_token(format_->prefix);
    if (!files_first) add_files(context);
    add(context.prefix);
    if (!suffix_first) add_suffix(*context.suffix);
    if (!format_->middle.empty()) add_token(format_->middle);
    return std::move(parts_);
  }

 private:
  void add(std::string_view text) { parts_.push_back({std::string(text), false}); }
  void add_token(std::string_view spelling) { parts_.push_back({std::string(spelling), true}); }
  void add_suffix(std::string_view suffix) {
    add_token(format_->suffix);
    add(suffix);
  }
  void begin_file(const std::string& file) {
    if (has_files_) add_token(format_->file);
    const std::string_view heading = format_ ? format_->heading : FillFormat().heading;
    add((has_files_ ? "" : std::string(heading)) + file + "\n");
  }
  void add_files(const CompletionContext& context) {
    for (const Snippet& snippet : context.snippets) {
      begin_file(snippet.file);
      add(snippet.text);
    }
    if (!context.snippets.empty()) begin_file(context.file);
  }

  const FillFormat* format_;
  bool has_files_;
  std::vector<PromptPart> parts_;
};

// The position of a spelling in a text.
struct SpelledPart {
  std::size_t at = std::string_view::npos;
  std::size_t end = 0;  // after the spelling
  bool is_there() const { return at != std::string_view::npos; }
};

SpelledPart find_once(std::string_view prompt, std::string_view spelling) {
  const std::size_t at = prompt.find(spelling);
  if (at == std::string_view::npos || prompt.find(spelling, at + 1) != std::string_view::npos)
    return {};
  return {at, at + spelling.size()};
}

std::optional<SpelledFill> read_spelled(std::string_view prompt, const FillFormat& format) {
  const SpelledPart prefix = find_once(prompt, format.prefix);
  const SpelledPart suffix = find_once(prompt, format.suffix);
  const SpelledPart middle = format.middle.empty() ? SpelledPart{prompt.size(), prompt.size()}
                                                   : find_once(prompt, format.middle);
  if (!prefix.is_there() || !suffix.is_there() || !middle.is_there()) return {};
  const bool suffix_first = format.order == FillFormat::Order::kSuffixFirst;
  const SpelledPart& first = suffix_first ? suffix : prefix;
  const SpelledPart& second = suffix_first ? prefix : suffix;
  if (first.at != 0 || second.at < first.end || middle.at < second.end ||
      middle.end != prompt.size())
    return {};
  const std::string_view one = prompt.substr(first.end, second.at - first.end);
  const std::string_view two = prompt.substr(second.end, middle.at - second.end);
  return suffix_first ? SpelledFill{.prefix = two, .suffix = one} : SpelledFill{one, two};
}

}  // namespace

Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context) {
  if (!context.suffix)
    return FillPrompt(tokenizer, find_fill_format(tokenizer, context.model)).parts(context);
  const Result<const FillFormat*> format = require_fill_format(tokenizer, context.model);
  if (!format) return format.error();
  return FillPrompt(tokenizer, *format).parts(context);
}

std::optional<SpelledFill> read_spelled_fill(std::string_view prompt) {
  for (const FillFormat& format : fill_formats()) {
    if (const std::optional<SpelledFill> fill = read_spelled(prompt, format)) return fill;
  }
  return {};
}

std::vector<TokenId> completion_ends(const Tokenizer& tokenizer, std::string_view model) {
  std::vector<TokenId> ends;
  const FillFormat* format = find_fill_format(tokenizer, model);
  if (!format) return ends;
  const auto add = [&](std::string_view spelling) {
    const TokenId id = spelling.empty() ? -1 : tokenizer.special(spelling);
    if (id >= 0) ends.push_back(id);
  };
  for (const std::string_view spelling :
       {format->prefix, format->suffix, format->middle, format->file})
    add(spelling);
  for (const std::string_view spelling : format->ends) add(spelling);
  return ends;
}

}  // namespace redraft
