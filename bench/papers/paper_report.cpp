#include "bench/papers/paper_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>

#include "bench/markdown.h"
#include "bench/papers/rank_agreement.h"
#include "bench/text_format.h"
#include "decoding/decoder_name.h"
#include "support/chart/chart.h"

namespace redraft {
namespace {

std::string cell_text(PaperMetric metric, std::optional<double> value) {
  if (!value || std::isnan(*value)) return "–";
  switch (metric) {
    case PaperMetric::kSpeedup:
      return format("%.2f×", *value);
    case PaperMetric::kPassAt1:
    case PaperMetric::kEditSimilarity:
    case PaperMetric::kCopied:
    case PaperMetric::kSecondsPerTask:
      return format("%.1f", *value);
    case PaperMetric::kCopyAttempts:
      return format("%.0f", *value);
    case PaperMetric::kCacheMs:
    case PaperMetric::kSearchMs:
      return format("%.3f", *value);
    default:
      return format("%.2f", *value);
  }
}

bool is_known(const std::string& decoder) { return static_cast<bool>(DecoderName::parse(decoder)); }

// One block of a table with its results.
class BlockReport {
 public:
  BlockReport(const PaperBlock& block, const PaperReportInputs& inputs)
      : block_(block), inputs_(inputs) {}

  std::string text() const {
    return "## " + block_.title + "\n\n" + table() + reasons() + orders() + prices();
  }

 private:
  std::optional<double> here(const PaperRow& row, const PaperColumn& column) const {
    if (!row.absent.empty()) return std::nullopt;
    const CellOf cell = cell_of(row, column);
    const auto results = inputs_.results.find(cell.run);
    return results == inputs_.results.end() ? std::nullopt
                                            : results->second.value(column.metric, cell);
  }
  static std::optional<double> there(const PaperNumbers& paper, std::size_t row,
                                     std::size_t column) {
    const double value = paper.values[row][column];
    return std::isnan(value) ? std::nullopt : std::optional(value);
  }
  static bool says_something(const PaperNumbers& paper, std::size_t column) {
    return std::ranges::any_of(paper.values, [column](const std::vector<double>& line) {
      return !std::isnan(line[column]);
    });
  }
  bool rows_have_decoders() const {
    return std::ranges::any_of(block_.rows,
                               [](const PaperRow& row) { return !row.of.decoder.empty(); });
  }

  std::string table() const;
  std::string reasons() const;
  std::string orders() const;
  std::string order_of_columns() const;
  std::string prices() const;

