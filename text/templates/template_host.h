#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"
#include "support/system/side_process.h"

namespace redraft {

// Starts processes that render templates. A process that has confined itself can start no program,
// and one with threads must not fork. So a program of one thread is started in advance, and forks
// for each template (template_keeper.h). Any thread.
class TemplateHost {
 public:
  // The program and its arguments; it calls run_template_keeper(). Nothing is started yet.
  explicit TemplateHost(std::vector<std::string> command) : command_(std::move(command)) {}
  // Ends all processes.
  ~TemplateHost();
  TemplateHost(const TemplateHost&) = delete;
  TemplateHost& operator=(const TemplateHost&) = delete;

  // Starts the program, unless it runs. Call this before the process confines itself.
  Result<void> start();

  struct Renderer {
    FileHandle socket;  // to run_renderer()
    std::int32_t id = 0;
  };
  // A new process. Starts the program if it does not run. An error is a reason, as for
  // ChatRenderer::render.
  Result<Renderer> open();
  // Ends a process, whatever it does.
  void end(std::int32_t id);

 private:
  Result<void> start_locked();

  const std::vector<std::string> command_;
  std::mutex mutex_;
  std::optional<SideProcess> keeper_;
};

}  // namespace redraft
