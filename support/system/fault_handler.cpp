#include "support/system/fault_handler.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "support/files/guarded_pages.h"

namespace redraft {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kStackBytes = 1 << 16;  // with the wide registers of AMX a frame has 11 KB

// Written before the handlers are installed.
std::array<struct sigaction, kSignals.size()> others;
std::once_flag installed;

std::array<std::atomic<FaultStep>, 4> steps;
std::atomic<bool> ending = false;

void on_fault(int number, siginfo_t* info, void* context) {
  // A code above 0 comes from the system, so the address is the address of the access.
  if (number == SIGBUS && info->si_code > 0 && replace_lost_page(info->si_addr)) return;
  if (!ending.exchange(true)) {
    for (const std::atomic<FaultStep>& step : steps) {
      if (const FaultStep take = step) take(number, *info, context);
    }
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &others[i], nullptr);
  // A fault happens again on return, with its address; a signal that was sent must be sent again.
  if (info->si_code <= 0) ::raise(number);
}

}  // namespace

void handle_faults() {
  std::call_once(installed, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], nullptr, &others[i]);
    for (const int number : kSignals) ::sigaction(number, &action, nullptr);
  });
}

void add_fault_step(FaultStep step) {
  handle_faults();
  for (std::atomic<FaultStep>& place : steps) {
    FaultStep none = nullptr;
    if (place.compare_exchange_strong(none, step)) return;
  }
}

FaultStack::FaultStack() {
  stack_t before = {};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
  bytes_ = new char[kStackBytes];
  const stack_t stack = {.ss_sp = bytes_, .ss_flags = 0, .ss_size = kStackBytes};
  if (::sigaltstack(&stack, nullptr) == 0) return;
  delete[] bytes_;
  bytes_ = nullptr;
}

FaultStack::~FaultStack() {
  if (!bytes_) return;
  const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  ::sigaltstack(&none, nullptr);
  delete[] bytes_;
}

}  // namespace redraft
