#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/papers/paper_results.h"
#include "bench/papers/paper_table.h"
#include "decoding/cost_curve.h"

namespace redraft {

// Everything that a table is made from, beside itself.
struct PaperReportInputs {
  std::map<std::string, PaperResults> results;  // by run; those that are missing were not run
  std::map<std::string, std::string> missing;   // why, by run
  std::string command;                          // that repeats it
  // What a forward pass costs on the machine that the prices are of, and how it was written.
  CostCurve curve;
  std::string curve_text;
  double draft_cost = 0;  // a token of the draft model, in passes of one row
};

// The table as Markdown: rows in the paper's layout, what was measured beside what the paper says,
// the order of the rows, prices, and what was counted. Prose is wrapped at 100 columns.
// `figure_name`: the file of its figure; empty: it has none.
std::string paper_report(const PaperTable& table, const PaperReportInputs& inputs,
                         const std::string& figure_name);

// The table's figure as SVG; empty: it has none, or nothing of it was measured.
std::string paper_figure(const PaperTable& table, const PaperReportInputs& inputs);

// A list of the tables, of the runs that each needs, and of those that are left out.
std::string paper_list();

}  // namespace redraft
