#include "cli/common/engine_loader.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>
#include <vector>

#include "cli/common/chat_templates.h"
#include "cli/common/cost_cache.h"
#include "cli/common/device.h"
#include "cli/common/gpu_room.h"
#include "cli/common/prompt_size_store.h"
#include "cli/common/skip_store.h"
#include "decoding/model/gguf_parts.h"
#include "decoding/model/model_store.h"
#include "decoding/model/model_summary.h"
#include "decoding/model/tokenizer_loader.h"
#include "decoding/model_failure.h"
#include "support/files/user_folders.h"
#include "support/system/machine.h"
#include "support/system/processor_cores.h"
#include "text/same_vocabulary.h"
#include "text/templates/confined_renderer.h"

namespace redraft::cli {
namespace {

constexpr const char* kDefaultDraft = "qwen2.5-coder-0.5b";

// Tells the user how to avoid the notice.
constexpr const char* kAskForCpu = " (Use `--device cpu` to avoid this notice.)";

// The target's approximate share of the time to load a target and its draft model.
constexpr double kTargetShare = 0.7;

// Memory that the caches and the program need in addition to the weights.
constexpr std::uint64_t kBesideWeights = std::uint64_t{1} << 30;

// A model beside the target caches less, because its requests concern few places.
constexpr std::size_t kOwnCacheBytes = std::size_t{128} << 20;

// The size of a file with its parts, or of the safetensors in a folder.
Result<std::uint64_t> bytes_of_weights(const std::filesystem::path& path) {
  std::error_code problem;
  if (!std::filesystem::is_directory(path, problem)) {
    std::uint64_t sum = 0;
    for (const std::filesystem::path& file : gguf_files(path)) {
      const std::uintmax_t bytes = std::filesystem::file_size(file, problem);
      if (problem) return Error(file.string() + ": " + problem.message());
      sum += bytes;
    }
    return sum;
  }
  std::uint64_t sum = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path, problem)) {
    if (entry.path().extension() != ".safetensors") continue;
    const std::uintmax_t bytes = entry.file_size(problem);
    if (!problem) sum += bytes;
  }
  return sum;
}

// The memory of a model's weights.
Result<std::uint64_t> bytes_of_model(const std::string& model) {
  const Result<ModelLocation> location = locate_model(model);
  if (!location) return location.error();
  Result<std::uint64_t> bytes = bytes_of_weights(location->file);
  if (!bytes) return bytes.error();
  *bytes -= std::min(*bytes, bytes_looked_up(location->file));
  // Merged weights take twice the bits (format_of_changed).
  return location->adapter.empty() ? *bytes : 2 * *bytes;
}

// The control for the part of the work that starts at `begin`.
LoadControl part(const LoadControl& whole, double begin, double share) {
  LoadControl control{.stop = whole.stop,
                      .progress = {},
                      .notice = whole.notice,
                      .device_failed = whole.device_failed,
                      .overflow = {},
                      .chat_renderer = whole.chat_renderer};
  if (whole.progress)
    control.progress = [&whole, begin, share](double f) { whole.progress(begin + share * f); };
  return control;
}

// The same, but weights for which there is no memory go to the user's cache folder, and `is_used`
// becomes true. Unchanged if the memory or the folder is unknown. Keeps a reference to `is_used`.
LoadControl with_overflow(LoadControl control, bool& is_used) {
  const MachineMemory memory = machine_memory();
  const auto cache = user_cache_folder();
  if (memory.total_bytes == 0 || !cache) return control;
  const std::uint64_t free = memory.available_bytes;
  control.overflow = {.folder = *cache / "redraft" / "weights",
                      .free_memory = free - std::min(free, kBesideWeights),
                      .is_used = &is_used};
  return control;
}

