#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/papers/paper_results.h"
#include "bench/papers/paper_table.h"
#include "decoding/cost_curve.h"

namespace redraft {

// The inputs of a report besides the table.
struct PaperReportInputs {
  std::map<std::string, PaperResults> results;  // by run; missing ones were not run
  std::map<std::string, std::string> missing;   // why, by run
  std::string command;                          // the command that repeats it
  // The cost of a forward pass on the machine to which the prices apply, and its notation.
  CostCurve curve;
  std::string curve_text;
  double draft_cost = 0;  // the cost of a token of the draft model, in passes of one row
};

// The table as Markdown: rows in the paper's layout, measurements beside the paper's values, the
// order of the rows, prices, and counts. Prose is wrapped at 100 columns. `figure_name`: the file
// of its figure; empty: it has none.
std::string paper_report(const PaperTable& table, const PaperReportInputs& inputs,
                         const std::string& figure_name);

// The table's figure as SVG; empty: it has none, or none of it was measured.
std::string paper_figure(const PaperTable& table, const PaperReportInputs& inputs);

// A list of the tables, of the runs that each needs, and of the tables that are left out.
std::string paper_list();

}  // namespace redraft
