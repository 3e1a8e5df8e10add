#pragma once

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "text/chat_renderer.h"
#include "text/templates/jinja_template.h"

namespace redraft {

// Our own templates, conversations, and what Jinja2 makes of them.
inline nlohmann::json own_templates() {
  return nlohmann::json::parse(std::ifstream(REDRAFT_TEXT_DATA "/own_templates.json"));
}

inline std::string own_template(const std::string& name) {
  return own_templates()["rendered"][name]["template"];
}

inline std::vector<ChatMessage> messages_of(const nlohmann::json& conversation) {
  std::vector<ChatMessage> messages;
  for (const nlohmann::json& message : conversation)
    messages.push_back({message["role"], message["content"]});
  return messages;
}

// Renders in this process.
class LocalRenderer final : public ChatRenderer {
 public:
  explicit LocalRenderer(const std::string& source)
      : template_(*JinjaTemplate::parse(
            {.source = source, .begin_of_text = "<s>", .end_of_text = "</s>", .model = {}})) {}
  Result<std::string> render(const std::vector<ChatMessage>& messages) override {
    return template_->render(messages);
  }
  void report(const std::string& notice) override { reported.push_back(notice); }

  std::vector<std::string> reported;

 private:
  std::unique_ptr<JinjaTemplate> template_;
};

}  // namespace redraft
