#pragma once

#include <signal.h>

#include <cstdint>

namespace redraft {

// What this process does when it faults (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT), all in one
// handler: a lost page of a file is replaced (GuardedPages) and the process goes on. Otherwise the
// first thread that faults takes the steps that were added, and the process ends as it would have
// without: a handler that was installed before is called.

// From now on. May be called again. Any thread, but not at the same time as others handle signals.
void handle_faults();

// A step on the way to the end. It runs in the middle of anything, so it may only do what is safe
// in a signal handler. `context` is the ucontext_t.
using FaultStep = void (*)(int signal, const siginfo_t& info, const void* context);
// The steps are taken in the order in which they were added; four at most. Calls handle_faults().
void add_fault_step(FaultStep step);

// A stack for the handler on this thread, as long as it lives, unless the thread has one: a fault
// may be the end of the thread's own.
class FaultStack {
 public:
  FaultStack();
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  char* bytes_ = nullptr;
};

}  // namespace redraft