  const PaperBlock& block_;
  const PaperReportInputs& inputs_;
};

std::string BlockReport::table() const {
  const bool decoders = rows_have_decoders();
  MarkdownTable table;
  table.add_column("", false);
  if (decoders) table.add_column("decoder", false);
  for (const PaperColumn& column : block_.columns) table.add_column("here: " + column.title);
  for (const PaperNumbers& paper : block_.paper) {
    for (std::size_t i = 0; i < block_.columns.size(); ++i) {
      if (says_something(paper, i))
        table.add_column(paper.setting + ": " + block_.columns[i].title);
    }
  }
  for (std::size_t i = 0; i < block_.rows.size(); ++i) {
    const PaperRow& row = block_.rows[i];
    std::vector<std::string> cells = {row.label};
    if (decoders) cells.push_back(row.of.decoder.empty() ? "–" : "`" + row.of.decoder + "`");
    for (const PaperColumn& column : block_.columns) {
      const CellOf cell = cell_of(row, column);
      const bool unknown = row.absent.empty() && !is_known(cell.decoder);
      cells.push_back(unknown ? "not here" : cell_text(column.metric, here(row, column)));
    }
    for (const PaperNumbers& paper : block_.paper) {
      for (std::size_t j = 0; j < block_.columns.size(); ++j) {
        if (says_something(paper, j))
          cells.push_back(cell_text(block_.columns[j].metric, there(paper, i, j)));
      }
    }
    table.add_row(std::move(cells));
  }
  return table.text() + "\n";
}

// Why there are no figures in some rows.
std::string BlockReport::reasons() const {
  std::vector<std::string> lines;
  std::vector<std::string> seen;
  const auto say = [&](const std::string& what, const std::string& why) {
    if (std::ranges::find(seen, what) != seen.end()) return;
    seen.push_back(what);
    lines.push_back(what + ": " + why + ".");
  };
  for (const PaperRow& row : block_.rows) {
    if (!row.absent.empty()) {
      say(row.label, row.absent);
      continue;
    }
    for (const PaperColumn& column : block_.columns) {
      const CellOf cell = cell_of(row, column);
      if (!is_known(cell.decoder)) say("`" + cell.decoder + "`", "this build has no such decoder");
      const auto missing = inputs_.missing.find(cell.run);
      if (missing != inputs_.missing.end()) say("`" + cell.run + "`", missing->second);
      const auto results = inputs_.results.find(cell.run);
      if (results == inputs_.results.end()) continue;
      const std::string why = results->second.why_left_out(cell.decoder);
      if (!why.empty()) say("`" + cell.decoder + "`", why);
    }
  }
  std::string text;
  for (const std::string& each : lines) text += wrapped("- " + each) + "\n";
  return text.empty() ? text : text + "\n";
}

// The values that each paper's models have for the items of an order.
using PaperOrders = std::vector<std::pair<std::string, std::vector<std::optional<double>>>>;

PaperOrders orders_of(const PaperBlock& block) {
  PaperOrders orders;
  for (const PaperNumbers& paper : block.paper) orders.push_back({paper.setting, {}});
  return orders;
}

struct Ranked {
  std::string label;
  double value;
};

std::string in_order(std::vector<Ranked> all) {
  std::ranges::stable_sort(all, std::ranges::greater(), &Ranked::value);
  std::string text;
  for (const Ranked& each : all) text += (text.empty() ? "" : ", ") + each.label;
  return text;
}

// "Order by … here: a, b; SETTING: b, a; Kendall's tau 0.33 (3)." of those that both have.
std::string compared(const std::string& what, const std::vector<std::string>& labels,
                     const std::vector<std::optional<double>>& here, const PaperOrders& papers) {
  std::vector<Ranked> ours;
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (here[i]) ours.push_back({labels[i], *here[i]});
  }
  std::string text;
  if (ours.size() > 1) text += wrapped("- By " + what + ", here: " + in_order(ours) + ".") + "\n";
  for (const auto& [setting, values] : papers) {
    std::vector<Ranked> theirs;
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      theirs.push_back({labels[i], *values[i]});
      if (!here[i]) continue;
      a.push_back(*here[i]);
      b.push_back(*values[i]);
    }
    if (theirs.size() < 2) continue;
    std::string line = "- " + setting + ": " + in_order(theirs) + ".";
    if (const std::optional<double> tau = kendall_tau(a, b)) {
      line += format(" Kendall's tau with the order here: %.2f, of the %d that both have.", *tau,
                     static_cast<int>(a.size()));
    }
    text += wrapped(line) + "\n";
  }
  return text.empty() ? text : text + "\n";
}

std::string BlockReport::orders() const {
  std::string text;
  if (block_.ranked >= 0) {
    const auto at = static_cast<std::size_t>(block_.ranked);
    const PaperColumn& column = block_.columns[at];
    std::vector<std::string> labels;
    std::vector<std::optional<double>> ours;
    PaperOrders papers = orders_of(block_);
    for (std::size_t i = 0; i < block_.rows.size(); ++i) {
      // Their average is not one of them.
      if (block_.rows[i].of.decoder.empty() && block_.rows[i].of.category.empty() &&
          block_.rows[i].of.run.empty() && block_.rows[i].absent.empty()) {
        continue;
      }
      labels.push_back(block_.rows[i].label);
      ours.push_back(here(block_.rows[i], column));
      for (std::size_t j = 0; j < papers.size(); ++j)
        papers[j].second.push_back(there(block_.paper[j], i, at));
    }
    // The fewest milliseconds are the most speed; no table is ordered by those.
    text += compared(column.title, labels, ours, papers);
  }
  return text + order_of_columns();
}

