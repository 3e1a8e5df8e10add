#include "bench/quality/quality_comparison.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/markdown.h"
#include "bench/quality/figures.h"
#include "bench/quality/half.h"
#include "bench/quality/quality_report.h"
#include "bench/text_format.h"

namespace redraft {
namespace {

using Json = nlohmann::ordered_json;

// Follows from the others, and from names of files.
constexpr const char* kCommand = "command";

std::string value_of(const Json& settings, const std::string& key) {
  const auto found = settings.find(key);
  return found == settings.end() ? "nothing" : found->dump();
}

std::string different_settings(const Json& before, const Json& after) {
  std::set<std::string> keys;
  for (const Json* settings : {&before, &after}) {
    for (const auto& [key, value] : settings->items()) keys.insert(key);
  }
  keys.erase(kCommand);
  std::string text;
  for (const std::string& key : keys) {
    const std::string was = value_of(before, key), is = value_of(after, key);
    if (was != is) text += "- " + key + ": " + was + ", then " + is + "\n";
  }
  return text.empty() ? "The settings are the same.\n" : "Different settings:\n\n" + text;
}

struct Pairs {
  std::vector<RecordPair> pairs;
  int only_before = 0, only_after = 0;
};

Pairs pairs_of(const QualityFile& before, const QualityFile& after, Measure measure) {
  Pairs result;
  const auto counts = [&](const QualityRecord& record) {
    return record.key.measure == measure && record.left_out.empty();
  };
  int n_after = 0;
  for (const auto& [key, record] : after.records) n_after += counts(record);
  for (const auto& [key, record] : before.records) {
    if (!counts(record)) continue;
    const auto found = after.records.find(key);
    if (found != after.records.end() && counts(found->second)) {
      result.pairs.push_back({&record, &found->second});
    } else {
      ++result.only_before;
    }
  }
  result.only_after = n_after - static_cast<int>(result.pairs.size());
  return result;
}

// Those of completions that both have.
std::set<double> common_gates(std::span<const RecordPair> pairs) {
  std::vector<const QualityRecord*> before, after;
  for (const RecordPair& pair : pairs) {
    before.push_back(pair.before);
    after.push_back(pair.after);
  }
  const std::set<double> old_gates = gates_of(before), new_gates = gates_of(after);
  std::set<double> both;
  std::ranges::set_intersection(old_gates, new_gates, std::inserter(both, both.end()));
  return both;
}

std::string text_of_difference(FigureKind kind, const Difference& found) {
  const double change = found.after - found.before;
  const bool is_share = kind == FigureKind::kShare || kind == FigureKind::kRatio;
  const char* const pattern = kind == FigureKind::kMean ? "%+.3f" : "%+.0f";
  const std::string value = is_share ? format("%+.1f", 100 * change) : format(pattern, change);
  if (!found.interval) return value;
  return value + " " + text_of(kind, found.interval, /*is_difference=*/true);
}

void add_row(MarkdownTable& table, const FigureGroup& group, const Figure& figure,
             std::span<const RecordPair> pairs) {
  const std::optional<Difference> found = difference(figure, pairs);
  if (!found) return;
  const std::string name = group.name.empty() ? figure.name : group.name + ": " + figure.name;
  const bool neither = figure.better == Better::kNeither;
  const auto moved = [&](int count, const char* way) {
    return std::to_string(count) + (neither ? way : "");
  };
  table.add_row({name, std::to_string(found->n), text_of(figure.kind, found->before),
                 text_of(figure.kind, found->after), text_of_difference(figure.kind, *found),
                 moved(found->better, " up"), moved(found->worse, " down"),
                 found->p ? format("%.3f", *found->p) : "-"});
}

std::string table_of(Measure measure, std::span<const RecordPair> pairs) {
  MarkdownTable table;
  table.add_column("figure", false);
  for (const char* const title : {"n", "before", "after", "difference", "better", "worse", "p"})
    table.add_column(title);
  for (const FigureGroup& group : figure_groups(measure, common_gates(pairs))) {
    for (const Figure& figure : group.figures) add_row(table, group, figure, pairs);
  }
  return table.text();
}

std::string section(Measure measure, const Pairs& all) {
  std::string text;
  if (all.only_before > 0 || all.only_after > 0) {
    text += format(
        "\n%s: left out, because the other has not measured them: %d of the first, %d "
        "of the second.\n",
        to_string(measure), all.only_before, all.only_after);
  }
  for (const Half half : kHalves) {
    std::vector<RecordPair> pairs;
    std::ranges::copy_if(all.pairs, std::back_inserter(pairs), [&](const RecordPair& pair) {
      return half_of(pair.before->key.id) == half;
    });
    if (pairs.empty()) continue;
    text += format("\n**%s**, %s half\n\n", to_string(measure), to_string(half)) +
            table_of(measure, pairs);
  }
  return text;
}

}  // namespace

std::string quality_comparison(const QualityFile& before, const QualityFile& after) {
  std::string text = different_settings(before.settings, after.settings);
  for (const Measure measure : kMeasures)
    text += section(measure, pairs_of(before, after, measure));
  return text;
}

}  // namespace redraft
