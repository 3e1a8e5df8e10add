#pragma once

#include <string>
#include <string_view>

#include "mcp/tool.h"
#include "mcp/tools/worker_process.h"
#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::mcp {

// A confined process that answers requests for calls of tools. It is started before the first
// request and again after one that it did not survive.
class Worker {
 public:
  explicit Worker(AnswerRequest answer) : answer_(std::move(answer)) {}

  // Starts the process, so that the first request need not wait for it.
  Result<void> start();
  // The answer. Errors: the call was cancelled; the process crashed, or took too long.
  Result<std::string> ask(Call& call, std::string_view request);

 private:
  Result<std::string> read_answer(Call& call);

  AnswerRequest answer_;
  FileHandle socket_;
};

}  // namespace redraft::mcp
