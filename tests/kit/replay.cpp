// redraft_replay: what decoders make of known edits, without a model. A scripted target writes the
// reference text of each task; passes and rows are counted and priced with a cost curve.
//   redraft_replay TASKS.jsonl [--decoders a,b] [--curve rows:cost,…]
// TASKS.jsonl: one {"id", "before_ids", "after_ids"} a line (tools/replay_tasks.py writes it).
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "tests/kit/priced_model.h"

namespace redraft {
namespace {

struct Task {
  std::vector<TokenId> before;
  std::vector<TokenId> after;
};

struct Tasks {
  std::vector<Task> tasks;
  TokenId largest = 0;
};

struct Total {
  DecodeStatistics statistics;
  double cost = 0;     // by the curve, of one plain step
  double worst = 1e9;  // lowest speed-up of a task
};

Tasks read_tasks(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  Tasks tasks;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    Task task{json.at("before_ids").get<std::vector<TokenId>>(),
              json.at("after_ids").get<std::vector<TokenId>>()};
    for (const auto* ids : {&task.before, &task.after}) {
      for (const TokenId id : *ids) tasks.largest = std::max(tasks.largest, id);
    }
    tasks.tasks.push_back(std::move(task));
  }
  return tasks;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

CostCurve parse_curve(const std::string& text) {
  std::vector<CostCurve::Point> points;
  for (const std::string& part : split(text, ',')) {
    const auto pair = split(part, ':');
    points.push_back({std::stoi(pair.at(0)), std::stod(pair.at(1))});
  }
  return CostCurve(std::move(points));
}

// The prompt is a head, the text before, and an instruction; none of their tokens is in the texts.
DecodeRequest request_for(const Task& task, TokenId first_free) {
  DecodeRequest request;
  for (TokenId id = 0; id < 20; ++id) request.prompt.push_back(first_free + id);
  request.prompt.insert(request.prompt.end(), task.before.begin(), task.before.end());
  for (TokenId id = 20; id < 60; ++id) request.prompt.push_back(first_free + id);
  request.original = task.before;
  request.stop_tokens = {first_free + 60};
  request.max_new_tokens = static_cast<int>(task.after.size()) + 1;
  return request;
}

Total replay(const std::string& decoder_name, const Tasks& tasks, const CostCurve& curve) {
  const auto name = parse_decoder_name(decoder_name);
  if (!name) throw std::runtime_error(name.error().message());
  Total total;
  const TokenId first_free = tasks.largest + 1;
  for (const Task& task : tasks.tasks) {
    const DecodeRequest request = request_for(task, first_free);
    const int capacity = static_cast<int>(request.prompt.size() + task.after.size()) + 300;
    PricedModel model(
        ScriptedModel::replay(first_free + 61, static_cast<int>(request.prompt.size()), task.after,
                              first_free + 60, capacity),
        curve);
    const auto cache = model.new_cache(capacity);
    auto decoder = Decoder::make(*name, {&model, cache.get()}, {}, curve);
    if (!decoder) throw std::runtime_error(decoder.error().message());
    const auto result = (*decoder)->run(request, nullptr, {});
    if (!result || result->tokens != task.after)
      throw std::runtime_error(decoder_name + " changed the output");
    const DecodeStatistics& statistics = result->statistics;
    total.statistics.passes += statistics.passes;
    total.statistics.rows += statistics.rows;
    total.statistics.new_tokens += statistics.new_tokens;
    total.statistics.draft_seconds += statistics.draft_seconds;
    for (int origin = 0; origin < kDraftOriginCount; ++origin) {
      total.statistics.accepted_by_origin[origin] += statistics.accepted_by_origin[origin];
    }
    total.cost += model.cost() / curve.seconds(1);
    total.worst =
        std::min(total.worst, (statistics.new_tokens + 1) / (model.cost() / curve.seconds(1)));
  }
  return total;
}

void print_row(const std::string& name, const Total& total, int tasks) {
  const DecodeStatistics& statistics = total.statistics;
  std::printf("%-44s %8d %9d %11.2f %9.2f %8.2fx %8.2fx %9.1f us\n", name.c_str(),
              statistics.passes, statistics.rows, statistics.tokens_per_pass(),
              static_cast<double>(statistics.rows) / statistics.passes,
              (statistics.new_tokens + tasks) / total.cost, total.worst,
              1e6 * statistics.draft_seconds / statistics.passes);
}

int run(const std::vector<std::string>& arguments) {
  std::string decoders =
      "ar,efficientedit:reuse-only,efficientedit:reuse-only:keep-correction,redraft";
  std::string curve = "1:1,4:1.15,8:1.35,16:2.5,32:4.9,64:9.7";
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    (arguments[i] == "--decoders" ? decoders : curve) = arguments[i + 1];
  }
  const Tasks tasks = read_tasks(arguments.at(0));
  std::printf("%zu tasks\n%-44s %8s %9s %11s %9s %9s %9s %12s\n", tasks.tasks.size(), "decoder",
              "passes", "rows", "tokens/pass", "rows/pass", "speed-up", "worst", "draft/pass");
  const CostCurve cost = parse_curve(curve);
  for (const std::string& name : split(decoders, ',')) {
    print_row(name, replay(name, tasks, cost), static_cast<int>(tasks.tasks.size()));
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  try {
    if (argc < 2)
      throw std::runtime_error(
          "usage: redraft_replay TASKS.jsonl [--decoders a,b] [--curve rows:cost,…]");
    return redraft::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "redraft_replay: error: " << error.what() << "\n";
    return 1;
  }
}
