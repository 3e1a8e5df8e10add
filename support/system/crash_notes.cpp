// Why crash notes exist. A document may make a parser or a kernel fault, and an editor that
// restarts the server opens that document again. So the faulting process records what it was
// working on, and later processes no longer work on a document that has ended two of them.
//
// A note is a line of fixed width: the document's key, the build's key, and the time, in
// hexadecimal. A signal handler writes it, so it is formatted by hand, to a file that was opened
// before.
#include "support/system/crash_notes.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include "support/files/file_handle.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/system/fault_handler.h"
#include "support/system_error.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 16;
constexpr std::size_t kLineBytes = 3 * (kDigits + 1);
constexpr std::uintmax_t kMaxBytes = 2000 * kLineBytes;
constexpr std::uint64_t kSecondsKept = 24 * 60 * 60;

// The current work of the threads. A thread keeps its place as long as it works on something.
struct Place {
  std::atomic<bool> taken = false;
  std::atomic<WorkKey> document = 0;
  std::atomic<const char*> kind = nullptr;
};
constexpr std::size_t kPlaces = 64;
std::array<Place, kPlaces> places;
thread_local Work mine;
thread_local std::size_t my_place = kPlaces;  // none

// Clients may send any method; there are a few dozen real ones.
constexpr std::size_t kMaxKinds = 500;

// Written before the step is added.
int notes = -1;
WorkKey build_key = 0;
std::map<WorkKey, int>* known = new std::map<WorkKey, int>;

bool is_nothing(const Work& work) { return work.document == 0 && work.kind == nullptr; }

void take_place() {
  for (std::size_t i = 0; i < kPlaces; ++i) {
    if (places[i].taken.exchange(true)) continue;
    my_place = i;
    return;
  }
}

void put(const Work& work) {
  mine = work;
  if (my_place == kPlaces && !is_nothing(work)) take_place();
  if (my_place == kPlaces) return;
  Place& place = places[my_place];
  place.document = work.document;
  place.kind = work.kind;
  if (!is_nothing(work)) return;
  my_place = kPlaces;
  place.taken = false;
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
  if (::write(notes, line.data(), line.size()) < 0) return;  // nobody to report it to
}

void note_work(int, const siginfo_t&, const void*) {
  visit_work_at_fault([](const Work& work) {
    if (work.document != 0) note(work.document);
  });
}

// 0 if it is not a number.
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

// FNV-1a, because other processes read the notes.
WorkKey work_key(std::string_view uri) {
  std::uint64_t key = 0xcbf29ce484222325;
  for (const char c : uri) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return key == 0 ? 1 : key;
}

const char* work_kind(std::string_view method) {
  static std::mutex mutex;
  static auto* const kinds =
      new std::set<std::string, std::less<>>;  // never destroyed: faults may occur at exit
  const std::lock_guard lock(mutex);
  const auto found = kinds->find(method);
  if (found != kinds->end()) return found->c_str();
  return kinds->size() < kMaxKinds ? kinds->emplace(method).first->c_str() : "another";
}

AtWork::AtWork(const Work& work) : before_(mine) {
  if (notes >= 0) {
    [[maybe_unused]] thread_local const FaultStack stack;
  }
  put(work);
}

AtWork::~AtWork() { put(before_); }

Work AtWork::here() { return mine; }

void visit_work_at_fault(void (*visit)(const Work& work)) {
  if (!is_nothing(mine)) return visit(mine);
  for (const Place& place : places) {
    if (place.taken) visit({.document = place.document, .kind = place.kind});
  }
}

Result<void> keep_crash_notes(const std::filesystem::path& file, std::string_view build) {
  if (file.empty()) return Error("there is no folder for crash notes");
  if (notes >= 0) return Error("this process already keeps crash notes");
  if (const Result<void> made = make_folders(file.parent_path()); !made) return made.error();
  build_key = work_key(build);
  std::error_code problem;
  // A pipe would keep the server waiting for whoever reads or writes it.
  if (fs::exists(fs::symlink_status(file, problem)) &&
      !fs::is_regular_file(fs::symlink_status(file, problem)))
    fs::remove(file, problem);
  read_notes(file);
  if (std::filesystem::file_size(file, problem) > kMaxBytes && !problem)
    std::filesystem::remove(file, problem);
  notes = FileHandle::open_regular(file.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)
              .release();
  if (notes < 0) return file_error(file);
  add_fault_step(note_work);
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
