#pragma once

#include <string>

#include "bench/cost_bench.h"

namespace redraft {

// The origin of a report, in words.
struct CostTitle {
  std::string model;
  std::string machine;
  std::string instructions;
  int threads = 0;
  bool on_gpu = false;
};

// The report as text, at most 100 columns wide.
std::string cost_table(const CostTitle& title, const CostReport& report);

}  // namespace redraft
