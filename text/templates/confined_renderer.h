#pragma once

#include <memory>

#include "text/chat_renderer.h"
#include "text/templates/template_host.h"

namespace redraft {

// Makes renderers whose templates run in processes of `host`, one for each template, as long as the
// renderer lives. A process starts with the first prompt. Every answer is waited for at most ten
// seconds. Once a process has failed, its template is given up: every later prompt gets the same
// reason at once.
MakeChatRenderer confined_renderers(std::shared_ptr<TemplateHost> host);

}  // namespace redraft
