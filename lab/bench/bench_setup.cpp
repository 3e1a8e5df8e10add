#include "lab/bench/bench_setup.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "bench/record.h"
#include "bench/repository.h"
#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "cli/common/engine_loader.h"
#include "cli/common/index_loader.h"
#include "cli/common/skip_store.h"
#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "lab/bench/bench_options.h"

namespace redraft::cli {
namespace {

// A replayed sequence costs its tokens alone, so any length will do.
constexpr int kReplayContext = 1 << 20;
constexpr double kPlainPass = 0.05;  // seconds: about a 1.5B model on two cores
// The cost of passes on a CPU where about eight rows are nearly free, in plain passes.
constexpr const char* kDefaultCurve = "1:1,4:1.15,8:1.35,16:2.5,32:4.9,64:9.7";
constexpr JsonLimits kOutputLimits{
    .bytes = std::size_t{1} << 30, .values = std::size_t{64} << 20, .depth = 16};

// Why a decoder cannot take part in a replay; empty: it can.
std::string obstacle(const TaskBenchOptions& options, const DecoderName& decoder) {
  if (!options.replays()) return {};
  if (!decoder.lossless()) return "its rule needs a model's second choices, which a replay has not";
  if (decoder.needs_draft_model() && options.replay_draft < 0)
    return "it needs a draft model: give --replay-draft PERCENT";
  return {};
}

Result<CostCurve> replay_curve(const TaskBenchOptions& options, const ModelLocation& target) {
  if (options.curve != "machine") return parse_curve(options.curve.value_or(kDefaultCurve));
  const Result<CostKey> key = cost_key(target, make_pool(options.common)->threads(),
                                       kernels_on(chosen_device(options.common.device)));
  if (!key) return key.error();
  const std::optional<StoredCost> stored = CostCache().load(*key);
  if (!stored) {
    return Error("--curve machine: none is kept for " + options.common.target +
                 "; run `redraft bench cost --target " + options.common.target + "` once");
  }
  // The curve is only a price: the duration of a replay says nothing about it.
  return CostCurve(stored->curve.points());
}

Result<BenchEngine> make_replay_engine(const TaskBenchOptions& options) {
  const Result<ModelLocation> model = locate_model(options.common.target);
  if (!model) return model.error();
  const auto tokenizer = load_tokenizer(model->file);
  if (!tokenizer) return tokenizer.error();
  const Result<CostCurve> curve = replay_curve(options, *model);
  if (!curve) return curve.error();
  const int context = options.context > 0 ? options.context : kReplayContext;
  const int vocabulary = (*tokenizer)->vocabulary_size();
  BenchEngine out;
  LocalEngine::Model target{options.common.target, nullptr, *tokenizer};
  auto replay = std::make_unique<ReplayModel>("replay", vocabulary, context);
  replay->set_price(*curve, 1);
  replay->set_on_device(options.replay_on_device);
  out.replay.target = replay.get();
  target.model = std::move(replay);
  target.find_cost = [curve = *curve](LanguageModel&) { return curve; };
  LocalEngine::Model draft;
  if (options.replay_draft >= 0) {
    auto guesses =
        std::make_unique<ReplayModel>("replay draft", vocabulary, context, options.replay_draft);
    guesses->set_price(*curve, options.draft_cost);
    out.replay.draft = guesses.get();
    draft = {"replay draft", std::move(guesses), *tokenizer};
  }
  Result<std::unique_ptr<LocalEngine>> engine =
      LocalEngine::make(std::move(target), std::move(draft), {.context_limit = context});
  if (!engine) return engine.error();
  out.engine = std::move(*engine);
  return out;
}

bool is_folder(const std::string& path) {
  std::error_code problem;
  return std::filesystem::is_directory(path, problem);
}

}  // namespace

Result<DecoderChoice> choose_decoders(const TaskBenchOptions& options) {
  DecoderChoice choice;
  std::vector<std::string> names = options.decoders;
  names.insert(names.begin(), "ar");
  std::set<std::string> seen;
  for (const std::string& text : names) {
    Result<DecoderName> name = parse_decoder_name(text);
    if (!name) return name.error();
    if (!seen.insert(name->text).second) continue;
    const std::string reason = obstacle(options, *name);
    if (reason.empty()) {
      choice.run.push_back(std::move(*name));
    } else {
      choice.left_out.push_back({name->text, "decoder left out: " + reason});
    }
  }
  return choice;
}

Result<TaskFile> read_all_tasks(const TaskBenchOptions& options) {
  TaskFile all;
  std::set<std::string> ids;
  for (const std::string& file : options.data) {
    Result<TaskFile> one =
        read_tasks(file, options.kind,
                   {.instruction = options.instruction, .mtbench_turn2 = options.mtbench_turn2});
    if (!one) return one.error();
    for (BenchTask& task : one->tasks) {
      if (!ids.insert(task.id).second)
        return Error(file + ": the id '" + task.id + "' is in an earlier file too");
      all.tasks.push_back(std::move(task));
    }
    for (SkippedTask& skipped : one->skipped) all.skipped.push_back(std::move(skipped));
  }
  return all;
}

Result<BenchEngine> load_bench_engine(const TaskBenchOptions& options,
                                      const std::vector<DecoderName>& decoders,
                                      const LoadControl& control) {
  if (options.replays()) return make_replay_engine(options);
  const auto drafts = std::find_if(decoders.begin(), decoders.end(), [](const DecoderName& name) {
    return name.needs_draft_model();
  });
  EngineOptions engine_options;
  if (options.context > 0) engine_options.context_limit = options.context;
  BenchEngine out;
  out.pool = make_pool(options.common);
  Result<std::unique_ptr<LocalEngine>> engine =
      load_engine(options.common, drafts == decoders.end() ? decoders.front() : *drafts, *out.pool,
                  control, Fallback::kNone, engine_options);
  if (!engine) return engine.error();
  out.engine = std::move(*engine);
  return out;
}

Result<std::shared_ptr<const Datastore>> load_common_code(const TaskBenchOptions& options,
                                                          const Tokenizer& tokenizer,
                                                          StatusLine& status,
                                                          const std::stop_token& stop) {
  if (options.common_files.empty()) return std::shared_ptr<const Datastore>();
  const std::vector<std::filesystem::path> paths(options.common_files.begin(),
                                                 options.common_files.end());
  const auto folders =
      std::count_if(options.common_files.begin(), options.common_files.end(), is_folder);
  if (folders == 0) {
    status.show("reading the common code");
    return store_of(paths, tokenizer);
  }
  if (static_cast<std::size_t>(folders) < paths.size())
    return Error("give either folders or files of JSON lines");
  Result<Datastores> stores = load_datastores(
      options.common, {.repository = {}, .common = options.common_files}, {}, status, stop);
  if (!stores) return stores.error();
  return std::shared_ptr<const Datastore>(std::move(stores->common));
}

Result<RecordedOutputs> read_outputs(const std::filesystem::path& file) {
  const Result<JsonDocument> document = JsonDocument::open(file, kOutputLimits);
  if (!document) return document.error();
  const Result<JsonValue> tasks = document->root().at("tasks");
  if (!tasks) return tasks.error();
  const Result<JsonValue> list = tasks->array();
  if (!list) return list.error();
  RecordedOutputs outputs;
  for (const JsonValue each : *list) {
    Result<TaskRecord> record = parse_record(each);
    if (!record) return record.error();
    if (record->key.decoder != "ar") continue;
    outputs[{record->key.id, record->key.turn}] = std::move(record->tokens);
  }
  if (outputs.empty()) return Error(file.string() + ": holds no output of ar");
  return outputs;
}

Result<CostCurve> parse_curve(const std::string& text) {
  Result<std::vector<CostCurve::Point>> points = CostCurve::parse_points(text, kPlainPass);
  if (!points) {
    return Error("--curve: " + points.error().message() +
                 " (costs in plain passes; or give machine)");
  }
  return CostCurve(*std::move(points));
}

Result<TestRunner> make_test_runner(const std::string& python) {
  if (!python.empty()) {
    std::error_code problem;
    return TestRunner::make(std::filesystem::absolute(python, problem).string());
  }
  const char* path = std::getenv("PATH");
  std::optional<Error> first_problem;
  for (std::string_view rest = path ? path : "/usr/bin:/bin"; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    const std::filesystem::path file = std::filesystem::path(folder) / "python3";
    if (folder.empty() || !std::filesystem::exists(file)) continue;
    Result<TestRunner> runner = TestRunner::make(file.string());
    if (runner) return runner;
    if (!first_problem) first_problem = runner.error();
  }
  return first_problem ? *first_problem : Error("there is no python3 on the PATH; give --python");
}

Result<nlohmann::ordered_json> settings_of(const TaskBenchOptions& options,
                                           const std::vector<DecoderName>& decoders) {
  Result<nlohmann::ordered_json> of_options = option_settings(options, decoders);
  if (!of_options) return of_options.error();
  nlohmann::ordered_json settings = std::move(*of_options);
  const Result<ModelLocation> target = locate_model(options.common.target);
  if (!target) return target.error();
  const Result<CostKey> key = cost_key(*target, make_pool(options.common)->threads(),
                                       kernels_on(chosen_device(options.common.device)));
  if (!key) return key.error();
  settings["program"] = key->program;
  settings["model"] = key->model;
  settings["model_bytes"] = key->model_bytes;
  if (!key->adapter.empty()) settings["adapter"] = key->adapter;
  if (options.replays()) return settings;
  // The layers that selfspec skips unless its name states others. Without a stored set, there are
  // none to state.
  if (const std::string skipped = SkipStore().load(*target); !skipped.empty())
    settings["skipped_layers"] = skipped;
  settings["machine"] = key->cpu;
  settings["instructions"] = key->instructions;
  settings["threads"] = key->threads;
  return settings;
}

}  // namespace redraft::cli
