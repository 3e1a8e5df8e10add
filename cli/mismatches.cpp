#include "cli/mismatches.h"

#include <iostream>
#include <utility>

#include "cli/common/report.h"

namespace redraft::cli {

using Json = nlohmann::ordered_json;

void print_mismatches(const std::vector<Mismatch>& mismatches) {
  for (const Mismatch& one : mismatches) std::cerr << "redraft: " << described(one) << "\n";
  std::cerr << std::flush;
}

Json to_json(const std::vector<Mismatch>& mismatches) {
  Json all = Json::array();
  for (const Mismatch& one : mismatches) {
    Json regions = Json::array(), lines = Json::array();
    for (const FileLineRange& range : one.regions)
      regions.push_back({{"first", range.first}, {"last", range.last}});
    for (const DifferentLine& line : one.lines)
      lines.push_back({{"line", line.line ? Json(*line.line) : Json()},
                       {"expected", line.expected ? Json(*line.expected) : Json()},
                       {"there", line.there ? Json(*line.there) : Json()}});
    all.push_back({{"part", one.part},
                   {"kind", to_string(one.kind)},
                   {"reason", one.reason},
                   {"regions", std::move(regions)},
                   {"lines", std::move(lines)}});
  }
  return all;
}

void print_unplaced_json(const std::vector<Mismatch>& mismatches) {
  std::cout << dump({{"placed", false}, {"mismatches", to_json(mismatches)}}) << std::endl;
}

}  // namespace redraft::cli
