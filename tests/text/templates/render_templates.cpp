// render_templates: reads {"templates": {NAME: SOURCE}, "conversations": […], "controls": […],
// "chats": [NAME, …]} and writes {NAME: [[ENGINE, PROMPT, CHAT], …]}, what the engine makes of each
// conversation, what rendered_prompt() does and, for the names in "chats", what chat_prompt() does
// with a vocabulary that has these control tokens; null where there is a refusal. For
// template_goldens_test.py.
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

Result<std::string> joined(const Result<std::vector<PromptPart>>& parts) {
  if (!parts) return parts.error();
  std::string text;
  for (const PromptPart& part : *parts) text += part.text;
  return text;
}

// A model of Gemma 4 if the template is of that family, so that its answers follow a thought.
std::shared_ptr<const Tokenizer> family_tokenizer(const std::string& source,
                                                  std::shared_ptr<ChatRenderer> renderer,
                                                  const nlohmann::json& controls) {
  TokenizerSpec spec = tiny_spec();
  for (const std::string control : controls) {
    spec.tokens.push_back(control);
    spec.types.push_back(3);
  }
  spec.chat_template = source;
  spec.chat_renderer = std::move(renderer);
  spec.answers_after_thought = true;
  auto tokenizer = Tokenizer::make(std::move(spec));
  if (!tokenizer) throw std::runtime_error(tokenizer.error().message());
  return *tokenizer;
}

int run() {
  const auto tokenizer = tiny_tokenizer();
  const nlohmann::json asked = nlohmann::json::parse(std::cin);
  nlohmann::json answer;
  for (const auto& [name, source] : asked["templates"].items()) {
    const auto renderer = std::make_shared<LocalRenderer>(source);
    const auto family = family_tokenizer(source, renderer, asked["controls"]);
    const std::vector<std::string> chats = asked["chats"];
    const bool is_chat = std::ranges::find(chats, name) != chats.end();
    int number = 0;
    for (const nlohmann::json& conversation : asked["conversations"]) {
      const std::vector<ChatMessage> messages = messages_of(conversation);
      const std::string what = name + ", conversation " + std::to_string(number++);
      answer[name].push_back(
          {text_or_null(renderer->render(messages), what),
           text_or_null(joined(rendered_prompt(*tokenizer, *renderer, messages)),
                        what + ", as a prompt"),
           is_chat ? text_or_null(joined(chat_prompt(*family, messages)), what + ", as a chat")
                   : nlohmann::json()});
    }
  }
  std::cout << answer.dump(-1, ' ', true) << "\n";
  return 0;
}

}  // namespace
}  // namespace redraft

int main() { return redraft::run(); }
