#pragma once

#include <cstdint>
#include <span>

namespace redraft {

// Guards the mapped bytes of a file that another program may truncate, or that the disk may fail to
// deliver. A page that is lost reads as zeros and lost_pages() counts it; otherwise the process
// would end with SIGBUS. Readers compare the count before and after. Works as long as this object
// lives and the process handles faults (support/system/fault_handler.h).
class GuardedPages {
 public:
  GuardedPages() = default;
  // `bytes` begin at a page boundary; they are unmapped after this object is destroyed.
  explicit GuardedPages(std::span<const std::uint8_t> bytes);
  ~GuardedPages();
  GuardedPages(GuardedPages&& other) noexcept;
  GuardedPages& operator=(GuardedPages&& other) noexcept;

 private:
  int slot_ = -1;  // none: not guarded
};

// The number of pages lost in this process. Any thread.
std::uint64_t lost_pages();

// For the fault handler: makes the page at `address` readable if it is guarded. False if it is not
// guarded.
bool replace_lost_page(const void* address);

}  // namespace redraft
