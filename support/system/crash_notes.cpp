// Why. A document may make a parser or a kernel fault, and an editor that starts the server again
// opens that document again. So the process that faults notes what it was working on, and the next
// ones leave a document alone that has ended two of them.
//
// A note is a line of fixed width: the document's key, the build's, and the time, in hexadecimal.
// The handler runs in the middle of anything, so it formats by hand, and writes to a file that was
// opened before. It needs a stack of its own, because a fault may be the end of the thread's.
#include "support/system/crash_notes.h"

#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "support/files/file_handle.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/system_error.h"

namespace redraft {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr std::size_t kDigits = 16;
constexpr std::size_t kLineBytes = 3 * (kDigits + 1);
constexpr std::uintmax_t kMostBytes = 2000 * kLineBytes;
constexpr std::uint64_t kSecondsKept = 24 * 60 * 60;
constexpr std::size_t kStackBytes = 1 << 16;  // with the wide registers of AMX a frame has 11 KB

// What the threads are at; 0: free. A thread keeps its place for as long as it is at something.
constexpr std::size_t kPlaces = 64;
std::array<std::atomic<WorkKey>, kPlaces> places;
thread_local WorkKey mine = 0;
thread_local std::size_t my_place = kPlaces;  // none

// Written before the handlers are installed.
int notes = -1;
WorkKey build_key = 0;
std::array<struct sigaction, kSignals.size()> others;
std::map<WorkKey, int>* known = new std::map<WorkKey, int>;

std::atomic<bool> noted = false;

class SignalStack {
 public:
  SignalStack() : bytes_(kStackBytes) {
    stack_t before = {};
    if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    const stack_t stack = {.ss_sp = bytes_.data(), .ss_flags = 0, .ss_size = bytes_.size()};
    in_use_ = ::sigaltstack(&stack, nullptr) == 0;
  }
  ~SignalStack() {
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    if (in_use_) ::sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  std::vector<char> bytes_;
  bool in_use_ = false;
};

void take_place(WorkKey key) {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    WorkKey free = 0;
    if (!places[i].compare_exchange_strong(free, key)) continue;
    my_place = i;
    return;
  }
}

void put(WorkKey key) {
  mine = key;
  if (my_place == kPlaces) {
    if (key != 0) take_place(key);
    return;
  }
  places[my_place] = key;
  if (key == 0) my_place = kPlaces;
}

void append(char*& to, std::uint64_t value, char end) {
  for (std::size_t i = 0; i < kDigits; ++i)
    *to++ = "0123456789abcdef"[(value >> (4 * (kDigits - 1 - i))) & 0xF];
  *to++ = end;
}

void note(WorkKey key) {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::array<char, kLineBytes> line;
  char* to = line.data();
  append(to, key, ' ');
  append(to, build_key, ' ');
  append(to, static_cast<std::uint64_t>(now.tv_sec), '\n');
  if (::write(notes, line.data(), line.size()) < 0) return;  // there is nobody to tell
}

void on_fault(int number, siginfo_t* info, void*) {
  if (!noted.exchange(true)) {
    if (mine != 0) {
      note(mine);
    } else {
      for (const std::atomic<WorkKey>& place : places) {
        if (const WorkKey key = place; key != 0) note(key);
      }
    }
  }
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &others[i], nullptr);
  // A fault happens again on return, with its address; a signal that was sent is sent again.
  if (info->si_code <= 0) ::raise(number);
}

// 0 if it is none.
std::uint64_t number_at(std::string_view line, std::size_t column) {
  std::uint64_t number = 0;
  const std::string_view digits = line.substr(column * (kDigits + 1), kDigits);
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return read.ptr == digits.data() + digits.size() ? number : 0;
}

void read_notes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const auto now = static_cast<std::uint64_t>(::time(nullptr));
  for (std::string line; std::getline(in, line);) {
    if (line.size() != kLineBytes - 1) continue;
    const bool counts = number_at(line, 1) == build_key && number_at(line, 2) + kSecondsKept > now;
    if (counts) ++(*known)[number_at(line, 0)];
  }
}

}  // namespace

// FNV-1a: the notes of a process are read by others.
WorkKey work_key(std::string_view uri) {
  std::uint64_t key = 0xcbf29ce484222325;
  for (const char c : uri) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return key == 0 ? 1 : key;
}

AtWork::AtWork(WorkKey key) : before_(mine) {
  if (notes >= 0) {
    [[maybe_unused]] thread_local const SignalStack stack;
  }
  put(key);
}

AtWork::~AtWork() { put(before_); }

WorkKey AtWork::here() { return mine; }

Result<void> keep_crash_notes(const std::filesystem::path& file, std::string_view build) {
  if (file.empty()) return Error("there is no folder for them");
  if (notes >= 0) return Error("this process keeps some already");
  if (const Result<void> made = make_folders(file.parent_path()); !made) return made.error();
  build_key = work_key(build);
  read_notes(file);
  std::error_code problem;
  if (std::filesystem::file_size(file, problem) > kMostBytes && !problem)
    std::filesystem::remove(file, problem);
  notes = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (notes < 0) return file_error(file);
  struct sigaction action = {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &action, &others[i]);
  return {};
}

int crashes_at(WorkKey key) {
  const auto found = known->find(key);
  return found == known->end() ? 0 : found->second;
}

std::filesystem::path default_crash_notes() {
  const auto state = user_state_folder();
  return state ? *state / "redraft" / "crashed-at" : std::filesystem::path();
}

}  // namespace redraft