std::string BlockReport::order_of_columns() const {
  if (block_.ranked_columns.empty()) return {};
  std::vector<std::string> labels;
  std::vector<std::optional<double>> ours;
  PaperOrders papers = orders_of(block_);
  for (const int column : block_.ranked_columns) {
    const auto at = static_cast<std::size_t>(column);
    labels.push_back(block_.columns[at].title);
    ours.push_back(here(block_.rows.back(), block_.columns[at]));
    for (std::size_t j = 0; j < papers.size(); ++j)
      papers[j].second.push_back(there(block_.paper[j], block_.rows.size() - 1, at));
  }
  return compared("column, " + block_.rows.back().label, labels, ours, papers);
}

// A column for each speed-up; where the table has none, for each speed.
std::string BlockReport::prices() const {
  std::vector<const PaperColumn*> priced;
  for (const PaperMetric metric :
       {PaperMetric::kSpeedup, PaperMetric::kTokensPerSecond, PaperMetric::kTokensPerForward}) {
    for (const PaperColumn& column : block_.columns) {
      if (column.metric == metric) priced.push_back(&column);
    }
    if (!priced.empty()) break;
  }
  MarkdownTable table;
  table.add_column("", false);
  for (const PaperColumn* column : priced) table.add_column("priced: " + column->title);
  bool any = false;
  for (const PaperRow& row : block_.rows) {
    std::vector<std::string> cells = {row.label};
    for (const PaperColumn* column : priced) {
      const CellOf cell = cell_of(row, *column);
      const auto results = inputs_.results.find(cell.run);
      std::optional<double> value;
      if (row.absent.empty() && results != inputs_.results.end())
        value = results->second.priced_speedup(cell, inputs_.curve, inputs_.draft_cost);
      any = any || value;
      cells.push_back(cell_text(PaperMetric::kSpeedup, value));
    }
    table.add_row(std::move(cells));
  }
  if (!any) return {};
  const std::string what = "Priced, not measured: the speed-up if passes cost " +
                           inputs_.curve_text +
                           " (rows:plain passes) and a token of the draft model " +
                           format("%g", inputs_.draft_cost) + " plain passes; look-ups are free.";
  return wrapped(what) + "\n\n" + table.text() + "\n";
}

// A column of the counts; a cell that says nothing is empty.
struct Count {
  const char* title;
  std::string (*cell)(const DecoderSummary&);
};

std::string unless_zero(const char* pattern, double value) {
  char text[64];
  if (!(value > 0)) return {};
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}
template <int DecodeStatistics::*kField>
std::string count_of(const DecoderSummary& s) {
  return unless_zero("%.0f", s.statistics.*kField);
}
template <int SearchCounts::*kField>
std::string search_count_of(const DecoderSummary& s) {
  return unless_zero("%.0f", s.searches.*kField);
}
template <DraftOrigin kOrigin>
std::string per_attempt(const DecoderSummary& s) {
  return unless_zero("%.2f", s.accepted_per_attempt(kOrigin));
}

constexpr Count kCounts[] = {
    {"tasks", [](const DecoderSummary& s) { return std::to_string(s.tasks); }},
    {"same", [](const DecoderSummary& s) { return std::to_string(s.identical); }},
    {"tokens", count_of<&DecodeStatistics::new_tokens>},
    {"tokens/s", [](const DecoderSummary& s) { return unless_zero("%.2f", s.tokens_per_second); }},
    {"ms/token", [](const DecoderSummary& s) { return unless_zero("%.1f", s.ms_per_token()); }},
    {"passes", count_of<&DecodeStatistics::passes>},
    {"forwards", count_of<&DecodeStatistics::forwards>},
    {"tokens/pass",
     [](const DecoderSummary& s) { return unless_zero("%.2f", s.statistics.tokens_per_pass()); }},
    {"tokens/forward",
     [](const DecoderSummary& s) {
       return unless_zero("%.2f", s.statistics.tokens_per_forward());
     }},
    {"rows", count_of<&DecodeStatistics::rows>},
    {"drafted, %",
     [](const DecoderSummary& s) { return unless_zero("%.1f", 100 * s.drafted_share()); }},
    {"copied, %",
     [](const DecoderSummary& s) { return unless_zero("%.1f", 100 * s.copied_share()); }},
    {"tau1", per_attempt<DraftOrigin::kCopy>},
    {"tau2", per_attempt<DraftOrigin::kModel>},
    {"ES", [](const DecoderSummary& s) { return unless_zero("%.1f", 100 * s.edit_similarity); }},
    {"pass@1",
     [](const DecoderSummary& s) {
       return s.judged == 0
                  ? std::string()
                  : format("%.1f (%d of %d)", 100.0 * s.passed / s.judged, s.passed, s.judged);
     }},
    {"CACHE asked", search_count_of<&SearchCounts::cache_asked>},
    {"hits", search_count_of<&SearchCounts::cache_hits>},
    {"searches", search_count_of<&SearchCounts::searches>},
    {"skipped", search_count_of<&SearchCounts::searches_skipped>},
    {"missing", search_count_of<&SearchCounts::searches_missing>}};

