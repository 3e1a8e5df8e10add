#pragma once

#include <string>

#include "bench/quality/quality_log.h"

namespace redraft {

// Two runs over the same tasks, in Markdown: what is different in their settings, how many
// measurements only one of them has (these are left out), and for each measure and half a table of
// the figures: before, after, the difference with its interval over the tasks, how many
// measurements got better and worse, and for yes and no the probability of such a split by chance.
std::string quality_comparison(const QualityFile& before, const QualityFile& after);

}  // namespace redraft
