// render_templates: reads {"templates": {NAME: SOURCE}, "conversations": […]} and writes
// {NAME: [[ENGINE, PROMPT], …]}, what the engine makes of each conversation and what
// rendered_prompt() does; null where there is a refusal. For template_goldens_test.py.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/text/templates/own_templates.h"
#include "tests/text/tokenizer_kit.h"
#include "text/rendered_prompt.h"

namespace redraft {
namespace {

nlohmann::json text_or_null(const Result<std::string>& text, const std::string& what) {
  if (text) return *text;
  std::cerr << what << ": " << text.error().message() << "\n";
  return nullptr;
}

Result<std::string> prompt_text(const Tokenizer& tokenizer, ChatRenderer& renderer,
                                const std::vector<ChatMessage>& messages) {
  const auto parts = rendered_prompt(tokenizer, renderer, messages);
  if (!parts) return parts.error();
  std::string text;
  for (const PromptPart& part : *parts) text += part.text;
  return text;
}

int run() {
  const auto tokenizer = tiny_tokenizer();
  const nlohmann::json asked = nlohmann::json::parse(std::cin);
  nlohmann::json answer;
  for (const auto& [name, source] : asked["templates"].items()) {
    LocalRenderer renderer(source);
    int number = 0;
    for (const nlohmann::json& conversation : asked["conversations"]) {
      const std::vector<ChatMessage> messages = messages_of(conversation);
      const std::string what = name + ", conversation " + std::to_string(number++);
      answer[name].push_back(
          {text_or_null(renderer.render(messages), what),
           text_or_null(prompt_text(*tokenizer, renderer, messages), what + ", as a prompt")});
    }
  }
  std::cout << answer.dump(-1, ' ', true) << "\n";
  return 0;
}

}  // namespace
}  // namespace redraft

int main() { return redraft::run(); }
