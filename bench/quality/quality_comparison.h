#pragma once

#include <string>

#include "bench/quality/quality_log.h"

namespace redraft {

// Compares two runs over the same tasks, in Markdown. Lists the differences in their settings and
// how many measurements only one of them has (these are left out). For each measure and half it has
// a table of the figures: before, after, the difference with its interval over the tasks, and how
// many measurements got better and worse. For yes/no figures it adds the probability of such a
// split by chance.
std::string quality_comparison(const QualityFile& before, const QualityFile& after);

}  // namespace redraft