// For tests: pins the cost of passes in seconds ("1:0.03,8:0.05,64:0.3"), so that everything that
// depends on it can be tested on any machine. Nothing is measured or stored then, and no size of
// prompts that was chosen before counts.
Result<std::optional<CostCurve>> pinned_cost() {
  const char* text = std::getenv("REDRAFT_PINNED_COST");
  if (!text) return std::optional<CostCurve>();
  Result<std::vector<CostCurve::Point>> points = CostCurve::parse_points(text);
  if (!points) return points.error().in("REDRAFT_PINNED_COST");
  return std::optional(CostCurve(*std::move(points), /*measured_here=*/true));
}

// The costs of passes are found and kept in the user's cache folder.
void use_cost_cache(const CostKey& key, LocalEngine::Model& model) {
  model.find_cost = [key](LanguageModel& passes) {
    return find_or_measure_cost(CostCache(), key, passes);
  };
  model.keep_cost = [key](const CostCurve& curve, CostChange how) {
    keep_cost(CostCache(), key, curve, how);
  };
}

// The size of prompts is kept there too. `speed` counts passes that wait for the disk if weights
// are on it: then the size is the smallest, and not kept.
void use_kept_prompt_size(const CostKey& key, bool is_on_disk, const LoadControl& control,
                          LocalEngine::Model& model) {
  model.choose_prompt_size = [key, is_on_disk,
                              notice = control.notice](const std::function<int()>& speed) {
    const PromptSizeStore store;
    if (is_on_disk) return store.find(key).value_or(PromptSize::kSmall);
    return store.find_or_choose(key, speed, notice);
  };
}

// For reports, `name` is the name that the user knows, not the one inside the file. If weights are
// on the disk, passes wait for it at first, so their cost is neither found nor kept.
LocalEngine::Model to_engine_model(const std::string& name, LoadedModel loaded, int threads,
                                   const std::optional<CostCurve>& pinned, bool is_on_disk,
                                   const LoadControl& control) {
  LocalEngine::Model model{name, std::move(loaded.model), std::move(loaded.tokenizer)};
  model.device = loaded.device;
  model.skipped_layers = SkipStore().load(loaded.location);
  model.title = loaded.name;
  model.version = loaded.stamp.weights();
  // A deleted model cannot be loaded again, so it counts as current.
  model.is_current = [location = loaded.location, stamp = loaded.stamp] {
    const ModelStamp now = ModelStamp::of(location);
    return now == stamp || !now.complete();
  };
  if (pinned) {
    model.find_cost = [curve = *pinned](LanguageModel&) { return curve; };
    return model;
  }
  const Result<CostKey> key = cost_key(loaded.location, threads, kernels_on(loaded.device));
  if (!key) return model;
  use_kept_prompt_size(*key, is_on_disk, control, model);
  if (!is_on_disk) use_cost_cache(*key, model);
  return model;
}

// A model on a device, or why there is none.
struct DeviceLoad {
  Result<LoadedModel> model;
  bool device_failed = false;  // the device itself: otherwise the file, or it was stopped
};

DeviceLoad load_on(const Device& device, const ModelLocation& location, ThreadPool& pool,
                   const LoadControl& control) {
  try {
    return {load_model_on(device, location, pool, control)};
  } catch (const ModelFailure& failure) {
    return {Error(location.file.string() + ": " + failure.what()), /*device_failed=*/true};
  }
}

// Loads the models of one engine:
//
//   1. The device is the one of the options; `auto` is the GPU if there is one.
//   2. The target and, if the decoder needs it, the draft model are loaded on that device. A model
//      that the GPU cannot run or has no memory for is loaded on the CPU instead.
//   3. What is left of the GPU's memory is divided among caches. If it is too little, both models
//      are loaded again on the CPU.
//
// Fallback and --device decide whether the CPU may be used instead of the GPU. If it is, a notice
// says so.
class EngineLoader {
 public:
  EngineLoader(const CommonOptions& options, const DecoderName& decoder, ThreadPool& pool,
               const LoadControl& control, Fallback fallback)
      : options_(options),
        decoder_(decoder),
        pool_(pool),
        control_(control),
        fallback_(fallback),
        device_(chosen_device(options.device)) {}

