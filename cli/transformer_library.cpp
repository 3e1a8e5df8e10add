// load_transformer() for the program: that of a library which is opened with the first model,
// because loading libtorch takes a fifth of a second.
#include "cli/common/identity.h"
#include "cli/tensor_library.h"
#include "cli/transformer_entry.h"

namespace redraft {
Result<std::unique_ptr<LanguageModel>> load_transformer(std::shared_ptr<const ModelFiles> files,
                                                        kernels::Isa isa, ThreadPool& pool,
                                                        const LoadControl& control) {
  static const Result<cli::LoadTransformer*> load =
      cli::load_through<cli::TransformerEntry>(cli::transformer_library(), cli::kTransformerEntry);
  if (!load) return load.error();
  return (*load)(std::move(files), isa, pool, control);
}

}  // namespace redraft
