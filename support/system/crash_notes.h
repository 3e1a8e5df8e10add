#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/result.h"

namespace redraft {

// Identifies a document that threads work on, without its name: crash notes contain only this
// number.
using WorkKey = std::uint64_t;  // 0: none
WorkKey work_key(std::string_view uri);

// The current work of a thread.
struct Work {
  WorkKey document = 0;
  const char* kind =
      nullptr;  // of the request: a string that lives as long as the process; null: none
};
// `method` as Work::kind; the same string for the same method. Only for names that this program
// knows, never for names from a client, because they are kept and appear in reports.
const char* work_kind(std::string_view method);

// While this object lives, the calling thread works on this. Objects nest. If a thread works on
// behalf of another one, pass the work on: AtWork(here()).
class AtWork {
 public:
  explicit AtWork(const Work& work);
  // The same kind of work, on this document.
  explicit AtWork(WorkKey document) : AtWork({.document = document, .kind = here().kind}) {}
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  // The innermost work of the calling thread.
  static Work here();

 private:
  Work before_;
};

// For a step of the fault handler: calls `visit` with the work of the faulting thread or, if it has
// none, with the work of each other thread.
void visit_work_at_fault(void (*visit)(const Work& work));

// From now on, a fault of this process (see fault_handler.h) is recorded in `file`, together with
// the work of the faulting thread or, if it has none, of all others. crashes_at() counts the
// records of earlier processes of the same build within a day. Call it once in a process, before it
// starts threads. The error says why nothing will be recorded.
Result<void> keep_crash_notes(const std::filesystem::path& file, std::string_view build);

// How often a process ended with a fault while it worked on that document. Any thread.
int crashes_at(WorkKey key);
// After this many crashes redraft no longer works on the document. A single crash may be a
// coincidence.
inline constexpr int kTooManyCrashes = 2;

// In the user's state folder; empty: there is none.
std::filesystem::path default_crash_notes();

}  // namespace redraft
