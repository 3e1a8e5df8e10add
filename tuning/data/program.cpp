#include "tuning/data/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "support/files/file_handle.h"

namespace redraft {

namespace {

constexpr std::size_t kMaxComplaint = 2000;

struct Pipe {
  FileHandle read, write;
};

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

// Unlike a pipe, writing to it raises no signal when nobody reads any more.
std::optional<Pipe> make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// One run of a program. It serves the pipes in turn, so that neither side waits for the other.
class Run {
 public:
  Run(const std::vector<std::string>& arguments, std::string_view input,
      const ProgramLimits& limits)
      : name_(arguments.front()), input_(input), limits_(limits) {}

  Result<std::string> run(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment) {
    std::optional<Pipe> in = make_input(), out = make_pipe(), err = make_pipe();
    if (!in || !out || !err) return Error(name_ + ": " + std::strerror(errno));
    if (Result<void> started = start(arguments, environment, *in, *out, *err); !started)
      return started.error();
    in->read = FileHandle();
    out->write = FileHandle();
    err->write = FileHandle();
    ::fcntl(in->write.get(), F_SETFL, O_NONBLOCK);
    const std::string problem = serve(in->write, out->read, err->read);
    if (!problem.empty()) ::kill(child_, SIGKILL);
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    if (!problem.empty()) return Error(name_ + ": " + problem);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::move(output_);
    return Error(name_ + ": " + (complaint_.empty() ? "failed without a message" : complaint_));
  }

 private:
  Result<void> start(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& environment, const Pipe& in, const Pipe& out,
                     const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in.read.get(), 0);
    posix_spawn_file_actions_adddup2(&actions, out.write.get(), 1);
    posix_spawn_file_actions_adddup2(&actions, err.write.get(), 2);
    posix_spawn_file_actions_addchdir_np(&actions, "/");
    // A separate process group: an interrupt of the terminal ends the run between two programs, not
    // within one.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const int failed =
        ::posix_spawnp(&child_, arguments.front().c_str(), &actions, &attributes,
                       pointers_to(arguments).data(), pointers_to(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0) return Error(name_ + ": cannot be started: " + std::strerror(failed));
    return {};
  }

  // Returns an empty string, or why the program has to be killed.
  std::string serve(FileHandle& in, FileHandle& out, FileHandle& err) {
    const auto end = std::chrono::steady_clock::now() + limits_.time;
    while (out.get() >= 0 || err.get() >= 0) {
      if (input_.empty()) in = FileHandle();
      std::array<pollfd, 3> fds = {pollfd{in.get(), POLLOUT, 0}, pollfd{out.get(), POLLIN, 0},
                                   pollfd{err.get(), POLLIN, 0}};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      if (left.count() <= 0)
        return "took longer than " + std::to_string(limits_.time.count()) + " s";
      if (::poll(fds.data(), fds.size(), static_cast<int>(left.count())) < 0 && errno != EINTR)
        return std::strerror(errno);
      if (fds[0].revents != 0) give(in);
      if (fds[1].revents != 0) take(out, output_, limits_.output_bytes + 1);
      if (fds[2].revents != 0) take(err, complaint_, kMaxComplaint);
      if (output_.size() > limits_.output_bytes)
        return "wrote more than " + std::to_string(limits_.output_bytes) + " bytes";
    }
    return {};
  }

  void give(FileHandle& in) {
    const ssize_t written = ::send(in.get(), input_.data(), input_.size(), MSG_NOSIGNAL);
    if (written > 0)
      input_.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EAGAIN && errno != EINTR)
      input_ = {};  // it no longer reads
  }

  // Drops bytes beyond `most`.
  static void take(FileHandle& from, std::string& into, std::size_t most) {
    std::array<char, 65536> buffer{};
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got > 0)
      into.append(buffer.data(), std::min(static_cast<std::size_t>(got), most - into.size()));
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
      from = FileHandle();
  }

  std::string name_;
  std::string_view input_;
  const ProgramLimits& limits_;
  pid_t child_ = -1;
  std::string output_, complaint_;
};

}  // namespace

Result<std::string> run_program(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment, std::string_view input,
                                const ProgramLimits& limits) {
  return Run(arguments, input, limits).run(arguments, environment);
}

}  // namespace redraft