// Without the columns in which no line says anything.
std::string counted(const PaperResults& results, const std::vector<std::string>& decoders) {
  std::vector<const DecoderSummary*> lines;
  for (const std::string& decoder : decoders) {
    if (const DecoderSummary* sum = results.summary({.decoder = decoder})) lines.push_back(sum);
  }
  MarkdownTable table;
  table.add_column("decoder", false);
  std::vector<const Count*> used;
  for (const Count& count : kCounts) {
    if (std::ranges::none_of(lines, [&](const auto* line) { return !count.cell(*line).empty(); }))
      continue;
    used.push_back(&count);
    table.add_column(count.title);
  }
  for (const DecoderSummary* line : lines) {
    std::vector<std::string> cells = {"`" + line->decoder + "`"};
    for (const Count* count : used) {
      const std::string cell = count->cell(*line);
      cells.push_back(cell.empty() ? "–" : cell);
    }
    table.add_row(std::move(cells));
  }
  return table.text();
}

std::string facts_of(const std::string& run, const PaperResults& results) {
  const RunFacts& facts = results.facts();
  std::string text = "- `" + run + "`: target " + facts.target + ", draft " +
                     (facts.draft.empty() ? "the default one" : facts.draft) + "; " +
                     facts.machine + ", " + std::to_string(facts.threads) + " threads; " +
                     (facts.limit > 0 ? "the first " + std::to_string(facts.limit) + " tasks"
                                      : std::string("all tasks of the file"));
  for (const std::string& each : facts.differences) text += "; " + each;
  return wrapped(text + ".") + "\n";
}

// The number in a row's label, if it is one.
std::optional<double> number_in(const std::string& label) {
  double value = 0;
  const auto [end, problem] = std::from_chars(label.data(), label.data() + label.size(), value);
  return problem == std::errc() && end == label.data() + label.size() ? std::optional(value)
                                                                      : std::nullopt;
}

void add_sweep(const PaperTable& table, const PaperBlock& block, const PaperReportInputs& inputs,
               std::vector<ChartPanel>& panels) {
  for (std::size_t j = 0; j < block.columns.size(); ++j) {
    const PaperColumn& column = block.columns[j];
    ChartPanel panel{.title = block.title + ": " + column.title,
                     .x_title = table.figure.x_title,
                     .y_title = to_string(column.metric),
                     .series = {}};
    ChartSeries here{.name = "here", .points = {}};
    for (const PaperRow& row : block.rows) {
      const CellOf cell = cell_of(row, column);
      const auto results = inputs.results.find(cell.run);
      if (results == inputs.results.end()) continue;
      const std::optional<double> value = results->second.value(column.metric, cell);
      const std::optional<double> x = number_in(row.label);
      if (value && x) here.points.emplace_back(*x, *value);
      if (value && !x) panel.level = value;
    }
    if (here.points.empty()) continue;
    panel.series.push_back(std::move(here));
    for (const PaperNumbers& paper : block.paper) {
      ChartSeries theirs{.name = paper.setting, .points = {}, .style = ChartSeries::Style::kMarks};
      for (std::size_t i = 0; i < block.rows.size(); ++i) {
        const std::optional<double> x = number_in(block.rows[i].label);
        if (x && !std::isnan(paper.values[i][j]))
          theirs.points.emplace_back(*x, paper.values[i][j]);
      }
      if (!theirs.points.empty()) panel.series.push_back(std::move(theirs));
    }
    panels.push_back(std::move(panel));
  }
}

