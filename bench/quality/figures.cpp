#include "bench/quality/figures.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bench/text_format.h"

namespace redraft {
namespace {

using Found = std::optional<Sample>;

Found found(double value, double weight = 1) { return Sample{value, weight}; }
Found yes_or_no(bool flag) { return found(flag ? 1 : 0); }

Figure of_edits(std::string name, FigureKind kind, Better better,
                Found (*use)(const EditQuality&)) {
  return {std::move(name), kind, better, [use](const QualityRecord& record) -> Found {
            return record.edit() ? use(*record.edit()) : std::nullopt;
          }};
}

std::vector<Figure> edit_figures() {
  using enum FigureKind;
  using enum Better;
  using E = EditQuality;
  return {
      of_edits("passed", kShare, kHigher,
               [](const E& e) { return e.passed ? yes_or_no(*e.passed) : std::nullopt; }),
      of_edits("all exact", kShare, kHigher,
               [](const E& e) {
                 return e.expected_hunks > 0 ? yes_or_no(e.all_exact()) : std::nullopt;
               }),
      of_edits("exact hunks", kRatio, kHigher,
               [](const E& e) { return found(e.exact_hunks, e.expected_hunks); }),
      of_edits("similarity", kMean, kHigher, [](const E& e) { return found(e.similarity); }),
      of_edits("untouched", kMean, kNeither, [](const E& e) { return found(e.similarity_before); }),
      of_edits("changed lines in the region", kRatio, kHigher,
               [](const E& e) { return found(e.changed_lines_in_region, e.changed_lines); }),
      of_edits("breaks syntax", kShare, kLower,
               [](const E& e) { return yes_or_no(e.breaks_syntax); }),
      of_edits("prompt tokens", kMean, kNeither,
               [](const E& e) { return found(e.prompt_tokens); })};
}

std::vector<Figure> completion_figures(double gate) {
  using enum FigureKind;
  using enum Better;
  using S = Suggestion;
  const auto figure = [gate](std::string name, FigureKind kind, Better better,
                             Found (*use)(const S&)) -> Figure {
    return {std::move(name), kind, better, [gate, use](const QualityRecord& record) -> Found {
              if (!record.completion()) return std::nullopt;
              const auto& all = record.completion()->suggestions;
              const auto at_gate = std::ranges::find(all, gate, &S::min_probability);
              return at_gate == all.end() ? std::nullopt : use(*at_gate);
            }};
  };
  return {figure("shown", kShare, kNeither, [](const S& s) { return yes_or_no(s.shown > 0); }),
          figure("all right", kShare, kHigher,
                 [](const S& s) { return s.shown > 0 ? yes_or_no(s.all_right()) : std::nullopt; }),
          figure("whole", kShare, kHigher,
                 [](const S& s) { return s.shown > 0 ? yes_or_no(s.whole) : std::nullopt; }),
          figure("characters saved", kTotal, kHigher, [](const S& s) { return found(s.right); }),
          figure("wrong characters", kTotal, kLower,
                 [](const S& s) { return found(s.shown - s.right); })};
}

std::vector<Figure> next_edit_figures(const std::set<std::string>& questions) {
  using Q = NextEditQuality;
  const auto figure = [&questions](std::string name, Better better,
                                   bool (*is)(const Q&)) -> Figure {
    return {std::move(name), FigureKind::kShare, better,
            [questions, is](const QualityRecord& record) -> Found {
              if (!record.next_edit() || !questions.contains(record.key.question))
                return std::nullopt;
              return yes_or_no(is(*record.next_edit()));
            }};
  };
  const bool nothing_is_right = questions == std::set<std::string>{std::string(kAfterCommit)};
  return {figure("proposed", nothing_is_right ? Better::kLower : Better::kNeither,
                 [](const Q& q) { return q.verdict != Verdict::kNone; }),
          figure("exact", Better::kHigher, [](const Q& q) { return q.verdict == Verdict::kExact; }),
          figure("by the line", Better::kNeither,
                 [](const Q& q) { return q.verdict == Verdict::kLines; }),
          figure("wrong", Better::kLower, [](const Q& q) { return q.verdict == Verdict::kWrong; }),
          figure("reversing", Better::kLower, [](const Q& q) { return q.reverses; })};
}

// The samples of one task, added up.
struct Sums {
  double value = 0, weight = 0;
};

std::optional<double> value_of(FigureKind kind, double value, double weight) {
  if (kind == FigureKind::kTotal) return value;
  if (weight <= 0) return std::nullopt;
  return value / weight;
}

std::optional<double> resampled(FigureKind kind, std::span<const Sums> tasks, Weights drawn) {
  double value = 0, weight = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    value += drawn[i] * tasks[i].value;
    weight += drawn[i] * tasks[i].weight;
  }
  return value_of(kind, value, weight);
}

Sums total(std::span<const Sums> tasks) {
  Sums sums;
  for (const Sums& each : tasks) {
    sums.value += each.value;
    sums.weight += each.weight;
  }
  return sums;
}

std::vector<Sums> in_order(const std::map<std::string, Sums>& by_task) {
  std::vector<Sums> all;
  for (const auto& [id, sums] : by_task) all.push_back(sums);
  return all;
}

void add(Sums& sums, const Sample& sample) {
  sums.value += sample.value;
  sums.weight += sample.weight;
}

}  // namespace

