#pragma once

#include <signal.h>

#include <cstdint>

namespace redraft {

// The single handler for faults of this process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT). A lost
// page of a file is replaced (GuardedPages) and the process continues. Otherwise the first thread
// that faults runs the added steps, and the process ends as it would have without this handler: a
// previously installed handler is called.

// Installs the handler. May be called again. Any thread, but not while others change signal
// handlers.
void handle_faults();

// A step before the process ends. It may interrupt any code, so it may only do what is safe in a
// signal handler. `context` is the ucontext_t.
using FaultStep = void (*)(int signal, const siginfo_t& info, const void* context);
// Steps run in the order in which they were added; at most four. Calls handle_faults().
void add_fault_step(FaultStep step);

// A stack for the handler on this thread, as long as this object lives, unless the thread has one
// already. It is needed because a fault may be an overflow of the thread's own stack.
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
