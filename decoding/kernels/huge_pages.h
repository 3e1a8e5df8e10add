#pragma once

#include <cstddef>

namespace redraft::kernels {

// Weights are read front to back once a pass: with small pages every 4 KiB costs a walk of the page
// tables (a quarter of one core's bandwidth). Requests huge pages from the system, which may
// refuse. Only helps memory that has not been written to yet.
void ask_for_huge_pages(void* begin, std::size_t bytes);

// Keeps the system from using huge pages for the whole pages at `begin`: for memory of which each
// stretch of 2 MiB is used only a little.
void refuse_huge_pages(void* begin, std::size_t bytes);

}  // namespace redraft::kernels