  Result<std::unique_ptr<LocalEngine>> load(const EngineOptions& wanted) {
    Result<std::optional<CostCurve>> pinned = pinned_cost();
    if (!pinned) return pinned.error();
    pinned_ = *std::move(pinned);
    if (Result<void> loaded = load_models(); !loaded) return loaded.error();
    Result<GpuRoom> room = divide_gpu_memory(wanted);
    if (!room && fallback_ == Fallback::kCpu) {
      if (Result<void> loaded = load_on_cpu_instead(room.error()); !loaded) return loaded.error();
      room = divide_gpu_memory(wanted);
    }
    if (!room) return room.error();
    if (!room->notice.empty()) notice(room->notice);
    room->options.notice = control_.notice;
    return LocalEngine::make(std::move(target_), std::move(draft_), room->options);
  }

 private:
  Result<void> load_models() {
    const bool needs_draft = decoder_.needs_draft_model();
    const double share = needs_draft ? kTargetShare : 1;
    Result<LocalEngine::Model> target =
        load_model(options_.target, options_.head, part(control_, 0, share));
    if (!target) return target.error();
    target_ = std::move(*target);
    if (!needs_draft) return {};
    const std::string name = options_.draft.empty() ? kDefaultDraft : options_.draft;
    Result<LocalEngine::Model> draft =
        load_model(name, /*head=*/{}, part(control_, share, 1 - share));
    if (!draft) return draft.error().in("decoder " + decoder_.text + " needs a draft model");
    draft_ = std::move(*draft);
    return {};
  }

  // `head` is the folder of its draft head; empty if there is none.
  Result<LocalEngine::Model> load_model(const std::string& name, const std::string& head,
                                        const LoadControl& control) {
    const Result<ModelLocation> location = locate_model(name);
    if (!location) return location.error();
    bool is_on_disk = false;
    Result<LoadedModel> loaded =
        load_where_possible(name, *location, head, with_overflow(control, is_on_disk));
    if (!loaded) return loaded.error();
    if (!head.empty() && loaded->location.head.empty())
      notice("The draft head is not used: " + name +
             " runs on the GPU, but heads only run on the CPU.");
    return to_engine_model(name, *std::move(loaded), pool_.threads(), pinned_, is_on_disk,
                           control_);
  }

  // On the engine's device or, if that does not work and it is allowed, on the CPU.
  Result<LoadedModel> load_where_possible(const std::string& name, const ModelLocation& location,
                                          const std::string& head, const LoadControl& control) {
    ModelLocation with_head = location;
    with_head.head = head;
    if (device_ == Device::cpu()) return load_on(device_, with_head, pool_, control).model;
    DeviceLoad on_gpu = load_on(device_, location, pool_, control);
    if (on_gpu.model || !may_use_cpu_after(on_gpu)) return std::move(on_gpu.model);
    DeviceLoad on_cpu = load_on(Device::cpu(), with_head, pool_, control);
    if (on_cpu.model)
      notice(name + " runs on the CPU: " + on_gpu.model.error().message() + "." + kAskForCpu);
    return std::move(on_cpu.model);
  }

  bool may_use_cpu_after(const DeviceLoad& on_gpu) const {
    if (on_gpu.device_failed) return fallback_ == Fallback::kCpu;
    return options_.device.is_auto() && !control_.stop.stop_requested();
  }

  Result<GpuRoom> divide_gpu_memory(const EngineOptions& wanted) const {
    std::vector<const LanguageModel*> models;
    for (const LocalEngine::Model* each : {&target_, &draft_}) {
      if (each->device == Device::cuda()) models.push_back(each->model.get());
    }
    if (models.empty()) return GpuRoom{.options = wanted, .notice = {}};
    return share_gpu_memory(models, free_gpu_memory(), wanted);
  }

  Result<void> load_on_cpu_instead(const Error& why) {
    target_ = {};  // frees the GPU's memory
    draft_ = {};
    device_ = Device::cpu();
    notice("The models run on the CPU: " + why.message() + "." + kAskForCpu);
    return load_models();
  }

