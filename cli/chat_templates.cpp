// redraft chat-templates: runs the chat templates of model files for another process
// (text/templates/template_keeper.h).
#include "cli/common/chat_templates.h"

#include "cli/common/command.h"
#include "support/system/side_process.h"
#include "text/templates/template_keeper.h"

namespace redraft::cli {

void add_chat_templates(CommandLine app, Command& chosen) {
  const CommandLine command = app.add_subcommand(kChatTemplatesCommand, "").hide();
  command.callback([&chosen] {
    chosen = [] {
      const Result<void> run = run_template_keeper(kSideSocket);
      return run ? kSuccess : fail(run.error());
    };
  });
}

}  // namespace redraft::cli
