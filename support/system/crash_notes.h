#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/result.h"

namespace redraft {

// A document that threads work on, without its name: the notes of a crash hold this number alone.
using WorkKey = std::uint64_t;  // 0: none
WorkKey work_key(std::string_view uri);

// What a thread is at.
struct Work {
  WorkKey document = 0;
  const char* kind =
      nullptr;  // of the request: a text that lives as long as the process; null: none
};
// `method` as Work::kind; the same text for the same method. Only for names that this program
// knows, never for those that a client made up: they are kept, and reports say them.
const char* work_kind(std::string_view method);

// While it lives, the calling thread is at this. They nest; what work on another thread is done for
// is told there: AtWork(here()).
class AtWork {
 public:
  explicit AtWork(const Work& work);
  // The same kind of work, on this document.
  explicit AtWork(WorkKey document) : AtWork({.document = document, .kind = here().kind}) {}
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  // Of the calling thread's innermost one.
  static Work here();

 private:
  Work before_;
};

// For a step of the fault handler: calls `visit` with what the faulting thread was at or, if that
// is nothing, with what each of the others was.
void visit_work_at_fault(void (*visit)(const Work& work));

// From now on a fault of this process (see fault_handler.h) is noted in `file`, along with what the
// faulting thread was working on or, if that is nothing, what all others were.
// crashes_at() knows of what earlier processes of the same build noted within a day. Once in a
// process, before it starts threads. The error says why nothing will be noted.
Result<void> keep_crash_notes(const std::filesystem::path& file, std::string_view build);

// How often a process ended by a fault while it worked on that document. Any thread.
int crashes_at(WorkKey key);
// From then on a document is left alone: the first time it may have been there by chance.
inline constexpr int kTooManyCrashes = 2;

// In the user's state folder; empty: there is none.
std::filesystem::path default_crash_notes();

}  // namespace redraft
