#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/result.h"
#include "text/chat_renderer.h"
#include "text/chat_template.h"

namespace redraft {

// A chat template, run by llama.cpp's Jinja engine in this process. Nothing bounds its time, memory
// and depth: only run_renderer() calls this, and tests do with templates that they know.
//
// Templates see what transformers gives them: messages, add_generation_prompt, bos_token,
// eos_token, tools and documents (none), and raise_exception(). Thinking is off by the variables of
// all families that have one. strftime_now() always writes 1 January 2026, because a prompt that
// changes from day to day would have to be read again.
class JinjaTemplate {
 public:
  // An error is a reason, as for ChatRenderer::render.
  static Result<std::unique_ptr<JinjaTemplate>> parse(const ChatTemplate& chat_template);
  ~JinjaTemplate();

  Result<std::string> render(const std::vector<ChatMessage>& messages) const;

 private:
  struct Impl;
  explicit JinjaTemplate(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
