#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "support/result.h"

namespace redraft {

// A document that threads work on, without its name: the notes of a crash hold this number alone.
using WorkKey = std::uint64_t;  // 0: none
WorkKey work_key(std::string_view uri);

// While it lives, the calling thread works on this document. They nest; what work on another thread
// is done for is told there: AtWork(key of here()).
class AtWork {
 public:
  explicit AtWork(WorkKey key);
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;

  // Of the calling thread's innermost one.
  static WorkKey here();

 private:
  WorkKey before_;
};

// From now on a fault of this process (SIGSEGV, SIGABRT and the like) is noted in `file`, along
// with what the faulting thread was working on or, if that is nothing, what all others were. Then
// the process ends as it would have without: a handler that is installed already is called.
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
