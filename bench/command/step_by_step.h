#pragma once

#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

#include "bench/record.h"
#include "bench/step.h"
#include "support/result.h"

namespace redraft::cli {

// A bench that takes turns with another program (tools/compare_llama_server.py), so that a slow
// moment of the machine touches both: what it does is a line of JSON on standard output, an object
// with one member.
void tell_settings(const nlohmann::ordered_json& settings);
// With the prompt's tokens, and what else is needed to decode it elsewhere.
void tell_step(const std::string& id, int turn, const BenchStep& step);
void tell_record(const TaskRecord& record);

// For a line on standard input. Errors: it has ended, or `stop` was requested.
Result<void> wait_for_line(const std::stop_token& stop);

}  // namespace redraft::cli
