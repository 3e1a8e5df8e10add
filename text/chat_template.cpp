#include "text/chat_template.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "support/utf8/utf8.h"
#include "text/chat_ml.h"
#include "text/chat_renderer.h"
#include "text/rendered_prompt.h"
#include "text/unicode.h"

namespace redraft {
namespace {

constexpr std::array kEndsOfTurn{
    "<|im_end|>", "<|endoftext|>",    "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>",
    "<|EOT|>",    "<|end|>",          "<|return|>", "<|call|>",   "<end_of_turn>",
    "<turn|>",    "<|tool_response>", "<eos>",      "</s>"};

enum class Format { kChatMl, kLlama3, kDeepSeekCoder };

// By the marks of turns: those that a template writes, or those that a vocabulary has.
template <typename HasMark>
std::optional<Format> format_with(const HasMark& has) {
  const auto has_all = [&](std::initializer_list<std::string_view> marks) {
    return std::all_of(marks.begin(), marks.end(), has);
  };
  if (has_all({"<|im_start|>", "<|im_end|>"})) return Format::kChatMl;
  if (has_all({"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"})) return Format::kLlama3;
  if (has_all({"### Instruction:", "### Response:", "<|EOT|>"})) return Format::kDeepSeekCoder;
  return std::nullopt;
}

std::optional<Format> format_of_template(std::string_view chat_template) {
  const auto has = [&](std::string_view mark) {
    return chat_template.find(mark) != std::string_view::npos;
  };
  // SmolLM3's ChatML has a header that says whether to think, so it is run.
  if (has("Reasoning Mode: ")) return std::nullopt;
  return format_with(has);
}

std::optional<Format> format_of_vocabulary(const Tokenizer& tokenizer) {
  return format_with([&](std::string_view mark) { return tokenizer.special(mark) >= 0; });
}

const char* name_of(Format format) {
  switch (format) {
    case Format::kChatMl:
      return "ChatML";
    case Format::kLlama3:
      return "Llama 3";
    case Format::kDeepSeekCoder:
      break;
  }
  return "DeepSeek Coder";
}

// <|start_header_id|>role<|end_header_id|>\n\ntext<|eot_id|>
std::vector<PromptPart> llama3(const std::vector<ChatMessage>& messages) {
  std::vector<PromptPart> parts;
  const auto open = [&](const std::string& role) {
    parts.push_back({"<|start_header_id|>", true});
    parts.push_back({role, false});
    parts.push_back({"<|end_header_id|>", true});
    parts.push_back({"\n\n", false});
  };
  for (const ChatMessage& message : messages) {
    open(message.role);
    parts.push_back({std::string(trimmed_as_in_templates(message.text)), false});
    parts.push_back({"<|eot_id|>", true});
  }
  open("assistant");
  return parts;
}

// The system's text, then ### Instruction:\ntext\n and ### Response:\ntext\n<|EOT|>\n
std::vector<PromptPart> deepseek_coder(const std::vector<ChatMessage>& messages) {
  std::vector<PromptPart> parts;
  for (const ChatMessage& message : messages) {
    if (message.role == "system") {
      parts.push_back({message.text, false});
    } else if (message.role == "user") {
      parts.push_back({"### Instruction:\n" + message.text + "\n", false});
    } else {
      parts.push_back({"### Response:\n" + message.text + "\n", false});
      parts.push_back({"<|EOT|>", true});
      parts.push_back({"\n", false});
    }
  }
  parts.push_back({"### Response:\n", false});
  return parts;
}

std::vector<PromptPart> in_format(Format format, const Tokenizer& tokenizer,
                                  const std::vector<ChatMessage>& messages) {
  switch (format) {
    case Format::kChatMl:
      return chat_ml(tokenizer, messages);
    case Format::kLlama3:
      return llama3(messages);
    case Format::kDeepSeekCoder:
      break;
  }
  return deepseek_coder(messages);
}

bool ends_with(const std::vector<PromptPart>& parts, std::string_view control,
               std::string_view text) {
  if (parts.size() < 2) return false;
  const PromptPart& last = parts.back();
  const PromptPart& before = parts[parts.size() - 2];
  return before.control && before.text == control && !last.control && last.text == text;
}

bool has_all(const Tokenizer& tokenizer, std::initializer_list<std::string_view> specials) {
  return std::ranges::all_of(
      specials, [&](std::string_view spelling) { return tokenizer.special(spelling) >= 0; });
}

// What the model of a family writes first when it does not think, where its template leaves that to
// the model: gpt-oss names the channel of its message, and the larger models of Gemma 4 write an
// empty thought.
void open_answer(const Tokenizer& tokenizer, std::vector<PromptPart>& parts) {
  if (ends_with(parts, "<|start|>", "assistant") &&
      has_all(tokenizer, {"<|channel|>", "<|message|>"})) {
    parts.push_back({"<|channel|>", true});
    parts.push_back({"final", false});
    parts.push_back({"<|message|>", true});
  }
  if (tokenizer.answers_after_thought() && ends_with(parts, "<|turn>", "model\n") &&
      has_all(tokenizer, {"<|channel>", "<channel|>"})) {
    parts.push_back({"<|channel>", true});
    parts.push_back({"thought\n", false});
    parts.push_back({"<channel|>", true});
  }
}

constexpr const char* kAdvice =
    " (ChatML, Llama 3, DeepSeek Coder): take an instruction-tuned model of such a family";

// str.isspace() of Python: \s, and four control characters.
bool is_blank_at(std::string_view text, std::size_t position) {
  const char c = text[position];
  return (c >= '\x1C' && c <= '\x1F') || character_at(text, position).kind == CharacterKind::kSpace;
}

}  // namespace

std::string_view trimmed_as_in_templates(std::string_view text) {
  while (!text.empty() && is_blank_at(text, 0)) text.remove_prefix(character_at(text, 0).length);
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && continues_character(text[last])) --last;
    if (!is_blank_at(text, last) || last + character_at(text, last).length != text.size()) break;
    text = text.substr(0, last);
  }
  return text;
}

