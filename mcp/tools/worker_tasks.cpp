#include "mcp/tools/worker_tasks.h"

#include <utility>

#include "mcp/tools/placing.h"
#include "mcp/tools/renaming.h"

namespace redraft::mcp {
namespace {

constexpr const char* kTask = "task";

Json answer(const Json& request) {
  switch (static_cast<WorkerTask>(request.at(kTask).get<int>())) {
    case WorkerTask::kPlace:
      return to_json(place(task_of(request)));
    case WorkerTask::kRenameAtHome:
      return to_json(rename_at_home(home_task_of(request)));
    case WorkerTask::kRenameElsewhere:
      return to_json(rename_in(other_task_of(request)));
  }
  return nullptr;
}

}  // namespace

Result<Json> ask(Call& call, Worker& worker, WorkerTask task, Json arguments) {
  arguments[kTask] = static_cast<int>(task);
  const Result<std::string> answered = worker.ask(call, lsp::to_text(arguments));
  if (!answered) return answered.error();
  return lsp::parse_json(*answered);
}

std::string answer_request(std::string_view request) {
  const Result<Json> json = lsp::parse_json(request);
  return lsp::to_text(json ? answer(*json) : to_json(Result<Placing>(json.error())));
}

}  // namespace redraft::mcp
