#pragma once

#include <memory>

#include "text/chat_renderer.h"
#include "text/templates/template_host.h"

namespace redraft {

// Makes renderers whose templates run in processes of `host`, one for each template, as long as the
// renderer lives. A process starts with the first prompt. Every answer is waited for at most ten
// seconds. Once a template has failed, it is given up: every later prompt gets the same reason at
// once. If its process did not answer in time or was ended, which may be no fault of the template,
// another one follows; the third such failure counts.
MakeChatRenderer confined_renderers(std::shared_ptr<TemplateHost> host);

}  // namespace redraft
