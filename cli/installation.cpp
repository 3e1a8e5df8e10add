#include "cli/installation.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "cli/common/identity.h"
#include "support/system/processes.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kAgain = ". Install redraft again, or unpack the whole archive";

// The first of `places` that exists, relative to the program's folder.
fs::path beside_program(std::initializer_list<const char*> places) {
  const fs::path folder = executable().parent_path();
  for (const char* place : places) {
    std::error_code problem;
    if (fs::exists(folder / place, problem)) return (folder / place).lexically_normal();
  }
  return {};
}

bool is_on_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty() && ::access((std::string(folder) + "/" + program).c_str(), X_OK) == 0)
      return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

// A client that has attached to a shared server becomes this program, to use less memory.
Surrounding attached() {
  const fs::path file = executable().replace_filename("redraft-attached");
  if (::access(file.c_str(), X_OK) == 0) return {"sharing", file.string()};
  return {
      "sharing",
      "there is no " + file.string() + ": an editor that shares a model takes more memory" + kAgain,
      false};
}

Surrounding fetching() {
  const fs::path script = fetch_script();
  const std::string otherwise = ". Use `redraft models add FILE` for a file from another source";
  if (script.empty())
    return {"fetching", "not possible: its script is missing next to the program" + otherwise,
            false};
  if (!is_on_path("python3"))
    return {"fetching",
            "not possible: `redraft models pull` needs python3 with pip. Install it" + otherwise,
            false};
  return {"fetching", "with python3 and " + script.string()};
}

Surrounding neovim() {
  const fs::path plugin =
      beside_program({"../share/nvim/site/pack/redraft/opt/redraft.nvim", "../editors/neovim"});
  if (plugin.empty())
    return {"Neovim", "its plugin is missing next to this program. Get it from redraft's archive",
            false};
  return {"Neovim", "its plugin is " + plugin.string()};
}

}  // namespace

fs::path fetch_script() {
  return beside_program({"../tools/pull_models.py", "../share/redraft/tools/pull_models.py"});
}

Surrounding state_of_libtorch() {
  const fs::path file = transformer_library();
  std::error_code problem;
  if (!fs::exists(file, problem))
    return {"libtorch", "not found: there is no " + file.string() + kAgain, false};
  if (::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    return {"libtorch", "cannot be loaded: " + std::string(::dlerror()) + kAgain, false};
  return {"libtorch", REDRAFT_TORCH_VERSION " (CPU), used by " + file.string()};
}

std::vector<Surrounding> installation() { return {attached(), fetching(), neovim()}; }

}  // namespace redraft::cli
