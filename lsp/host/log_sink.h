#pragma once

#include <spdlog/sinks/sink.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace redraft::lsp {

// The log of servers that editors share; none: there is no folder for it, as HOME is not set.
std::optional<std::filesystem::path> shared_log_file();

// Where this process logs to: standard error. Where that is the log of shared servers, it is kept
// from growing without bound (SharedLog).
std::shared_ptr<spdlog::sinks::sink> make_log_sink();

}  // namespace redraft::lsp
