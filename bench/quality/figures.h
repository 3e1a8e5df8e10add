#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/quality/intervals.h"
#include "bench/quality/quality_record.h"

namespace redraft {

// The contribution of one measurement to a figure: `value` of `weight`.
struct Sample {
  double value = 0;
  double weight = 1;
};

enum class FigureKind {
  kShare,  // how many of the measurements: yes or no; its interval is Wilson's
  kRatio,  // counts by counts, such as exact hunks of hunks; the other intervals are bootstrapped
  kMean,
  kTotal,
};
enum class Better { kHigher, kLower, kNeither };

// A figure of one measure: how it is made of the measurements.
struct Figure {
  std::string name;
  FigureKind kind = FigureKind::kShare;
  Better better = Better::kHigher;
  // Nothing: this measurement says nothing about it.
  std::function<std::optional<Sample>(const QualityRecord&)> sample;
};

// The figures that make one line of a table.
struct FigureGroup {
  std::string name;  // "gate 0.40", "after 1 hunk"; empty: it is the only one
  std::vector<Figure> figures;
};

// All figures of a measure. `gates` are those of completions.
std::vector<FigureGroup> figure_groups(Measure measure, const std::set<double>& gates);
// The gates of the completions among them.
std::set<double> gates_of(std::span<const QualityRecord* const> records);

struct Estimate {
  int n = 0;                         // measurements that say something
  double value = 0;                  // a share, a ratio, a mean or a total
  double counted = 0, of = 0;        // of a share or a ratio: value = counted / of
  std::optional<Interval> interval;  // nothing: of a single task there is none to bootstrap
};
// Nothing: no measurement says anything. What belongs to one task is drawn together.
std::optional<Estimate> estimate(const Figure& figure,
                                 std::span<const QualityRecord* const> records);

// Two runs' measurements of the same tasks.
struct RecordPair {
  const QualityRecord* before = nullptr;
  const QualityRecord* after = nullptr;
};
struct Difference {
  int n = 0;  // pairs of which both say something
  double before = 0, after = 0;
  std::optional<Interval> interval;  // of after - before, likewise
  int better = 0, worse = 0;         // pairs; higher and lower where neither is better
  std::optional<double> p;           // of a share: exact McNemar
};
std::optional<Difference> difference(const Figure& figure, std::span<const RecordPair> pairs);

}  // namespace redraft
