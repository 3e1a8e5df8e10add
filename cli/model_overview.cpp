#include "cli/model_overview.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <system_error>

#include "cli/common/device.h"
#include "cli/common/engine_loader.h"
#include "decoding/model/gguf_parts.h"
#include "decoding/model/huggingface_model.h"
#include "decoding/model/tokenizer_loader.h"
#include "support/system/processor_cores.h"
#include "workspace/completion/fill_format.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kGibibyte = 1 << 30;
// Below this speed a user waits for each line. Drafts multiply it.
constexpr double kFluent = 4;  // tokens a second of plain decoding

bool is_gguf(const fs::path& file) {
  std::string end = file.extension().string();
  std::transform(end.begin(), end.end(), end.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return end == ".gguf";
}

std::string gibibytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GiB", static_cast<double>(bytes) / kGibibyte);
  return text;
}

// The approximate memory of an engine: the estimate before it is loaded, plus the memory of a whole
// context if that exceeds the caches' default size.
std::uint64_t memory_of(const ModelOverview& model) {
  const EngineOptions defaults;
  const Result<std::uint64_t> needed =
      model.present ? memory_needed({model.file.string()}) : memory_needed({});
  if (!needed) return 0;
  const int context = std::min(model.summary.context_length, defaults.context_limit);
  const std::uint64_t caches =
      model.summary.kv_bytes_per_token * static_cast<std::uint64_t>(context) +
      kStatesOfACache * model.summary.state_bytes;
  return *needed + (model.present ? 0 : model.bytes) +
         (caches > defaults.cache_bytes ? caches - defaults.cache_bytes : 0);
}

void add_measured_speed(ModelOverview& model, const Machine& machine) {
  const Result<CostKey> key = cost_key(model.file, machine.threads, machine.kernels);
  const std::optional<StoredCost> cost = key ? CostCache().load(*key) : std::nullopt;
  if (!cost || !(cost->curve.seconds(1) > 0)) return;
  model.speed = {cost->curve.seconds(1), SpeedBasis::kMeasured};
}

// An overview of a file, in the store or elsewhere.
ModelOverview overview_of_file(std::string name, const fs::path& file, const Machine& machine) {
  ModelOverview model{.name = std::move(name), .present = true, .file = file};
  model.summary = summarise_model(file);
  std::error_code problem;
  for (const fs::path& each : gguf_files(file)) {
    const std::uintmax_t bytes = fs::file_size(each, problem);  // an error for a folder
    if (!problem) model.bytes += bytes;
  }
  if (model.bytes == 0) model.bytes = model.summary.weight_bytes;
  model.memory_needed = memory_of(model);
  if (model.runs()) model.why_no_completions = why_no_completions(file);
  add_measured_speed(model, machine);
  return model;
}

ModelOverview overview_of_known(const KnownModel& known, const Machine& machine) {
  const fs::path file = model_store_directory() / known.file;
  std::error_code problem;
  ModelOverview model{.name = known.name, .file = file, .bytes = known.bytes};
  if (fs::exists(file, problem)) model = overview_of_file(known.name, file, machine);
  if (!model.present) model.memory_needed = memory_of(model);
  model.known = &known;
  return model;
}

bool is_known_file(const fs::path& name) {
  const auto& known = known_models();
  return std::any_of(known.begin(), known.end(),
                     [&](const KnownModel& model) { return name == model.file; });
}

