#include "workspace/next_edit/place_prompt.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "support/trace/trace.h"
#include "text/chat_template.h"
#include "text/strings/lines.h"
#include "text/thoughts.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/prompt.h"
#include "workspace/next_edit/call_search.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/place_question.h"

namespace redraft {
namespace {

// The number of recent changes shown, and of lines around each.
constexpr std::size_t kMaxShown = 3;
constexpr std::size_t kMaxShownLines = 24;
constexpr int kLinesAround = 3;
// The number of recent substitutions that are named.
constexpr std::size_t kMaxNamed = 3;

constexpr const char* kThinks =
    "the model thinks before each answer, which takes too long for next edits; choose another one "
    "for them (nextEdit.model)";

constexpr const char* kSystem =
    "You help with an edit that a programmer has begun. You are given parts of the code, one at a "
    "time, and answer with each part after the edit, in one code block. Where the same edit has to "
    "be made in a part, it is made; a part that the edit does not concern is repeated exactly as "
    "it is.";

// The text of those lines [begin, end) that exist.
std::string text_between(const std::vector<std::string_view>& lines, int begin, int end) {
  begin = std::max(begin, 0);
  end = std::min(end, static_cast<int>(lines.size()));
  if (begin >= end) return {};
  return text_of_lines(std::span(lines.begin() + begin, lines.begin() + end));
}

// The conversation up to the region: each part of the code and its answer.
class Conversation {
 public:
  Conversation(std::string fence, std::string opening)
      : fence_(std::move(fence)), opening_(std::move(opening)) {
    messages_.push_back({"system", kSystem});
  }

  void add(const std::string& part, const std::string& edited) {
    messages_.push_back({"user", in_fence(part)});
    messages_.push_back({"assistant", in_fence(edited)});
  }
  // `task` comes before the part.
  std::vector<ChatMessage> ask(const std::string& task, const std::string& part) const {
    std::vector<ChatMessage> messages = messages_;
    messages.push_back({"user", task + in_fence(part)});
    return messages;
  }

 private:
  std::string in_fence(const std::string& text) const { return opening_ + text + fence_; }

