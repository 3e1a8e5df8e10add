#include "decoding/statistics.h"

namespace redraft {
namespace {

template <typename Number>
void add(const Number& more, Number& sum) {
  sum += more;
}

void add(const CountsByOrigin& more, CountsByOrigin& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

DecodeStatistics& DecodeStatistics::operator+=(const DecodeStatistics& other) {
  for_each_statistic([&](const char*, auto field, ReportedBy) { add(other.*field, this->*field); });
  return *this;
}

}  // namespace redraft