void add_overlap(const PaperTable& table, const PaperBlock& block, const PaperReportInputs& inputs,
                 std::vector<ChartPanel>& panels) {
  const auto results = inputs.results.find(block.columns.front().of.run);
  if (results == inputs.results.end()) return;
  ChartPanel panel{.title = block.title,
                   .x_title = table.figure.x_title,
                   .y_title = "speed-up over plain decoding",
                   .series = {},
                   .level = 1,
                   .x_axis = ChartPanel::XAxis::kShare};
  const std::vector<TaskRecord>& records = results->second.records();
  for (const PaperRow& row : block.rows) {
    ChartSeries series{.name = row.label, .points = {}, .style = ChartSeries::Style::kDotsAndMeans};
    for (std::size_t i = 0; i < records.size(); ++i) {
      const TaskRecord& record = records[i];
      if (record.key.decoder != row.of.decoder || !record.overlap) continue;
      const TaskRecord& plain = plain_of(records, i);
      series.points.emplace_back(*record.overlap,
                                 relative_speed(record.seconds, record.statistics.new_tokens,
                                                plain.seconds, plain.statistics.new_tokens));
    }
    if (!series.points.empty()) panel.series.push_back(std::move(series));
  }
  if (!panel.series.empty()) panels.push_back(std::move(panel));
}

}  // namespace

std::string paper_report(const PaperTable& table, const PaperReportInputs& inputs,
                         const std::string& figure_name) {
  std::string text = "# " + table.title + "\n\n";
  text += "Written by `" + inputs.command + "`; not edited by hand.\n\n";
  if (!figure_name.empty()) text += "![" + table.id + "](" + figure_name + ")\n\n";
  for (const PaperBlock& block : table.blocks) text += BlockReport(block, inputs).text();
  std::string facts;
  std::string counts;
  for (const NeededRun& needed : needed_runs(table)) {
    const auto results = inputs.results.find(needed.run->id);
    if (results == inputs.results.end()) continue;
    facts += facts_of(needed.run->id, results->second);
    counts += "### " + needed.run->id + "\n\n" + counted(results->second, needed.decoders) + "\n";
  }
  if (!facts.empty()) text += "## What was counted\n\n" + facts + "\n" + counts;
  if (!table.notes.empty()) text += "## Notes\n\n";
  for (const std::string& note : table.notes) text += wrapped("- " + note) + "\n";
  return text;
}

std::string paper_figure(const PaperTable& table, const PaperReportInputs& inputs) {
  std::vector<ChartPanel> panels;
  for (const PaperBlock& block : table.blocks) {
    if (table.figure.kind == PaperFigure::Kind::kSweep) add_sweep(table, block, inputs, panels);
    if (table.figure.kind == PaperFigure::Kind::kOverlap) add_overlap(table, block, inputs, panels);
  }
  if (panels.empty()) return {};
  const auto columns = table.figure.kind == PaperFigure::Kind::kSweep
                           ? table.blocks.front().columns.size()
                           : panels.size();
  return chart(panels, static_cast<int>(std::min(columns, panels.size())));
}

std::string paper_list() {
  std::string text;
  for (const PaperTable& table : paper_tables()) {
    text += left(table.id, 18) + table.title + "\n";
    std::string runs;
    for (const NeededRun& needed : needed_runs(table)) {
      runs += (runs.empty() ? "" : ", ") + needed.run->id + " (" +
              std::to_string(needed.decoders.size()) + ")";
    }
    text += left("", 18) + "runs: " + runs + "\n";
  }
  text += "\nNot reproduced:\n";
  for (const LeftOutTable& each : left_out_tables())
    text += left(each.id, 18) + each.title + ": " + each.reason + "\n";
  return text;
}

}  // namespace redraft
