#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

#include "indexing/files/change_source.h"
#include "indexing/files/file_handle.h"

namespace redraft {
namespace {

// A pipe that becomes readable when stop is requested.
class StopPipe {
 public:
  explicit StopPipe(const std::stop_token& stop) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    read_ = FileHandle(ends[0]);
    write_ = FileHandle(ends[1]);
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    callback_.emplace(stop, Wake{write_.get()});
  }
  int get() const { return read_.get(); }

 private:
  struct Wake {
    int descriptor;
    void operator()() const {
      const char byte = 0;
      [[maybe_unused]] const ssize_t n = ::write(descriptor, &byte, 1);  // an empty pipe takes it
    }
  };

  FileHandle read_;
  FileHandle write_;
  // Destroyed first; waits for a callback under way.
  std::optional<std::stop_callback<Wake>> callback_;
};

}  // namespace

void wait_for_input(int descriptor, std::chrono::milliseconds most, const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kShortWhile{50};
  const StopPipe stopped(stop);
  if (stopped.get() < 0) most = std::min(most, kShortWhile);  // no descriptors left: check soon
  std::array<pollfd, 2> inputs{{{descriptor, POLLIN, 0}, {stopped.get(), POLLIN, 0}}};
  ::poll(inputs.data(), inputs.size(), static_cast<int>(most.count()));
}

}  // namespace redraft