  void notice(const std::string& text) const {
    if (control_.notice) control_.notice(text);
  }

  const CommonOptions& options_;
  const DecoderName& decoder_;
  ThreadPool& pool_;
  const LoadControl& control_;
  const Fallback fallback_;
  Device device_;
  std::optional<CostCurve> pinned_;
  LocalEngine::Model target_, draft_;
};

}  // namespace

std::unique_ptr<ThreadPool> make_pool(const CommonOptions& options) {
  return std::make_unique<ThreadPool>(options.threads > 0 ? options.threads
                                                          : processor_cores().threads());
}

Result<std::uint64_t> memory_needed(const std::vector<std::string>& models) {
  std::uint64_t needed = kBesideWeights;
  for (const std::string& model : models) {
    const Result<std::uint64_t> bytes = bytes_of_model(model);
    if (!bytes) return bytes.error();
    needed += *bytes;
  }
  return needed;
}

std::vector<std::string> own_models(const CommonOptions& options) {
  std::vector<std::string> models;
  for (const std::string& model : {options.completion_model, options.next_edit_model}) {
    if (!model.empty() && model != options.target &&
        std::ranges::find(models, model) == models.end())
      models.push_back(model);
  }
  return models;
}

Result<std::uint64_t> memory_beside(const std::string& model) {
  const Result<std::uint64_t> bytes = bytes_of_model(model);
  if (!bytes) return bytes.error();
  return *bytes + kOwnCacheBytes;
}

Result<std::unique_ptr<LocalEngine>> load_own_engine(const CommonOptions& options,
                                                     const std::string& model, ThreadPool& pool,
                                                     const LoadControl& control) {
  CommonOptions own = options;
  own.target = model;
  own.draft = own.head = "";
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return decoder.error();
  Result<std::unique_ptr<LocalEngine>> engine =
      load_engine(own, *decoder, pool, control, Fallback::kCpu, {.cache_bytes = kOwnCacheBytes});
  if (!engine) return engine;
  // Indexes contain the target's tokens.
  const Result<ModelLocation> target = locate_model(options.target);
  const auto tokenizer = target ? load_tokenizer(target->file)
                                : Result<std::shared_ptr<const Tokenizer>>(target.error());
  (*engine)->set_reads_indexes(tokenizer && same_vocabulary(**tokenizer, (*engine)->tokenizer()));
  return engine;
}

Result<LoadedModel> load_target(const CommonOptions& options, ThreadPool& pool,
                                const LoadControl& control) {
  const Result<ModelLocation> location = locate_model(options.target);
  if (!location) return location.error();
  bool is_on_disk = false;
  return load_on(chosen_device(options.device), *location, pool, with_overflow(control, is_on_disk))
      .model;
}

Result<std::unique_ptr<LocalEngine>> load_engine(const CommonOptions& options,
                                                 const DecoderName& decoder, ThreadPool& pool,
                                                 const LoadControl& control, Fallback fallback,
                                                 const EngineOptions& engine) {
  return EngineLoader(options, decoder, pool, control, fallback).load(engine);
}

LoadControl shown_on(StatusLine& status, std::stop_token stop) {
  return {
      .stop = std::move(stop),
      .progress =
          [&status](double fraction) { status.show("loading the model · " + percent(fraction)); },
      .notice =
          [&status](const std::string& notice) {
            status.clear();
            std::cerr << "redraft: warning: " << notice << std::endl;
          },
      .chat_renderer = confined_renderers(make_template_host())};
}

void add_decoder_option(CommandLine subcommand, std::string& decoder) {
  subcommand
      .add_option("--decoder", decoder,
                  "The decoder, NAME[:OPTION[=VALUE]]…: see `redraft decoders`")
      .show_default("redraft, or redraft:model if --draft is given");
}

Result<DecoderName> choose_decoder(const std::string& name, const CommonOptions& options) {
  if (!name.empty()) return parse_decoder_name(name);
  return parse_decoder_name(options.draft.empty() ? "redraft" : "redraft:model");
}

}  // namespace redraft::cli
