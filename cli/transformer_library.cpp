// load_transformer() for the program: that of a library which is opened with the first model,
// because to load libtorch takes a fifth of a second.
#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <utility>

#include "cli/common/identity.h"
#include "cli/transformer_entry.h"

namespace redraft {
namespace {

Result<cli::LoadTransformer*> open_library() {
  const std::filesystem::path file = cli::transformer_library();
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);  // until the program ends
  void* const entry = library == nullptr ? nullptr : dlsym(library, cli::kTransformerEntry);
  if (entry == nullptr)
    return Error("a part of redraft cannot be loaded: " + std::string(dlerror()) +
                 "; build or install it again");
  return reinterpret_cast<cli::TransformerEntry*>(entry)();
}

}  // namespace

Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        kernels::Isa isa, ThreadPool& pool,
                                                        const LoadControl& control) {
  static const Result<cli::LoadTransformer*> load = open_library();
  if (!load) return load.error();
  return (*load)(std::move(files), isa, pool, control);
}

}  // namespace redraft
