#pragma once

#include <cstddef>

namespace redraft::kernels {

// Weights are read front to back once a pass: with small pages every 4 KiB costs a walk of the page
// tables (a quarter of the bandwidth of one core). Asks the system for large pages; it may say no.
// Only memory that nothing was written to yet profits.
void ask_for_huge_pages(void* begin, std::size_t bytes);

}  // namespace redraft::kernels
