#include "lab/bench/step_by_step.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

#include "bench/record_json.h"
#include "cli/common/report.h"

namespace redraft::cli {
namespace {

constexpr int kAskEvery = 100;  // milliseconds; the longest that an interrupt may wait

void tell(const char* what, nlohmann::ordered_json value) {
  std::cout << dump({{what, std::move(value)}}) << std::endl;
}

}  // namespace

void tell_settings(const nlohmann::ordered_json& settings) { tell("settings", settings); }

void tell_step(const std::string& id, int turn, const BenchStep& step) {
  tell("step", {{"id", id},
                {"turn", turn},
                {"fence", step.fence},
                {"max_new_tokens", step.request.max_new_tokens},
                {"stop_tokens", step.request.stop_tokens},
                {"prompt", step.request.prompt}});
}

void tell_record(const TaskRecord& record) { tell("record", to_json(record)); }

Result<void> wait_for_line(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kAskEvery) <= 0) continue;
    char byte = 0;
    if (read(STDIN_FILENO, &byte, 1) != 1) return Error("standard input has ended");
    if (byte == '\n') return {};
  }
  return Error("interrupted");
}

}  // namespace redraft::cli