// The names of the other models in the store, sorted.
std::vector<fs::path> other_models() {
  std::vector<fs::path> names;
  std::error_code problem;
  for (fs::directory_iterator entry(model_store_directory(), problem), end;
       !problem && entry != end; entry.increment(problem)) {
    const fs::path name = entry->path().filename();
    std::error_code ignored;
    const std::optional<GgufPartName> part = gguf_part_name(name.native());
    const bool is_file = entry->is_regular_file(ignored) && is_gguf(name);
    const bool is_model =
        (is_file && (!part || part->number == 1)) || is_huggingface_folder(entry->path());
    if (is_model && !name.native().starts_with('.') && !is_known_file(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The measured model whose passes read the most similar number of bytes; null: none was measured.
const ModelOverview* nearest_measured(const std::vector<ModelOverview>& models,
                                      std::uint64_t bytes) {
  const ModelOverview* nearest = nullptr;
  const auto distance = [bytes](const ModelOverview& model) {
    return std::abs(std::log(static_cast<double>(model.pass_bytes()) / static_cast<double>(bytes)));
  };
  for (const ModelOverview& model : models) {
    if (model.speed.basis != SpeedBasis::kMeasured || model.pass_bytes() == 0) continue;
    if (!nearest || distance(model) < distance(*nearest)) nearest = &model;
  }
  return nearest;
}

bool fits(const ModelOverview& model, const Machine& machine) {
  return machine.memory.total_bytes == 0 || model.memory_needed <= machine.memory.available_bytes;
}

std::string memory_text(const ModelOverview& model, const Machine& machine) {
  if (model.memory_needed == 0) return "needs an unknown amount of memory";
  std::string needs = "needs " + gibibytes(model.memory_needed);
  if (machine.memory.total_bytes == 0) return needs;
  const std::string free = gibibytes(machine.memory.available_bytes);
  return needs +
         (fits(model, machine) ? " of " + free + " free" : ", more than the " + free + " free");
}

std::string what_it_is(const ModelSummary& summary) {
  std::string text = summary.architecture;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (summary.parameters > 0) add(parameters_text(summary.parameters) + " parameters");
  if (!summary.quantisation.empty()) add(summary.quantisation);
  return text;
}

// The larger model knows more, however it is stored.
bool is_larger(const ModelOverview& a, const ModelOverview& b) {
  return a.present && b.present ? a.summary.parameters > b.summary.parameters : a.bytes > b.bytes;
}

}  // namespace

bool SpeedEstimate::is_fluent() const {
  return basis == SpeedBasis::kNone || tokens_per_second() >= kFluent;
}

std::string speed_text(const SpeedEstimate& estimate) {
  char number[32];
  const double speed = estimate.tokens_per_second();
  std::snprintf(number, sizeof number, speed < 9.5 ? "%.1f" : "%.0f", speed);
  const std::string tokens = std::string(number) + " tokens/s";
  switch (estimate.basis) {
    case SpeedBasis::kMeasured:
      return "about " + tokens + " without drafts";
    case SpeedBasis::kOtherModel:
      return "about " + tokens + " without drafts (by another model's passes)";
    case SpeedBasis::kMemoryLimit:
      return "below " + tokens + " without drafts (by the memory's bandwidth)";
    case SpeedBasis::kNone:
      break;
  }
  return "its speed on this machine is unknown";
}

Machine this_machine() {
  return {.memory = machine_memory(),
          .threads = processor_cores().threads(),
          .kernels = kernels_on(Device::cpu())};
}

std::vector<ModelOverview> overview_of_models(const Machine& machine) {
  std::vector<ModelOverview> models;
  for (const KnownModel& known : known_models())
    models.push_back(overview_of_known(known, machine));
  for (const fs::path& name : other_models())
    models.push_back(overview_of_file(name.string(), model_store_directory() / name, machine));
  estimate_speeds(models, machine);
  return models;
}

ModelOverview overview_of(const fs::path& file, const Machine& machine) {
  std::vector<ModelOverview> models;
  for (const KnownModel& known : known_models())
    models.push_back(overview_of_known(known, machine));
  models.push_back(overview_of_file(file.filename().string(), file, machine));
  estimate_speeds(models, machine);
  return models.back();
}

std::string why_no_completions(const fs::path& file) {
  const Result<std::unique_ptr<const ModelFiles>> files = open_model_files(ModelLocation(file));
  if (!files) return {};
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = make_tokenizer(**files);
  if (!tokenizer) return {};
  const std::string names = (*files)->name() + "\n" + file.string();
  const Result<const FillFormat*> format = require_fill_format(**tokenizer, names);
  return format ? std::string() : format.error().message();
}

SpeedEstimate estimated_speed(std::uint64_t pass_bytes, const std::vector<ModelOverview>& models,
                              const Machine& machine) {
  const auto bytes = static_cast<double>(pass_bytes);
  if (const ModelOverview* other = nearest_measured(models, pass_bytes)) {
    return {other->speed.seconds_per_pass * bytes / static_cast<double>(other->pass_bytes()),
            SpeedBasis::kOtherModel};
  }
  if (machine.bandwidth_gbps > 0)
    return {bytes / 1e9 / machine.bandwidth_gbps, SpeedBasis::kMemoryLimit};
  return {};
}

void estimate_speeds(std::vector<ModelOverview>& models, const Machine& machine) {
  for (ModelOverview& model : models) {
    const std::uint64_t bytes = model.pass_bytes();
    if (model.speed.basis != SpeedBasis::kNone || bytes == 0 || !model.runs()) continue;
    model.speed = estimated_speed(bytes, models, machine);
  }
}

std::string description(const ModelOverview& model, const Machine& machine) {
  const std::string what = what_it_is(model.summary);
  const std::string start = what.empty() ? "" : what + "; ";
  if (!model.runs()) return start + "does not run: " + model.summary.why_not;
  const std::string text = start + memory_text(model, machine) + "; " + speed_text(model.speed);
  return text + (model.why_no_completions.empty()
                     ? ""
                     : "; completions need another model (completion.model)");
}

nlohmann::ordered_json to_json(const ModelOverview& model, const Machine& machine) {
  nlohmann::ordered_json json = {
      {"name", model.name}, {"present", model.present}, {"bytes", model.bytes}};
  if (model.known) {
    json["bytes"] = model.known->bytes;
    json["sha256"] = model.known->sha256;
    json["licence"] = model.known->licence;
  }
  json["file"] = model.file.string();
  json["known"] = model.known != nullptr;
  if (model.present) {
    const ModelSummary& summary = model.summary;
    json["architecture"] = summary.architecture;
    json["parameters"] = summary.parameters;
    json["quantisation"] = summary.quantisation;
    json["context_length"] = summary.context_length;
    json["supported"] = model.runs();
    if (!model.runs()) json["why_not"] = summary.why_not;
  }
  if (!model.runs()) return json;
  if (model.present) json["completes"] = model.why_no_completions.empty();
  if (!model.why_no_completions.empty()) json["why_no_completions"] = model.why_no_completions;
  json["memory_needed"] = model.memory_needed;
  json["memory_free"] = machine.memory.available_bytes;
  json["fits"] = fits(model, machine);
  if (model.speed.basis == SpeedBasis::kNone) {
    json["tokens_per_second"] = nullptr;
  } else {
    json["tokens_per_second"] = model.speed.tokens_per_second();
    json["speed_measured"] = model.speed.basis == SpeedBasis::kMeasured;
  }
  return json;
}

std::string recommendation(const std::vector<ModelOverview>& models, const Machine& machine) {
  const ModelOverview* here = nullptr;
  const ModelOverview* elsewhere = nullptr;
  for (const ModelOverview& model : models) {
    if (!model.runs() || !fits(model, machine) || !model.speed.is_fluent()) continue;
    const ModelOverview*& best = model.present ? here : elsewhere;
    if (!best || is_larger(model, *best)) best = &model;
  }
  const std::string pull = elsewhere ? "`redraft models pull " + elsewhere->name + "`" : "";
  if (here) {
    return here->name + ", the largest here that fits: " + speed_text(here->speed) +
           (elsewhere && is_larger(*elsewhere, *here) ? "; larger: " + pull : "");
  }
  if (elsewhere) return pull + ", which fits: " + speed_text(elsewhere->speed);
  return "none: all models need more memory than is free, or are too slow. Use "
         "`--remote` to run a model on a server";
}

}  // namespace redraft::cli
