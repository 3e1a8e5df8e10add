// Between fork and exec the child only makes system calls: this process has threads, any of which
// may have held a lock at the fork.
#include "bench/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "bench/sandbox_rules.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLookEvery = std::chrono::milliseconds(2);
constexpr uid_t kNobody = 65534;
constexpr int kReport = 3;  // the child's end of the pipe that reports how the set-up went

// The child's report before it runs the command.
enum class Stage : char {
  kNetworkLeft,
  kSession,
  kFolder,
  kLimits,
  kUser,
  kFiles,
  kCalls,
  kProgram
};
struct Message {
  Stage stage;
  int problem;  // errno; 0 after kNetworkLeft
};

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::kSession:
      return "it cannot have a session of its own";
    case Stage::kFolder:
      return "its folder cannot be entered";
    case Stage::kLimits:
      return "its limits cannot be set";
    case Stage::kUser:
      return "it cannot become the user nobody";
    case Stage::kFiles:
      return "this kernel cannot confine its writing (Landlock, Linux 6.2 or later)";
    case Stage::kCalls:
      return "this kernel or processor cannot filter system calls (seccomp)";
    case Stage::kNetworkLeft:
    case Stage::kProgram:
      break;
  }
  return "the program cannot be run";
}

// The folder of one run; removed by the destructor.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "redraft-sandbox-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    descriptor_ = open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~Folder() {
    if (descriptor_ >= 0) close(descriptor_);
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  // False, with errno set, if something fails. `user`: -1 keeps the owner.
  bool hold(const std::string& name, const std::string& text, uid_t user) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    if (user == static_cast<uid_t>(-1)) return true;
    return chown(path_.c_str(), user, user) == 0 && chown((path_ / name).c_str(), user, user) == 0;
  }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

// Processes and threads of `user`, which the kernel counts together.
int count_threads(uid_t user) {
  int threads = 0;
  std::error_code problem;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", problem)) {
    std::ifstream status(entry.path() / "status");
    int count = 0;
    uid_t owner = static_cast<uid_t>(-1);
    for (std::string line; std::getline(status, line);) {
      std::istringstream words(line);
      std::string key;
      words >> key;
      if (key == "Uid:") words >> owner;
      if (key == "Threads:") words >> count;
    }
    if (owner == user) threads += count;
  }
  return threads;
}

struct Child {
  const SandboxLimits& limits;
  std::vector<char*> arguments;
  int folder;
  int report;
  bool drop_user;
  int others;  // processes and threads of the same user
};

void say(Stage stage, int problem) {
  const Message message{stage, problem};
  [[maybe_unused]] const ssize_t written = write(kReport, &message, sizeof message);
}

[[noreturn]] void give_up(Stage stage, int problem) {
  say(stage, problem);
  _exit(127);
}

bool limit(decltype(RLIMIT_CPU) what, rlim_t most) {
  const rlimit value = {most, most};
  return setrlimit(what, &value) == 0;
}

void set_limits(const Child& child, rlim_t processes) {
  const SandboxLimits& limits = child.limits;
  if (!limit(RLIMIT_CPU, static_cast<rlim_t>(limits.cpu_seconds)) ||
      !limit(RLIMIT_AS, limits.memory_bytes) || !limit(RLIMIT_FSIZE, limits.file_bytes) ||
      !limit(RLIMIT_NPROC, processes) || !limit(RLIMIT_NOFILE, 64) || !limit(RLIMIT_CORE, 0))
    give_up(Stage::kLimits, errno);
}

// Raw system calls: the C library's wrappers would signal threads that this process does not have.
void drop_user() {
  if (syscall(SYS_setgroups, 0, nullptr) != 0 ||
      syscall(SYS_setresgid, kNobody, kNobody, kNobody) != 0 ||
      syscall(SYS_setresuid, kNobody, kNobody, kNobody) != 0)
    give_up(Stage::kUser, errno);
}

void close_descriptors() {
  const int nothing = open("/dev/null", O_RDWR);
  for (const int standard : {0, 1, 2}) {
    if (nothing != standard) dup2(nothing, standard);
  }
  constexpr unsigned kFirst = kReport + 1;
  if (syscall(SYS_close_range, kFirst, ~0U, 0) == 0) return;
  for (int each = kFirst; each < 65536; ++each) close(each);
}

