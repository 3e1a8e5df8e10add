#include "cli/server_engine.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/device.h"
#include "cli/common/engine_loader.h"
#include "cli/common/kv_folder.h"
#include "cli/common/remote.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"

namespace redraft::cli {
namespace {

// A draft model takes memory for as long as the editor is open, so only an explicit name loads one.
bool has_draft(const ServerChoices& choices) { return !choices.common.draft.empty(); }

Result<std::unique_ptr<Engine>> make_engine(const ServerChoices& choices, ThreadPool& pool,
                                            const LoadControl& control) {
  const Result<DecoderName> decoder =
      parse_decoder_name(has_draft(choices) ? "redraft:model" : "redraft");
  if (!decoder) return decoder.error();
  Result<std::unique_ptr<Engine>> engine =
      load_engine(choices.common, *decoder, pool, control, Fallback::kCpu,
                  {.cache_bytes = choices.cache_mib << 20});
  if (engine && !choices.no_kv_cache) keep_on_disk(**engine, choices.common);
  return engine;
}

// 0: not known, because the models may run on a GPU, or are not here.
std::uint64_t memory_of(const CommonOptions& options) {
  if (!options.remote.empty()) return 0;
  if (options.device != "cpu" && check_device("cuda")) return 0;
  std::vector<std::string> models = {options.target};
  if (!options.draft.empty()) models.push_back(options.draft);
  const Result<std::uint64_t> needed = memory_needed(models);
  return needed ? *needed : 0;
}

}  // namespace

EngineHost::Factory engine_factory(const ServerChoices& given,
                                   const std::shared_ptr<OneVocabulary>& vocabulary) {
  // Before the process is confined; the pool's threads start once it is.
  const Result<std::shared_ptr<Exchange>> remote =
      given.common.remote.empty() ? std::shared_ptr<Exchange>() : start_remote(given.common);
  auto make = [choices = given, vocabulary, remote, pool = std::shared_ptr<ThreadPool>(),
               was_on_gpu = false](const LoadControl& control) mutable {
    if (!pool) pool = make_pool(choices.common);
    if (was_on_gpu && control.device_failed) {
      choices.common.device = "cpu";
      if (control.notice) control.notice("From now on the models run on the CPU.");
    }
    const auto local = [&] { return make_engine(choices, *pool, control); };
    Result<std::unique_ptr<Engine>> engine =
        choices.common.remote.empty() ? local()
                                      : load_remote_engine(choices.common, remote, control, local);
    was_on_gpu = was_on_gpu || (engine && (*engine)->device() == "cuda");
    if (!engine) return engine;
    if (const Result<void> taken = vocabulary->take((*engine)->shared_tokenizer()); !taken)
      engine = taken.error();
    return engine;
  };
  return {std::move(make), has_draft(given), [common = given.common] { return memory_of(common); }};
}

ConfinementOptions confinement_of(const CommonOptions& common) {
  ConfinementOptions allowed;
  allowed.gpu = common.device != "cpu" && check_device("cuda");
  const auto home = user_home_folder();
  if (allowed.gpu && home && make_folders(*home / ".nv")) allowed.writable = {*home / ".nv"};
  return allowed;
}

}  // namespace redraft::cli
