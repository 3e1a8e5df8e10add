#include "cli/build_info.h"

namespace redraft::cli {

std::string build_description() {
  std::string text = REDRAFT_BUILD_TYPE " for " REDRAFT_PROCESSOR ", " REDRAFT_COMPILER
                                        ", libtorch " REDRAFT_TORCH_VERSION;
  return text + (REDRAFT_HAS_CUDA ? ", GPU kernels" : "");
}

std::string version_text() {
  return std::string("redraft " REDRAFT_VERSION "\ncommit ") + kCommit + "\nbuild " +
         build_description();
}

}  // namespace redraft::cli
