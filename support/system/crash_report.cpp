// A step of the fault handler writes the report, so nothing here allocates or locks on that path:
// lines are assembled in a buffer and written with write(). The certain facts come first: if the
// handler itself faults because the stack is damaged, the beginning of the report exists.
//
// Code is loaded at different addresses in each process. So the stack is written as offsets in
// files, which come from the lines of /proc/self/maps. Only the last component of a file's name is
// used, because its folder may identify the user.
#include "support/system/crash_report.h"

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "support/files/private_folder.h"
#include "support/system/crash_notes.h"
#include "support/system/fault_handler.h"

namespace redraft {
namespace {

constexpr std::size_t kKept = 10;
constexpr std::string_view kBegin = "report-";
constexpr std::string_view kEnd = ".txt";
constexpr int kMaxFrames = 64;
constexpr std::size_t kMaxModules = 128;
constexpr std::size_t kMaxName = 63;
// An access below is one through a null pointer.
constexpr std::uintptr_t kNearZero = 1 << 16;
constexpr std::uintptr_t kNearStack = 1 << 16;

constexpr std::string_view kTitle = "redraft crash report\n";
constexpr std::string_view kAdvice =
    "\nThis file has no text, name or path of a document. SECURITY.md of redraft says where to "
    "report\n"
    "a crash; add what you were doing, and this file.\n";

// Written before the step is added.
std::array<char, 4096> folder_name;
std::array<char, 256> build_line;

// Static: the handler's stack is small.
struct Module {
  std::uintptr_t begin, end, offset;
  std::array<char, kMaxName + 1> name;
};
std::array<Module, kMaxModules> modules;
std::size_t n_modules = 0;
std::array<char, 1 << 14> maps_buffer;

// A line of the report.
class Line {
 public:
  explicit Line(int file) : file_(file) {}
  ~Line() { write_out(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& operator<<(std::string_view text) {
    for (const char c : text) {
      if (used_ == bytes_.size()) write_out();
      bytes_[used_++] = c;
    }
    return *this;
  }
  Line& operator<<(long number) {
    if (number < 0) *this << "-";
    return digits(static_cast<std::uint64_t>(number < 0 ? -number : number), 10, 1);
  }
  Line& hex(std::uint64_t number) { return (*this << "0x").digits(number, 16, 1); }
  Line& padded(long number, int width) {
    return digits(static_cast<std::uint64_t>(number), 10, width);
  }

 private:
  Line& digits(std::uint64_t number, unsigned base, int width) {
    std::array<char, 24> out;
    std::size_t at = out.size();
    for (; number != 0 || width > 0; number /= base, --width)
      out[--at] = "0123456789abcdef"[number % base];
    return *this << std::string_view(out.data() + at, out.size() - at);
  }
  void write_out() {
    if (::write(file_, bytes_.data(), used_) < 0) return;  // nobody to report it to
    used_ = 0;
  }

  int file_;
  std::array<char, 256> bytes_;
  std::size_t used_ = 0;
};

struct Moment {
  long year, month, day, hour, minute, second;
};

// gmtime() is not safe in a signal handler. Computes the days of the era as H. Hinnant does.
Moment moment_of(long seconds) {
  constexpr long kDay = 24L * 60 * 60;
  const long days = seconds / kDay + 719468;
  const long era = days / 146097;
  const long of_era = days - era * 146097;
  const long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const long of_year = of_era - (365 * year + year / 4 - year / 100);
  const long shifted = (5 * of_year + 2) / 153;  // months from March
  const long month = shifted < 10 ? shifted + 3 : shifted - 9;
  const long rest = seconds % kDay;
  return {.year = year + era * 400 + (month <= 2 ? 1 : 0),
          .month = month,
          .day = of_year - (153 * shifted + 2) / 5 + 1,
          .hour = rest / 3600,
          .minute = rest / 60 % 60,
          .second = rest % 60};
}

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGFPE:
      return "SIGFPE";
    case SIGABRT:
      return "SIGABRT";
    default:
      return "signal";
  }
}

struct Registers {
  std::uintptr_t code = 0;
  std::uintptr_t stack = 0;
};

Registers registers_of(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {.code = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          .stack = static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {.code = machine.pc, .stack = machine.sp};
#else
  return {};
#endif
}

// Removes a hexadecimal number from the beginning of `text` and returns it.
std::uintptr_t take_hex(std::string_view& text) {
  std::uintptr_t number = 0;
  while (!text.empty()) {
    const char c = text.front();
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) break;
    number = number * 16 + static_cast<std::uintptr_t>(digit);
    text.remove_prefix(1);
  }
  return number;
}

// "55d0c0a00000-55d0c0b00000 r-xp 00012000 08:01 1234   /home/a/bin/redraft"
void take_mapping(std::string_view line, std::uintptr_t address, bool& mapped) {
  Module module{};
  module.begin = take_hex(line);
  if (!line.empty()) line.remove_prefix(1);
  module.end = take_hex(line);
  mapped = mapped || (address >= module.begin && address < module.end);
  if (line.size() < 7 || line[3] != 'x' || n_modules == modules.size()) return;
  line.remove_prefix(6);
  module.offset = take_hex(line);
  const std::size_t slash = line.rfind('/');
  if (slash == line.npos) return;
  line.remove_prefix(slash + 1);
  std::copy_n(line.data(), std::min(line.size(), kMaxName), module.name.data());
  modules[n_modules++] = module;
}

// Fills `modules`. Returns whether `address` is in any mapping.
bool read_mappings(std::uintptr_t address) {
  const int maps = ::open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0) return false;
  bool mapped = false;
  std::size_t used = 0;
  while (true) {
    const ssize_t n = ::read(maps, maps_buffer.data() + used, maps_buffer.size() - used);
    if (n <= 0) break;
    used += static_cast<std::size_t>(n);
    std::string_view rest(maps_buffer.data(), used);
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      take_mapping(rest.substr(0, end), address, mapped);
      rest.remove_prefix(end + 1);
    }
    used =
        rest.size() == maps_buffer.size() ? 0 : rest.size();  // such a long line is not a mapping
    std::memmove(maps_buffer.data(), rest.data(), used);
  }
  ::close(maps);
  return mapped;
}

