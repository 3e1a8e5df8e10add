// The program's load_transformer(), load_trainable() and make_trainable_head(). They call a library
// that is opened with the first model, because loading libtorch takes a fifth of a second.
#include <dlfcn.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <utility>

#include "cli/common/identity.h"
#include "cli/transformer_entry.h"

namespace redraft {
namespace {

// Torch's waiting threads sleep. By default they spin, which on a busy machine takes five times the
// processor time of the training itself. Torch's OpenMP reads the variable when it is loaded. A
// value set by the user stays.
void let_waiting_threads_sleep() { ::setenv("OMP_WAIT_POLICY", "PASSIVE", 0); }

// The result of the library's symbol `name`, a pointer to a function.
template <typename Entry>
auto load_through(const char* name) -> Result<decltype(std::declval<Entry&>()())> {
  let_waiting_threads_sleep();
  const std::filesystem::path file = cli::transformer_library();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // stays open until the
                                                                      // program ends
  void* const entry = library == nullptr ? nullptr : dlsym(library, name);
  if (entry == nullptr)
    return Error("cannot load a part of redraft: " + std::string(dlerror()) +
                 ". Build or install redraft again");
  return reinterpret_cast<Entry*>(entry)();
}

}  // namespace

Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        kernels::Isa isa, ThreadPool& pool,
                                                        const LoadControl& control) {
  static const Result<cli::LoadTransformer*> load =
      load_through<cli::TransformerEntry>(cli::kTransformerEntry);
  if (!load) return load.error();
  return (*load)(std::move(files), isa, pool, control);
}

Result<std::unique_ptr<TrainableModel>> load_trainable(const ModelFiles& files,
                                                       const TrainableOptions& options,
                                                       const LoadControl& control) {
  static const Result<cli::LoadTrainable*> load =
      load_through<cli::TrainableEntry>(cli::kTrainableEntry);
  if (!load) return load.error();
  return (*load)(files, options, control);
}

Result<std::unique_ptr<TrainableHead>> make_trainable_head(const TrainableHeadOptions& options) {
  static const Result<cli::MakeTrainableHead*> make =
      load_through<cli::TrainableHeadEntry>(cli::kTrainableHeadEntry);
  if (!make) return make.error();
  return (*make)(options);
}

}  // namespace redraft