  std::string fence_, opening_;
  std::vector<ChatMessage> messages_;
};

void add_recent(Conversation& conversation, const std::vector<RecentChange>& recent) {
  const std::size_t first = recent.size() > kMaxShown ? recent.size() - kMaxShown : 0;
  for (std::size_t i = first; i < recent.size(); ++i) {
    const RecentChange& change = recent[i];
    const Result<EditRegion> file = EditRegion::make(change.document, EditScope::kFile, {});
    if (!file || change.before.size() + change.after.size() > kMaxShownLines) continue;
    const std::string above = text_between(file->lines(), change.line - kLinesAround, change.line);
    const std::string below =
        text_between(file->lines(), change.end_line(), change.end_line() + kLinesAround);
    conversation.add(above + text_of_lines(change.before) + below,
                     above + text_of_lines(change.after) + below);
  }
}

// Small models recognise a pattern sooner if it is also described in words.
std::string task_of(const std::vector<RecentChange>& recent) {
  const std::vector<Substitution> made = substitutions(recent);
  if (made.empty()) return {};
  std::string text;
  for (std::size_t i = made.size() - std::min(made.size(), kMaxNamed); i < made.size(); ++i)
    text += (text.empty() ? "`" : ", and `") + made[i].before + "` is now `" + made[i].after + "`";
  return text + ". Make the same edit in the next part:\n";
}

Result<EditRegion> region_of(const NextPlace& place, int first_line, int end_line) {
  const LineIndex& index = place.document->lines();
  const int count = index.line_count();
  const ByteRange range{index.start(first_line),
                        end_line < count ? index.start(end_line) : place.document->text().size()};
  return EditRegion::make(place.document, EditScope::kSelection, range);
}

Result<PlacePrompt> conversation_about(Engine& engine, const NextEditRequest& request,
                                       const NextEditSearch& search, const NextPlace& place) {
  Result<EditRegion> found = region_of(place, place.first_line, place.end_line);
  if (!found) return found.error();
  PlacePrompt prompt{.region = std::move(*found)};
  const EditRegion& region = prompt.region;
  prompt.fence = fence_around(region.document().text());
  const std::string opening = opening_fence(prompt.fence, region.document());
  Conversation conversation(prompt.fence, opening);
  if (!search.quiet.empty()) conversation.add(search.quiet, search.quiet);
  add_recent(conversation, request.recent);
  std::string task = call_task(search.calls, place);
  if (task.empty()) task = task_of(request.recent);
  const Tokenizer& tokenizer = engine.tokenizer();
  Result<std::vector<PromptPart>> parts =
      chat_prompt(tokenizer, conversation.ask(task, region.text()));
  if (!parts) return parts.error();
  prompt.beginning = beginning_of_code(*parts, region, {});
  if (prompt.beginning == AnswerBeginning::kThinks) {
    prompt.refused = kThinks;
    return prompt;
  }
  parts->push_back({opening, false});
  Result<std::vector<TokenId>> tokens = engine.prompt_encoder(Purpose::kNextEdit).encode(*parts);
  if (!tokens) return tokens.error();
  prompt.tokens = std::move(*tokens);
  prompt.original = tokenizer.encode(region.text());
  const std::vector<TokenId> closing = tokenizer.encode(prompt.fence);
  prompt.original.insert(prompt.original.end(), closing.begin(), closing.end());
  prompt.stop_tokens = end_of_turn_tokens(tokenizer);
  return prompt;
}

Result<PlacePrompt> in_format(Engine& engine, const NextEditRequest& request,
                              const NextPlace& place, const NextEditFormat& format) {
  Result<NextEditPrompt> asked = prompt_about(place, request.recent, request.folders, format);
  Result<EditRegion> region = asked ? region_of(place, asked->first_line, asked->end_line)
                                    : region_of(place, place.first_line, place.end_line);
  if (!region) return region.error();
  PlacePrompt prompt{.region = std::move(*region), .format = &format};
  if (!asked) {
    prompt.refused = asked.error().message();
    return prompt;
  }
  const Tokenizer& tokenizer = engine.tokenizer();
  const Result<std::vector<PromptPart>> parts = as_tokens(format, tokenizer, asked->parts);
  if (!parts) return parts.error();
  Result<std::vector<TokenId>> tokens = engine.prompt_encoder(Purpose::kNextEdit).encode(*parts);
  if (!tokens) return tokens.error();
  prompt.tokens = std::move(*tokens);
  prompt.original = tokenizer.encode(asked->draft);
  prompt.stop_tokens = answer_ends(format, tokenizer);
  prompt.asked = std::move(*asked);
  return prompt;
}

}  // namespace

Result<const NextEditFormat*> format_of(Engine& engine, const NextEditRequest& request) {
  const NextEditFormat* format = find_next_edit_format(request.format, engine.target_names());
  if (format == nullptr) return format;
  const Result<std::vector<PromptPart>> known = as_tokens(*format, engine.tokenizer(), {});
  if (known) return format;
  if (request.format == kFormatByModel) return nullptr;
  return known.error();
}

Result<PlacePrompt> place_prompt(Engine& engine, const NextEditRequest& request,
                                 const NextEditSearch& search, const NextPlace& place,
                                 const NextEditFormat* format) {
  const Span span("prompt");
  return format == nullptr ? conversation_about(engine, request, search, place)
                           : in_format(engine, request, place, *format);
}

PlaceAnswer::PlaceAnswer(const Tokenizer& tokenizer, const PlacePrompt& prompt)
    : tokenizer_(tokenizer) {
  if (prompt.format != nullptr) {
    formatted_.emplace(*prompt.format, prompt.asked);
  } else {
    code_.emplace(tokenizer, prompt.fence, prompt.beginning);
  }
}

bool PlaceAnswer::add(TokenId token, double log_probability) {
  if (formatted_) return formatted_->add(tokenizer_.bytes(token));
  tokens_.emplace_back(token, log_probability);
  code_->add(token);
  return !code_->closed();
}

// Divides the code, whose beginning is known now. Thoughts and what is written before the fence
// belong to no line; a token that ends a line counts for that line.
WrittenLines PlaceAnswer::code_lines() const {
  WrittenLines written;
  double sum = 0;
  const auto take = [&](std::vector<std::string> lines) {
    for (std::string& line : lines) {
      written.lines.push_back(std::move(line));
      written.log_probabilities.push_back(std::exchange(sum, 0));
    }
  };
  FencedOutput output(code_->fence());
  std::size_t before = code_->code_begin().value_or(0);
  for (const auto& [token, log_probability] : tokens_) {
    const std::string_view bytes = answer_bytes(tokenizer_, token);
    const std::size_t skipped = std::min(before, bytes.size());
    before -= skipped;
    if (skipped > 0 && skipped == bytes.size()) continue;
    sum += log_probability;
    take(output.add(bytes.substr(skipped)));
  }
  take(output.end());
  return written;
}

std::optional<WrittenLines> PlaceAnswer::lines(FinishReason reason) {
  if (reason == FinishReason::kCancelled) return std::nullopt;
  if (formatted_) {
    std::optional<std::vector<std::string>> window =
        formatted_->window(reason == FinishReason::kStop);
    if (!window) return std::nullopt;
    return WrittenLines{.lines = std::move(*window)};
  }
  if (reason == FinishReason::kLength) return std::nullopt;  // it writes something else
  code_->end();
  if (!code_->check(0, false)) return std::nullopt;  // it only thought
  return code_lines();
}

}  // namespace redraft
