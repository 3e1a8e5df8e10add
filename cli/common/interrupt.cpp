// A signal handler may do very little; it must not request a stop. So the handler writes a byte to
// a pipe, and a thread that reads the pipe requests the stop.
#include "cli/common/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <optional>
#include <system_error>

#include "cli/common/command.h"
#include "support/named_thread.h"
#include "support/system/descriptors.h"

namespace redraft::cli {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM};
std::array<int, 2> pipe_ends = {-1, -1};
std::atomic<int> signals_seen = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int) {
  const int saved_errno = errno;
  if (signals_seen.fetch_add(1) > 0) _exit(kInterrupted);
  const char byte = 's';
  [[maybe_unused]] const ssize_t written = write(pipe_ends[1], &byte, 1);
  errno = saved_errno;
}

void set_handlers(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

// The next byte of the pipe, or 'e' at its end.
char read_byte() {
  char byte = 'e';
  while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {
  }
  return byte;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  std::optional<Pipe> pipe = make_pipe();
  if (!pipe) throw std::system_error(errno, std::generic_category(), "pipe");
  pipe_ends = {pipe->read_end.release(), pipe->write_end.release()};
  signals_seen = 0;
  listener_ = start_thread("redraft-signals", [this] {
    if (read_byte() == 's') source_.request_stop();
  });
  set_handlers(on_signal);
}

InterruptWatch::~InterruptWatch() {
  set_handlers(SIG_DFL);
  close(pipe_ends[1]);  // ends the listener's read
  listener_.join();
  close(pipe_ends[0]);
}

}  // namespace redraft::cli
