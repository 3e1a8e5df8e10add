#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "bench/record.h"
#include "bench/step.h"
#include "support/result.h"

namespace redraft::cli {

// For a bench that takes turns with another program (tools/compare_llama_server.py), so that a slow
// moment of the machine affects both. It reports each step as a line of JSON on standard output, an
// object with one member.
void tell_settings(const nlohmann::ordered_json& settings);
// Includes the prompt's tokens and what else is needed to decode the step elsewhere.
void tell_step(const std::string& id, int turn, const BenchStep& step);
void tell_record(const TaskRecord& record);

// Waits for a line on standard input. Errors: the input has ended, or `stop` was requested.
Result<void> wait_for_line(const std::stop_token& stop);

}  // namespace redraft::cli