std::string_view kind_of(std::uintptr_t address, std::uintptr_t stack, bool mapped) {
  if (address < kNearZero) return "near zero";
  const std::uintptr_t apart = address > stack ? address - stack : stack - address;
  if (apart < kNearStack) return mapped ? "near the top of the stack" : "beyond the stack";
  return mapped ? "of mapped memory" : "of no memory";
}

void put_place(Line& line, std::uintptr_t address) {
  for (std::size_t i = 0; i < n_modules; ++i) {
    const Module& module = modules[i];
    if (address < module.begin || address >= module.end) continue;
    line << module.name.data() << "+";
    line.hex(address - module.begin + module.offset);
    return;
  }
  line << "(no code)";
}

// A file's name, assembled like a line.
class FileName {
 public:
  FileName& operator<<(std::string_view text) {
    std::memcpy(bytes_.data() + used_, text.data(), text.size());
    used_ += text.size();
    return *this;
  }
  FileName& digits(long number, std::size_t width) {
    for (std::size_t i = width; i-- > 0; number /= 10)
      bytes_[used_ + i] = static_cast<char>('0' + number % 10);
    used_ += width;
    return *this;
  }
  const char* text() {
    bytes_[used_] = '\0';
    return bytes_.data();
  }

 private:
  std::array<char, folder_name.size() + 64> bytes_;
  std::size_t used_ = 0;
};

