#include "bench/quality/quality_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "bench/markdown.h"
#include "bench/quality/half.h"
#include "bench/text_format.h"

namespace redraft {
namespace {

using Records = std::vector<const QualityRecord*>;

constexpr const char* kAll = "all";

template <typename Keep>
Records those(std::span<const QualityRecord* const> records, const Keep& keep) {
  Records kept;
  std::ranges::copy_if(records, std::back_inserter(kept),
                       [&](const QualityRecord* record) { return keep(*record); });
  return kept;
}

int n_tasks(std::span<const QualityRecord* const> records) {
  std::set<std::string> ids;
  for (const QualityRecord* record : records) ids.insert(record->key.id);
  return static_cast<int>(ids.size());
}

// "12 of 40, 30 % [18, 45]", "0.873 [0.851, 0.893]"; "-": nothing says anything about it.
std::string cell(const Figure& figure, std::span<const QualityRecord* const> records) {
  const std::optional<Estimate> found = estimate(figure, records);
  if (!found) return "-";
  std::string value = text_of(figure.kind, found->value);
  if (found->interval) value += " " + text_of(figure.kind, found->interval);
  if (figure.kind != FigureKind::kShare && figure.kind != FigureKind::kRatio) return value;
  return format("%.0f of %.0f, ", found->counted, found->of) + value;
}

std::string title_of(const nlohmann::ordered_json& settings, Measure measure,
                     std::span<const QualityRecord* const> measured, std::size_t left_out) {
  std::string text = std::string("**") + to_string(measure) +
                     "**: " + std::to_string(n_tasks(measured)) + " tasks";
  if (measure == Measure::kNextEdits) text += ", " + std::to_string(measured.size()) + " questions";
  if (left_out > 0) text += " (" + std::to_string(left_out) + " left out)";
  return text + "; " + setting(settings, "target") + "; " + setting(settings, "instructions") +
         "; `" + setting(settings, "command") + "`\n\n";
}

// The lines of one group of figures for one set, half by half.
void add_rows(MarkdownTable& table, const FigureGroup& group, const std::string& set,
              std::span<const QualityRecord* const> records) {
  for (const Half half : kHalves) {
    const Records of_half =
        those(records, [&](const QualityRecord& record) { return half_of(record.key.id) == half; });
    const auto says_something = [&](const QualityRecord* record) {
      return std::ranges::any_of(
          group.figures, [&](const Figure& figure) { return figure.sample(*record).has_value(); });
    };
    const auto n = std::ranges::count_if(of_half, says_something);
    if (n == 0) continue;
    std::vector<std::string> row = {set, to_string(half), std::to_string(n)};
    if (!group.name.empty()) row.insert(row.begin() + 1, group.name);
    for (const Figure& figure : group.figures) row.push_back(cell(figure, of_half));
    table.add_row(std::move(row));
  }
}

std::string table_of(Measure measure, std::span<const QualityRecord* const> records) {
  const std::vector<FigureGroup> groups = figure_groups(measure, gates_of(records));
  if (groups.empty()) return {};
  std::set<std::string> sets;
  for (const QualityRecord* record : records) sets.insert(record->set);
  MarkdownTable table;
  table.add_column("tasks", false);
  if (!groups.front().name.empty()) table.add_column("", false);
  table.add_column("half", false);
  table.add_column("n");
  for (const Figure& figure : groups.front().figures) table.add_column(figure.name);
  // A file of commits has one language, and only few of its questions are answered at all.
  if (measure != Measure::kNextEdits && sets.size() > 1) {
    for (const std::string& set : sets) {
      const Records of_set =
          those(records, [&](const QualityRecord& record) { return record.set == set; });
      for (const FigureGroup& group : groups) add_rows(table, group, set, of_set);
    }
  }
  for (const FigureGroup& group : groups)
    add_rows(table, group, sets.size() == 1 ? *sets.begin() : kAll, records);
  return table.text();
}

}  // namespace

std::string quality_report(const nlohmann::ordered_json& settings,
                           std::span<const QualityRecord* const> records) {
  std::string text;
  for (const Measure measure : kMeasures) {
    const Records all =
        those(records, [&](const QualityRecord& record) { return record.key.measure == measure; });
    const Records measured =
        those(all, [](const QualityRecord& record) { return record.left_out.empty(); });
    if (measured.empty()) continue;
    if (!text.empty()) text += "\n";
    text += title_of(settings, measure, measured, all.size() - measured.size()) +
            table_of(measure, measured);
  }
  return text;
}

std::string text_of(FigureKind kind, double value) {
  switch (kind) {
    case FigureKind::kShare:
    case FigureKind::kRatio:
      return format("%.0f %%", 100 * value);
    case FigureKind::kMean:
      return format(std::abs(value) < 10 ? "%.3f" : "%.0f", value);
    case FigureKind::kTotal:
      break;
  }
  return format("%.0f", value);
}

std::string text_of(FigureKind kind, const std::optional<Interval>& interval, bool is_difference) {
  if (!interval) return {};
  const auto end = [&](double value) {
    const bool is_share = kind == FigureKind::kShare || kind == FigureKind::kRatio;
    if (is_share) return format(is_difference ? "%+.1f" : "%.0f", 100 * value);
    const bool is_small = kind == FigureKind::kMean &&
                          std::max(std::abs(interval->low), std::abs(interval->high)) < 10;
    if (is_small) return format(is_difference ? "%+.3f" : "%.3f", value);
    return format(is_difference ? "%+.0f" : "%.0f", value);
  };
  return "[" + end(interval->low) + ", " + end(interval->high) + "]";
}

std::string setting(const nlohmann::ordered_json& settings, const char* key) {
  const auto found = settings.find(key);
  return found != settings.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace redraft
