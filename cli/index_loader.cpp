#include "cli/index_loader.h"

#include "cli/machine.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "indexing/ignore_files.h"

namespace redraft::cli {

Result<std::unique_ptr<WorkspaceIndex>> load_index(
    const CommonOptions& common, const std::vector<std::filesystem::path>& folders,
    IndexOptions options, std::string& message) {
  const Result<std::filesystem::path> model = find_model(common.target);
  if (!model) return model.error();
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = load_tokenizer(*model);
  if (!tokenizer) return tokenizer.error();
  options.scan.user_ignore_file = default_user_ignore_file();
  options.threads = common.threads > 0 ? common.threads : physical_cores();
  return open_index(folders, *tokenizer, options, message);
}

}  // namespace redraft::cli
