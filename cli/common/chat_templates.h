#pragma once

#include <memory>
#include <string>
#include <vector>

#include "text/chat_renderer.h"
#include "text/templates/template_host.h"

namespace redraft::cli {

// The hidden command that runs the keeper of renderers.
inline constexpr char kChatTemplatesCommand[] = "chat-templates";

// Starts this program with that command when the first template needs it.
std::shared_ptr<TemplateHost> make_template_host();

// Whether the file of a model carries a template that has to be run, or is not there or not read
// yet. Reads only the head of a GGUF file.
bool may_run_chat_template(const std::string& model);

// For `redraft doctor`: what becomes of the template of a model, after running it once; empty if it
// does not have to be run.
std::string state_of_chat_template(const std::string& model);

}  // namespace redraft::cli
