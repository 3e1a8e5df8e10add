#include "cli/server_options.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/chat_templates.h"
#include "cli/common/device.h"
#include "cli/common/engine_check.h"
#include "cli/common/engine_loader.h"
#include "cli/common/identity.h"
#include "cli/common/index_loader.h"
#include "cli/common/kv_folder.h"
#include "cli/common/one_vocabulary.h"
#include "cli/common/prompt_size_store.h"
#include "cli/common/remote.h"
#include "decoding/model/model_store.h"
#include "indexing/files/dependencies.h"
#include "lsp/status/usage.h"
#include "support/confine/confinement.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/system/crash_notes.h"
#include "text/templates/confined_renderer.h"

namespace redraft::cli {
namespace {

// A draft model takes memory for as long as the editor is open, so only an explicit name loads one.
bool has_draft(const ServerChoices& choices) { return !choices.common.draft.empty(); }

void check(Result<std::unique_ptr<LocalEngine>>& engine, const std::string& model) {
  const Result<ModelLocation> location = locate_model(model);
  if (engine && location) remember_checks(**engine, *location);
}

Result<std::unique_ptr<LocalEngine>> make_engine(const ServerChoices& choices, ThreadPool& pool,
                                                 const LoadControl& control) {
  const Result<DecoderName> decoder =
      parse_decoder_name(has_draft(choices) ? "redraft:model" : "redraft");
  if (!decoder) return decoder.error();
  Result<std::unique_ptr<LocalEngine>> engine =
      load_engine(choices.common, *decoder, pool, control, Fallback::kCpu,
                  {.cache_bytes = choices.cache_mib << 20});
  if (engine && !choices.no_kv_cache) keep_on_disk(**engine, choices.common);
  if (choices.checks_models) check(engine, choices.common.target);
  return engine;
}

// 0 if unknown, because the models may run on a GPU, or are missing.
std::uint64_t memory_of(const CommonOptions& options) {
  if (!options.remote.empty()) return 0;
  if (chosen_device(options.device) == Device::cuda()) return 0;
  std::vector<std::string> models = {options.target};
  if (!options.draft.empty()) models.push_back(options.draft);
  const Result<std::uint64_t> needed = memory_needed(models);
  return needed ? *needed : 0;
}

using Folders = lsp::Server::Folders;

lsp::Server::IndexFactories index_factories(const CommonOptions& common,
                                            const std::vector<std::string>& common_folders,
                                            const std::shared_ptr<OneVocabulary>& vocabulary) {
  lsp::Server::IndexFactories index;
  index.common_folders = common_folders;
  index.of_workspace = [common, vocabulary](const Folders& folders) {
    return [common, vocabulary, folders](std::string& message) {
      return load_index(common, folders, {.scan = {}, .background = true}, message,
                        vocabulary.get());
    };
  };
  index.of_common_code = [common, vocabulary](const Folders& workspace, bool dependencies,
                                              const Folders& others) {
    return [=](std::string& message) {
      Folders folders = others;
      if (dependencies)
        std::ranges::copy(dependency_folders(workspace), std::back_inserter(folders));
      IndexOptions index_options = kCommonCode;
      index_options.background = true;
      return load_index(common, folders, index_options, message, vocabulary.get());
    };
  };
  return index;
}

// The compute threads. They start with the first model, after the process is confined.
class SharedPool {
 public:
  explicit SharedPool(const CommonOptions& common) : common_(common) {}
  ThreadPool& get() {
    if (!pool_) pool_ = make_pool(common_);
    return *pool_;
  }