[[noreturn]] void run_child(const Child& child) {
  // A process group that can be killed as one, and no controlling terminal: its input is also that
  // of the user's shell.
  const int problem_of_session = setsid() >= 0 ? 0 : errno;
  // Before the report moves to kReport, which may be the folder's descriptor.
  const int problem_of_folder = fchdir(child.folder) == 0 ? 0 : errno;
  if (child.report != kReport) dup2(child.report, kReport);
  fcntl(kReport, F_SETFD, FD_CLOEXEC);
  if (problem_of_session != 0) give_up(Stage::kSession, problem_of_session);
  if (problem_of_folder != 0) give_up(Stage::kFolder, problem_of_folder);
  close_descriptors();
  const int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) give_up(Stage::kFolder, errno);
  const bool network_left = leave_network(child.drop_user) == 0;
  if (network_left) say(Stage::kNetworkLeft, 0);
  // A measurement may run at real-time priority; what it measures must not.
  const sched_param ordinary = {};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  if (child.drop_user) drop_user();
  // A new user namespace starts counting at zero.
  const bool counts_anew = network_left && !child.drop_user;
  set_limits(child, static_cast<rlim_t>(child.limits.processes + (counts_anew ? 0 : child.others)));
  if (const int problem = confine_files(folder, !child.drop_user)) give_up(Stage::kFiles, problem);
  if (const int problem = forbid_system_calls()) give_up(Stage::kCalls, problem);
  char* no_environment[] = {nullptr};
  execve(child.arguments[0], child.arguments.data(), no_environment);
  give_up(Stage::kProgram, errno);
}

// Reads what the child reports until it runs the command or ends.
Result<bool> read_report(int descriptor) {
  bool own_network = false;
  Message message;
  for (ssize_t count; (count = read(descriptor, &message, sizeof message)) != 0;) {
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof message) break;
    if (message.stage != Stage::kNetworkLeft) {
      return Error(std::string("the sandbox cannot be set up: ") + to_string(message.stage) + ": " +
                   std::strerror(message.problem));
    }
    own_network = true;
  }
  return own_network;
}

// Waits for the child, at most for its time limit, and ends everything that it started.
SandboxResult await(pid_t child, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  SandboxResult result;
  int status = 0;
  bool ended = false;
  while (!ended && Clock::now() < end) {
    // Not reaped yet: the child's process id stays that of its group until the group is killed.
    siginfo_t info = {};
    const int waited = waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
    ended = waited == 0 && info.si_pid == child;
    if (!ended) std::this_thread::sleep_for(kLookEvery);
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);  // in case it leads no group
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) {
    result.end = SandboxResult::End::kTimeout;
  } else if (WIFSIGNALED(status)) {
    result.end = SandboxResult::End::kSignal;
    result.code = WTERMSIG(status);
  } else {
    result.code = WEXITSTATUS(status);
  }
  return result;
}

}  // namespace

Result<SandboxResult> run_sandboxed(const std::vector<std::string>& command,
                                    const std::string& file_name, const std::string& text,
                                    const SandboxLimits& limits) {
  const Folder folder;
  const bool root = geteuid() == 0;
  if (!folder.is_open() || !folder.hold(file_name, text, root ? kNobody : static_cast<uid_t>(-1)))
    return Error(std::string("no folder for the sandbox: ") + std::strerror(errno));
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    return Error(std::string("pipe: ") + std::strerror(errno));
  const int others = count_threads(root ? kNobody : getuid());
  Child child{limits, {}, folder.descriptor(), ends[1], root, others};
  for (const std::string& argument : command)
    child.arguments.push_back(const_cast<char*>(argument.c_str()));
  child.arguments.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) run_child(child);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return Error(std::string("fork: ") + std::strerror(errno));
  }
  // When this returns, the child leads its group or has ended.
  const Result<bool> own_network = read_report(ends[0]);
  close(ends[0]);
  SandboxResult result = await(pid, own_network ? limits.wall_seconds : 0);
  if (!own_network) return own_network.error();
  result.own_network = *own_network;
  return result;
}

}  // namespace redraft
