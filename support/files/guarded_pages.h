#pragma once

#include <cstdint>
#include <span>

namespace redraft {

// Mapped bytes of a file that somebody may cut short, or that the disk may fail to deliver: a page
// that is lost reads as zeros, and lost_pages() counts it, where otherwise the process would end
// with SIGBUS. Whoever reads compares the count before and after. Works as long as this object
// lives and the process handles faults (support/system/fault_handler.h).
class GuardedPages {
 public:
  GuardedPages() = default;
  // `bytes` begin at a page; they are unmapped after this object is destroyed.
  explicit GuardedPages(std::span<const std::uint8_t> bytes);
  ~GuardedPages();
  GuardedPages(GuardedPages&& other) noexcept;
  GuardedPages& operator=(GuardedPages&& other) noexcept;

 private:
  int slot_ = -1;  // none: not guarded
};

// How many pages were lost in this process. Any thread.
std::uint64_t lost_pages();

// For the fault handler: makes the page at `address` readable if it is guarded. False: it is not.
bool replace_lost_page(const void* address);

}  // namespace redraft
