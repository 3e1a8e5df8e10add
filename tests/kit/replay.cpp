// redraft_replay: what decoders make of known edits, without a model. A scripted target writes the
// text after of each task; its passes and rows are counted and priced with a cost curve.
//   redraft_replay TASKS.jsonl… [--tokenizer MODEL] [--decoders a,b] [--curve rows:cost,…]
// TASKS.jsonl: one {"before", "after"} a line; other lines are skipped and counted. MODEL is a
// model name or file, of which the tokenizer alone is read.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "tests/kit/priced_model.h"

namespace redraft {
namespace {

struct Task {
  std::vector<TokenId> before;
  std::vector<TokenId> after;
};

struct Total {
  DecodeStatistics statistics;
  double cost = 0;     // by the curve, in plain steps
  double worst = 1e9;  // lowest speed-up of a task
};

// The output of an edit ends with the text's last line; the fence after it is the stop token's
// part.
std::vector<Task> read_tasks(const std::string& file, const Tokenizer& tokenizer) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::vector<Task> tasks;
  int skipped = 0;
  for (std::string line; std::getline(in, line);) {
    const auto json = nlohmann::json::parse(line);
    const auto before = json.find("before");
    const auto after = json.find("after");
    if (before == json.end() || !before->is_string() || after == json.end() ||
        !after->is_string()) {
      ++skipped;
      continue;
    }
    tasks.push_back({tokenizer.encode(before->get<std::string>() + "\n"),
                     tokenizer.encode(after->get<std::string>() + "\n")});
  }
  std::printf("%s: %zu tasks, %d without one text before and one after\n", file.c_str(),
              tasks.size(), skipped);
  return tasks;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

constexpr double kPlainStep = 0.05;  // seconds: the curve is given in plain steps

CostCurve parse_curve(const std::string& text) {
  std::vector<CostCurve::Point> points;
  for (const std::string& part : split(text, ',')) {
    const auto pair = split(part, ':');
    points.push_back({std::stoi(pair.at(0)), kPlainStep * std::stod(pair.at(1))});
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

Total replay(const std::string& decoder_name, const std::vector<Task>& tasks, TokenId first_free,
             const CostCurve& curve, std::shared_ptr<const LineTable> lines) {
  const auto name = parse_decoder_name(decoder_name);
  if (!name) throw std::runtime_error(name.error().message());
  DecoderMemory memory(std::move(lines));
  Total total;
  for (const Task& task : tasks) {
    const DecodeRequest request = request_for(task, first_free);
    const int capacity = static_cast<int>(request.prompt.size() + task.after.size()) + 300;
    PricedModel model(
        ScriptedModel::replay(first_free + 61, static_cast<int>(request.prompt.size()), task.after,
                              first_free + 60, capacity),
        curve);
    const auto cache = model.new_cache(capacity);
    auto decoder = Decoder::make(*name, {&model, cache.get()}, {}, curve, &memory);
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

int run(int argc, char** argv) {
  CLI::App app("Counts the passes of decoders on known edits, without a model");
  std::vector<std::string> files;
  std::string model = "qwen2.5-coder-1.5b";
  std::string decoders =
      "ar,efficientedit:reuse-only,efficientedit:reuse-only:keep-correction,redraft";
  std::string curve = "1:1,4:1.15,8:1.35,16:2.5,32:4.9,64:9.7";
  app.add_option("tasks", files, "JSONL with before and after")->required();
  app.add_option("--tokenizer", model, "model name or file");
  app.add_option("--decoders", decoders, "names, separated by commas");
  app.add_option("--curve", curve, "cost of a pass by rows");
  CLI11_PARSE(app, argc, argv);
  const auto file = find_model(model);
  if (!file) throw std::runtime_error(file.error().message());
  const auto tokenizer = load_tokenizer(*file);
  if (!tokenizer) throw std::runtime_error(tokenizer.error().message());
  std::vector<Task> tasks;
  for (const std::string& name : files) {
    for (Task& task : read_tasks(name, **tokenizer)) tasks.push_back(std::move(task));
  }
  std::printf("%-44s %8s %9s %11s %9s %9s %9s %12s\n", "decoder", "passes", "rows", "tokens/pass",
              "rows/pass", "speed-up", "worst", "draft/pass");
  const CostCurve cost = parse_curve(curve);
  const int vocabulary = (*tokenizer)->vocabulary_size();
  const auto lines = std::make_shared<LineTable>(
      vocabulary, [&](TokenId token) { return (*tokenizer)->bytes(token); });
  for (const std::string& name : split(decoders, ',')) {
    print_row(name, replay(name, tasks, vocabulary, cost, lines), static_cast<int>(tasks.size()));
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  try {
    return redraft::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "redraft_replay: error: " << error.what() << "\n";
    return 1;
  }
}