 private:
  CommonOptions common_;
  std::unique_ptr<ThreadPool> pool_;
};

// Starts what runs chat templates, if one of the models may need it. Call this before the process
// is confined.
MakeChatRenderer chat_renderers(const CommonOptions& common) {
  std::vector<std::string> models = own_models(common);
  if (common.remote.empty() || common.has_target) models.push_back(common.target);
  auto host = make_template_host();
  if (std::ranges::any_of(models, may_run_chat_template)) {
    // If it fails, the first prompt tries again and reports the reason.
    [[maybe_unused]] const Result<void> started = host->start();
  }
  return confined_renderers(std::move(host));
}

std::shared_ptr<const EngineHost::Factory> own_factory(const ServerChoices& given,
                                                       const std::string& model,
                                                       const std::shared_ptr<SharedPool>& pool,
                                                       const MakeChatRenderer& chat_renderer) {
  auto make = [choices = given, model, pool, chat_renderer,
               was_on_gpu = false](const LoadControl& asked) mutable {
    LoadControl control = asked;
    control.chat_renderer = chat_renderer;
    if (was_on_gpu && control.device_failed) {
      choices.common.device = DeviceChoice(Device::cpu());
      if (control.notice) control.notice("From now on " + model + " runs on the CPU.");
    }
    Result<std::unique_ptr<LocalEngine>> loaded =
        load_own_engine(choices.common, model, pool->get(), control);
    if (choices.checks_models) check(loaded, model);
    Result<std::unique_ptr<Engine>> engine = as_engine(std::move(loaded));
    was_on_gpu = was_on_gpu || (engine && (*engine)->device() == Device::cuda());
    return engine;
  };
  const auto memory = [model] {
    const Result<std::uint64_t> bytes = memory_beside(model);
    return bytes ? *bytes : 0;
  };
  return std::make_shared<const EngineHost::Factory>(std::move(make), /*makes_draft=*/false,
                                                     memory);
}

// For purposes with their own model.
void add_own(const ServerChoices& given, const std::shared_ptr<SharedPool>& pool,
             const MakeChatRenderer& chat_renderer, EngineHost::Factory& factory) {
  const CommonOptions& common = given.common;
  std::map<std::string, std::shared_ptr<const EngineHost::Factory>> made;
  const auto add = [&](Purpose purpose, const std::string& model) {
    if (model.empty() || (model == common.target && common.remote.empty())) return;
    auto& own = made[model];
    if (!own) own = own_factory(given, model, pool, chat_renderer);
    factory.own[purpose] = own;
  };
  add(Purpose::kCompletion, common.completion_model);
  add(Purpose::kNextEdit, common.next_edit_model);
}

// A GPU that failed is not used again.
EngineHost::Factory engine_factory(const ServerChoices& given,
                                   const std::shared_ptr<OneVocabulary>& vocabulary) {
  // Call this before the process is confined.
  const Result<std::shared_ptr<Exchange>> remote =
      given.common.remote.empty() ? std::shared_ptr<Exchange>() : start_remote(given.common);
  const MakeChatRenderer chat_renderer = chat_renderers(given.common);
  const auto pool = std::make_shared<SharedPool>(given.common);
  auto make = [choices = given, vocabulary, remote, pool, chat_renderer,
               was_on_gpu = false](const LoadControl& asked) mutable {
    LoadControl control = asked;
    control.chat_renderer = chat_renderer;
    if (was_on_gpu && control.device_failed) {
      choices.common.device = DeviceChoice(Device::cpu());
      if (control.notice) control.notice("From now on the models run on the CPU.");
    }
    const auto local = [&] { return as_engine(make_engine(choices, pool->get(), control)); };
    Result<std::unique_ptr<Engine>> engine =
        choices.common.remote.empty() ? local()
                                      : load_remote_engine(choices.common, remote, control, local);
    was_on_gpu = was_on_gpu || (engine && (*engine)->device() == Device::cuda());
    // With a remote server no index needs the tokenizer.
    if (!engine || !choices.common.remote.empty()) return engine;
    if (const Result<void> taken = vocabulary->take((*engine)->shared_tokenizer()); !taken)
      engine = taken.error();
    return engine;
  };
  EngineHost::Factory factory = {std::move(make), has_draft(given),
                                 [common = given.common] { return memory_of(common); }};
  if (given.common.remote.empty())
    factory.prompt_size = [common = given.common] { return kept_prompt_size(common); };
  add_own(given, pool, chat_renderer, factory);
  return factory;
}

// A GPU's driver stores compiled code below the user's home.
ConfinementOptions confinement_of(const CommonOptions& common) {
  ConfinementOptions allowed;
  allowed.gpu = chosen_device(common.device) == Device::cuda();
  const auto home = user_home_folder();
  if (allowed.gpu && home && make_folders(*home / ".nv")) allowed.writable = {*home / ".nv"};
  return allowed;
}

}  // namespace

lsp::ServerOptions server_options(const ServerChoices& choices) {
  lsp::ServerOptions server;
  const auto vocabulary = std::make_shared<OneVocabulary>();
  server.make_engine = engine_factory(choices, vocabulary);
  // An index contains the tokens of a local model.
  if (!choices.no_index && choices.common.remote.empty())
    server.index = index_factories(choices.common, choices.common_folders, vocabulary);
  server.usage_file = lsp::default_usage_file();
  server.crash_notes = default_crash_notes();
  server.build = program_identity();
  if (!choices.no_confinement) server.confinement = confinement_of(choices.common);
  server.log_level = choices.common.log_level;
  server.exit_limit = std::chrono::milliseconds(600);
  return server;
}

}  // namespace redraft::cli
