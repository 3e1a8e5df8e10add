#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

// From now on, a fault of this process (see fault_handler.h) leaves a report in `folder`, which is
// created for this user alone. The report is a text (mode 0600) with the build, the signal, the
// current methods (Work::kind) and the stack, as offsets in the program and its libraries. It
// contains no text, name or path of a document or folder, and no address. The newest ten reports
// are kept. `build` is any line. Call it once in a process, before it starts threads. The error
// says why there will be no reports.
Result<void> keep_crash_reports(const std::filesystem::path& folder, std::string_view build);

struct CrashReport {
  std::filesystem::path file;
  std::string time;    // "2026-11-25 22:10:05 UTC"
  std::string signal;  // "SIGSEGV (11)"
  std::string work;    // "textDocument/inlineCompletion"; "none"
};
// The reports in `folder`, the newest first; other files are ignored.
std::vector<CrashReport> crash_reports(const std::filesystem::path& folder);

// The folder's name, next to the crash notes.
inline constexpr const char* kCrashReports = "crash-reports";

}  // namespace redraft
