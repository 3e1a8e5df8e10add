#include "cli/engine_loader.h"

#include <utility>

#include "cli/cost_cache.h"
#include "cli/device.h"
#include "cli/machine.h"
#include "decoding/model/model_store.h"

namespace redraft::cli {
namespace {

constexpr const char* kDefaultDraft = "qwen2.5-coder-0.5b";

// The target's part of the time that a target and its draft model take to load, roughly.
constexpr double kTargetShare = 0.7;

Result<LoadedModel> load(const std::string& name, const std::string& device, ThreadPool& pool,
                         const LoadControl& control) {
  Result<std::filesystem::path> file = find_model(name);
  if (!file) return file.error();
  return load_model_on(device, *file, pool, control);
}

// Of a part of the work that begins at `begin`.
LoadControl part(const LoadControl& whole, double begin, double share) {
  LoadControl control{.stop = whole.stop, .progress = {}};
  if (whole.progress)
    control.progress = [&whole, begin, share](double f) { whole.progress(begin + share * f); };
  return control;
}

// What reports call it: the name the user knows it by, not the one inside the file.
Engine::Model to_engine_model(const std::string& name, LoadedModel loaded,
                              const std::string& device, int threads) {
  Engine::Model model{name, std::move(loaded.model), std::move(loaded.tokenizer)};
  if (const Result<CostKey> key = cost_key(loaded.file, threads, kernels_on(device))) {
    model.find_cost = [key = *key](LanguageModel& passes) {
      return find_or_measure_cost(CostCache(), key, passes);
    };
  }
  return model;
}

}  // namespace

std::unique_ptr<ThreadPool> make_pool(const CommonOptions& options) {
  return std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : physical_cores());
}

Result<LoadedModel> load_target(const CommonOptions& options, ThreadPool& pool,
                                const LoadControl& control) {
  return load(options.target, options.device, pool, control);
}

Result<std::unique_ptr<Engine>> load_engine(const CommonOptions& options,
                                            const DecoderName& decoder, ThreadPool& pool,
                                            const LoadControl& control,
                                            const EngineOptions& engine) {
  const double target_share = decoder.needs_draft_model() ? kTargetShare : 1;
  Result<LoadedModel> target = load_target(options, pool, part(control, 0, target_share));
  if (!target) return target.error();
  Engine::Model draft;
  if (decoder.needs_draft_model()) {
    const std::string name = options.draft.empty() ? kDefaultDraft : options.draft;
    Result<LoadedModel> loaded =
        load(name, options.device, pool, part(control, target_share, 1 - target_share));
    if (!loaded) return loaded.error().in("decoder " + decoder.text + " needs a draft model");
    draft = to_engine_model(name, std::move(*loaded), options.device, pool.threads());
  }
  return Engine::make(
      to_engine_model(options.target, std::move(*target), options.device, pool.threads()),
      std::move(draft), engine);
}

LoadControl shown_on(StatusLine& status, std::stop_token stop) {
  return {.stop = std::move(stop), .progress = [&status](double fraction) {
            status.show("loading the model · " + percent(fraction));
          }};
}

void add_decoder_option(CLI::App& subcommand, std::string& decoder) {
  subcommand
      .add_option("--decoder", decoder,
                  "How tokens are made, NAME[:OPTION[=VALUE]]…: see `redraft decoders`")
      ->capture_default_str();
}

}  // namespace redraft::cli