int open_report(const Moment& moment) {
  FileName name;
  name << folder_name.data() << "/" << kBegin;
  name.digits(moment.year, 4).digits(moment.month, 2).digits(moment.day, 2) << "-";
  name.digits(moment.hour, 2).digits(moment.minute, 2).digits(moment.second, 2) << "-";
  name.digits(::getpid(), 10) << kEnd;
  return ::open(name.text(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int report = -1;  // for the steps of one fault

void put_work(const Work& work) {
  Line(report) << "work: " << (work.kind ? work.kind : "without a method") << "\n";
}

void put_head(int signal, const siginfo_t& info, const Moment& now) {
  std::array<char, 17> thread = {};
  ::prctl(PR_GET_NAME, thread.data());
  Line line(report);
  line << kTitle << "build: " << build_line.data() << "\ntime: " << now.year << "-";
  line.padded(now.month, 2) << "-";
  line.padded(now.day, 2) << " ";
  line.padded(now.hour, 2) << ":";
  line.padded(now.minute, 2) << ":";
  line.padded(now.second, 2) << " UTC\nsignal: " << name_of(signal) << " (" << long{signal}
                             << "), code " << long{info.si_code} << "\nthread: " << thread.data()
                             << "\n";
}

void put_stack(std::uintptr_t code) {
  {
    Line line(report);
    line << "at: ";
    put_place(line, code);
    line << "\nstack, the handler of the signal first:\n";
  }
  std::array<void*, kMaxFrames> frames;
  const int n = ::backtrace(frames.data(), kMaxFrames);
  for (int i = 0; i < n; ++i) {
    Line line(report);
    line << "  ";
    put_place(line, reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]));
    line << "\n";
  }
}

void write_report(int signal, const siginfo_t& info, const void* context) {
  struct timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const Moment moment = moment_of(now.tv_sec);
  report = open_report(moment);
  if (report < 0) return;
  put_head(signal, info, moment);
  visit_work_at_fault(put_work);
  const Registers registers = registers_of(context);
  const bool by_access = (signal == SIGSEGV || signal == SIGBUS) && info.si_code > 0;
  const auto address = by_access ? reinterpret_cast<std::uintptr_t>(info.si_addr) : 0;
  const bool mapped = read_mappings(address);
  if (by_access) Line(report) << "address: " << kind_of(address, registers.stack, mapped) << "\n";
  put_stack(registers.code);
  Line(report) << kAdvice;
  ::close(report);
}

bool is_report(const std::string& name) { return name.starts_with(kBegin) && name.ends_with(kEnd); }

// The newest first, because the names begin with the time.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code problem;
  for (std::filesystem::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (is_report(entry->path().filename().string())) files.push_back(entry->path());
  }
  std::ranges::sort(files, std::greater());
  return files;
}

}  // namespace

Result<void> keep_crash_reports(const std::filesystem::path& folder, std::string_view build) {
  if (folder.empty()) return Error("there is no folder for crash reports");
  const std::string name = folder.string();
  if (name.size() >= folder_name.size()) return Error(name + ": the path is too long");
  if (Result<void> made = make_private_folder(folder); !made) return made;
  // This process may add one more.
  const std::vector<std::filesystem::path> files = files_in(folder);
  std::error_code ignored;
  for (std::size_t i = kKept - 1; i < files.size(); ++i) std::filesystem::remove(files[i], ignored);
  std::ranges::copy(name, folder_name.begin());
  std::copy_n(build.data(), std::min(build.size(), build_line.size() - 1), build_line.begin());
  // The first call loads a library, which a signal handler must not.
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);
  add_fault_step(write_report);
  return {};
}

std::vector<CrashReport> crash_reports(const std::filesystem::path& folder) {
  std::vector<CrashReport> out;
  for (const std::filesystem::path& file : files_in(folder)) {
    std::error_code problem;
    if (!std::filesystem::is_regular_file(file, problem)) continue;
    std::ifstream in(file);
    std::string line;
    if (!std::getline(in, line) || line + "\n" != kTitle) continue;
    CrashReport found{.file = file, .time = {}, .signal = {}, .work = "none"};
    constexpr int kHeadLines = 100;
    for (int i = 0; i < kHeadLines && std::getline(in, line); ++i) {
      const std::size_t colon = line.find(": ");
      if (colon == line.npos) break;
      const std::string value = line.substr(colon + 2);
      const std::string_view key = std::string_view(line).substr(0, colon);
      if (key == "time") found.time = value;
      if (key == "signal") found.signal = value.substr(0, value.find(','));
      if (key == "work" && found.work == "none") found.work = value;
    }
    out.push_back(std::move(found));
  }
  return out;
}

}  // namespace redraft
