#include "text/chat_ml.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace redraft {
namespace {

constexpr std::string_view kOpen = "<think>";
constexpr std::string_view kClose = "</think>";

// What a template does with messages, other than to put them between its tokens.
struct Rules {
  bool trims = false;             // removes white space at both ends of a message
  bool skips_empty = false;       // leaves out the system's message if it is empty
  bool empty_thought = false;     // writes an empty thought if thinking is off
  bool opens_thought = false;     // begins the answer with a thought and cannot switch it off
  bool removes_thoughts = false;  // from what the assistant said
  bool keeps_thoughts = false;    // every turn of the assistant has a thought, even an empty one
  bool late_thoughts = false;     // so do those after the last question
  bool only_last = false;         // of these, only the last one has an empty thought
};

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

Rules rules_of(const std::string& chat_template) {
  std::string text = chat_template;
  for (std::size_t i = 0; (i = text.find("\\n", i)) != std::string::npos;) text.replace(i, 2, "\n");
  const bool empty_thought = has(text, "<think>\n\n</think>\n\n");
  const bool opens_thought = has(text, "<|im_start|>assistant\n<think>\n");
  text = chat_template;
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return {.trims = has(text, "message.content,true)|trim") ||
                   has(text, "setcontent=message.content|trim"),
          .skips_empty = has(text, R"({%-ifcontent%}{{-'<|im_start|>system\n'+)"),
          .empty_thought = empty_thought && has(text, "enable_thinking"),
          .opens_thought = opens_thought && !has(text, "enable_thinking"),
          .removes_thoughts = has(text, "content.split('</think>')"),
          .keeps_thoughts = has(text, "preserve_thinkingisundefinedor"),
          .late_thoughts = has(text, "loop.index0>ns.last_query_index"),
          .only_last = has(text, "loop.lastor(notloop.lastandreasoning_content)")};
}

std::string_view without_first_lines(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

struct Answer {
  std::string_view thought, text;
};

// What stands before the first </think>, as far as it follows a <think>, and what stands after the
// last one.
Answer split_answer(std::string_view text, const Rules& rules) {
  const std::size_t close = text.find(kClose);
  if (!rules.removes_thoughts || close == std::string_view::npos) return {{}, text};
  std::string_view thought = text.substr(0, close);
  thought = thought.substr(0, thought.find_last_not_of('\n') + 1);
  if (const std::size_t open = thought.rfind(kOpen); open != std::string_view::npos)
    thought.remove_prefix(open + kOpen.size());
  thought = without_first_lines(thought);
  return {rules.trims ? trimmed_as_in_templates(thought) : thought,
          without_first_lines(text.substr(text.rfind(kClose) + kClose.size()))};
}

// The index of the last message that is a question of the user's, not the result of a tool.
std::size_t last_question(const std::vector<ChatMessage>& messages, const Rules& rules) {
  for (std::size_t i = messages.size(); i-- > 0;) {
    if (messages[i].role != "user") continue;
    std::string_view text = messages[i].text;
    if (rules.trims) text = trimmed_as_in_templates(text);
    if (!text.starts_with("<tool_response>") || !text.ends_with("</tool_response>")) return i;
  }
  return messages.size() - 1;
}

// A tag that the vocabulary lacks is ordinary text.
PromptPart part_of_tag(std::string_view tag, const Tokenizer& tokenizer) {
  return {std::string(tag), tokenizer.special(tag) >= 0};
}

void add_thought(std::string_view thought, const Tokenizer& tokenizer,
                 std::vector<PromptPart>& parts) {
  parts.push_back(part_of_tag(kOpen, tokenizer));
  parts.push_back({"\n" + std::string(thought) + "\n", false});
  parts.push_back(part_of_tag(kClose, tokenizer));
  parts.push_back({"\n\n", false});
}

}  // namespace

std::vector<PromptPart> chat_ml(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages) {
  const Rules rules = rules_of(tokenizer.chat_template());
  const std::size_t question = last_question(messages, rules);
  std::vector<PromptPart> parts;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& role = messages[i].role;
    std::string_view text = messages[i].text;
    if (rules.trims) text = trimmed_as_in_templates(text);
    if (role == "system" && text.empty() && rules.skips_empty) continue;
    parts.push_back({"<|im_start|>", true});
    parts.push_back({role + "\n", false});
    if (role == "assistant" && rules.empty_thought) {
      const Answer answer = split_answer(text, rules);
      const bool late = rules.late_thoughts && i > question;
      const bool said = !rules.only_last || i + 1 == messages.size() || !answer.thought.empty();
      text = answer.text;
      if (rules.keeps_thoughts || (late && said)) {
        add_thought(answer.thought, tokenizer, parts);
        text = without_first_lines(text);
      }
    }
    parts.push_back({std::string(text), false});
    parts.push_back({"<|im_end|>", true});
    parts.push_back({"\n", false});
  }
  parts.push_back({"<|im_start|>", true});
  parts.push_back({"assistant\n", false});
  if (rules.empty_thought) add_thought({}, tokenizer, parts);
  if (rules.opens_thought) {
    parts.push_back(part_of_tag(kOpen, tokenizer));
    parts.push_back({"\n", false});
  }
  return parts;
}

}  // namespace redraft
