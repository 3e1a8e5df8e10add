// A signal handler reads the table while other threads change it. An entry is two numbers: `end` is
// written last when an entry is added, and first when it is removed.
#include "support/files/guarded_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <mutex>
#include <utility>

namespace redraft {
namespace {

struct Range {
  std::atomic<std::uintptr_t> begin = 0;
  std::atomic<std::uintptr_t> end = 0;  // 0: free
};

std::array<Range, 256> ranges;  // a model has one file, or a few dozen
std::mutex adding;
std::atomic<std::uint64_t> lost = 0;
std::uintptr_t page_bytes = 0;  // set with the first range

}  // namespace

GuardedPages::GuardedPages(std::span<const std::uint8_t> bytes) {
  const std::lock_guard lock(adding);
  page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].end != 0) continue;
    ranges[i].begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    ranges[i].end = ranges[i].begin + bytes.size();
    slot_ = static_cast<int>(i);
    return;
  }
}

GuardedPages::~GuardedPages() {
  if (slot_ >= 0) ranges[static_cast<std::size_t>(slot_)].end = 0;
}

GuardedPages::GuardedPages(GuardedPages&& other) noexcept : slot_(std::exchange(other.slot_, -1)) {}

GuardedPages& GuardedPages::operator=(GuardedPages&& other) noexcept {
  std::swap(slot_, other.slot_);
  return *this;
}

std::uint64_t lost_pages() { return lost; }

bool replace_lost_page(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Range& range : ranges) {
    const std::uintptr_t end = range.end;
    if (end == 0 || at < range.begin || at >= end) continue;
    const int before = errno;
    void* const page = reinterpret_cast<void*>(at / page_bytes * page_bytes);
    const void* const zeros =
        ::mmap(page, page_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    errno = before;
    if (zeros == MAP_FAILED) return false;
    ++lost;
    return true;
  }
  return false;
}

}  // namespace redraft
