#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "support/result.h"
#include "text/chat_template.h"

namespace redraft {

// Runs the chat template that a model's file carries: a program in Jinja by an unknown author.
class ChatRenderer {
 public:
  virtual ~ChatRenderer() = default;

  // What the template writes for these messages, ending with the opened assistant turn; thinking is
  // off. The texts are data, whatever they contain. An error is a reason in the form of a sentence
  // without its end ("it took longer than 1 second"). Any thread; may block for some seconds.
  virtual Result<std::string> render(const std::vector<ChatMessage>& messages) = 0;

  // Tells the user that the template was not used for a prompt, and why. Later calls do nothing.
  // Any thread.
  virtual void report(const std::string& notice) = 0;
};

// What a renderer is made of, as a model's file gives it.
struct ChatTemplate {
  std::string source;         // Jinja
  std::string begin_of_text;  // the spelling of that token; empty: none
  std::string end_of_text;
  std::string model;  // its path, for notices
};

using OnNotice = std::function<void(const std::string& notice)>;
using MakeChatRenderer = std::function<std::shared_ptr<ChatRenderer>(ChatTemplate, OnNotice)>;

}  // namespace redraft
