// Places changes as a server does, one after the other in one process, without a model.
//   place_bench < REQUESTS > ANSWERS
// A request is a line of JSON: {"path", "text", "change"}. Its answer is a line, too: "ms", the
// time from the request's text to the answer, without reading and writing JSON; "error" if the
// change cannot be read; "text" with all hunks and "certain_text" with those without a doubt, if it
// is placed; and "mismatches" if it is not.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "bench/programs/stopwatch.h"
#include "languages/languages.h"
#include "workspace/documents/document.h"
#include "workspace/edit/applied_change.h"

namespace redraft {
namespace {

using Json = nlohmann::json;

Json mismatch_json(const Mismatch& mismatch) {
  Json regions = Json::array(), lines = Json::array();
  for (const FileLineRange& range : mismatch.regions) regions.push_back({range.first, range.last});
  for (const DifferentLine& one : mismatch.lines)
    lines.push_back({{"line", one.line ? Json(*one.line) : Json()},
                     {"expected", one.expected ? Json(*one.expected) : Json()},
                     {"there", one.there ? Json(*one.there) : Json()}});
  return {{"part", mismatch.part},
          {"reason", mismatch.reason},
          {"kind", to_string(mismatch.kind)},
          {"regions", std::move(regions)},
          {"lines", std::move(lines)},
          {"described", described(mismatch)}};
}

Result<AppliedChange> applied(const Json& request) {
  const auto path = request.at("path").get<std::string>();
  Result<std::shared_ptr<const Document>> document = Document::make(
      "file:///" + path, 1, request.at("text").get<std::string>(), std::string(language_of(path)));
  if (!document) return document.error();
  EditRequest edit;
  edit.document = *std::move(document);
  edit.change = request.at("change").get<std::string>();
  return apply_change(edit);
}

Json answer_to(const Json& request) {
  Json answer = Json::object();
  std::optional<Result<AppliedChange>> outcome;
  answer["ms"] = 1e3 * seconds([&] { outcome = applied(request); });
  if (!*outcome) {
    answer["error"] = outcome->error().message();
    return answer;
  }
  const AppliedChange& change = **outcome;
  answer["mismatches"] = Json::array();
  for (const Mismatch& one : change.mismatches) answer["mismatches"].push_back(mismatch_json(one));
  if (!change.result) return answer;
  answer["text"] = change.result->text;
  answer["certain_text"] =
      apply_edits(request.at("text").get<std::string>(), certain_edits_of(change.result->hunks));
  answer["doubts"] = Json::array();
  for (const Hunk& hunk : change.result->hunks) {
    if (!hunk.doubt.empty()) answer["doubts"].push_back(hunk.doubt);
  }
  return answer;
}

}  // namespace
}  // namespace redraft

int main() {
  std::string line;
  while (std::getline(std::cin, line))
    std::cout << redraft::answer_to(redraft::Json::parse(line)).dump() << std::endl;
}