std::vector<FigureGroup> figure_groups(Measure measure, const std::set<double>& gates) {
  std::vector<FigureGroup> groups;
  if (measure == Measure::kEdits) return {{"", edit_figures()}};
  if (measure == Measure::kCompletion) {
    for (const double gate : gates)
      groups.push_back({format("gate %g", gate), completion_figures(gate)});
    return groups;
  }
  std::set<std::string> within;
  for (const std::string_view name : kAfterHunks) {
    within.emplace(name);
    groups.push_back({std::string(name), next_edit_figures({std::string(name)})});
  }
  groups.push_back({"within a commit", next_edit_figures(within)});
  for (const std::string_view name : {kAfterCommit, kAfterCommitBefore})
    groups.push_back({std::string(name), next_edit_figures({std::string(name)})});
  return groups;
}

std::set<double> gates_of(std::span<const QualityRecord* const> records) {
  std::set<double> gates;
  for (const QualityRecord* record : records) {
    if (!record->completion()) continue;
    for (const Suggestion& each : record->completion()->suggestions)
      gates.insert(each.min_probability);
  }
  return gates;
}

std::optional<Estimate> estimate(const Figure& figure,
                                 std::span<const QualityRecord* const> records) {
  Estimate result;
  std::map<std::string, Sums> by_task;
  for (const QualityRecord* record : records) {
    const Found sample = figure.sample(*record);
    if (!sample) continue;
    ++result.n;
    add(by_task[record->key.id], *sample);
  }
  const std::vector<Sums> tasks = in_order(by_task);
  const Sums all = total(tasks);
  const std::optional<double> value = value_of(figure.kind, all.value, all.weight);
  if (result.n == 0 || !value) return std::nullopt;
  result.value = *value;
  result.counted = all.value;
  result.of = all.weight;
  if (figure.kind == FigureKind::kShare) {
    result.interval = wilson(static_cast<int>(all.value), static_cast<int>(all.weight));
  } else if (tasks.size() > 1) {
    result.interval = bootstrap(static_cast<int>(tasks.size()), [&](Weights drawn) {
      return resampled(figure.kind, tasks, drawn);
    });
  }
  return result;
}

std::optional<Difference> difference(const Figure& figure, std::span<const RecordPair> pairs) {
  Difference result;
  std::map<std::string, Sums> before_by_task, after_by_task;
  for (const RecordPair& pair : pairs) {
    const Found before = figure.sample(*pair.before), after = figure.sample(*pair.after);
    if (!before || !after) continue;
    ++result.n;
    add(before_by_task[pair.before->key.id], *before);
    add(after_by_task[pair.before->key.id], *after);
    const auto was = value_of(figure.kind, before->value, before->weight);
    const auto is = value_of(figure.kind, after->value, after->weight);
    if (!was || !is) continue;
    const double gain = figure.better == Better::kLower ? *was - *is : *is - *was;
    result.better += gain > 0;
    result.worse += gain < 0;
  }
  const std::vector<Sums> before = in_order(before_by_task), after = in_order(after_by_task);
  const Sums all_before = total(before), all_after = total(after);
  const auto was = value_of(figure.kind, all_before.value, all_before.weight);
  const auto is = value_of(figure.kind, all_after.value, all_after.weight);
  if (result.n == 0 || !was || !is) return std::nullopt;
  result.before = *was;
  result.after = *is;
  const auto change = [&](Weights drawn) -> std::optional<double> {
    const auto old_value = resampled(figure.kind, before, drawn);
    const auto new_value = resampled(figure.kind, after, drawn);
    if (!old_value || !new_value) return std::nullopt;
    return *new_value - *old_value;
  };
  if (before.size() > 1) result.interval = bootstrap(static_cast<int>(before.size()), change);
  // The test is of independent pairs.
  if (figure.kind == FigureKind::kShare && std::ssize(before) == result.n)
    result.p = mcnemar(result.better, result.worse);
  return result;
}

}  // namespace redraft