bool knows_chat_template(std::string_view chat_template) {
  return format_of_template(chat_template).has_value();
}

Result<std::vector<PromptPart>> chat_prompt(const Tokenizer& tokenizer,
                                            const std::vector<ChatMessage>& messages) {
  const std::string& chat_template = tokenizer.chat_template();
  if (const auto known = format_of_template(chat_template))
    return in_format(*known, tokenizer, messages);
  const std::optional<Format> other = format_of_vocabulary(tokenizer);
  if (chat_template.empty()) {
    if (other) return in_format(*other, tokenizer, messages);
    return Error("the model has no chat template that redraft knows" + std::string(kAdvice));
  }
  std::string why = "this program cannot run it";
  if (ChatRenderer* const renderer = tokenizer.chat_renderer()) {
    Result<std::vector<PromptPart>> parts = rendered_prompt(tokenizer, *renderer, messages);
    if (parts) {
      open_answer(tokenizer, *parts);
      return parts;
    }
    why = parts.error().message();
    if (other) {
      renderer->report("The model's chat template is not used: " + why +
                       ". redraft uses the format of " + name_of(*other) + " instead.");
    }
  }
  if (other) return in_format(*other, tokenizer, messages);
  return Error("the model's chat template cannot be used (" + why +
               "), and its vocabulary has no other format that redraft knows" + kAdvice);
}

std::vector<TokenId> end_of_turn_tokens(const Tokenizer& tokenizer) {
  std::vector<TokenId> ids;
  const auto add = [&](TokenId id) {
    if (id >= 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const char* spelling : kEndsOfTurn) add(tokenizer.special(spelling));
  for (const TokenId id : tokenizer.end_tokens()) add(id);
  return ids;
}

}  // namespace redraft
