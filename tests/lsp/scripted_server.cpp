// redraft_scripted_server SCRIPT.json [--log-level LEVEL] [--index]: the real language server over
// standard input and output, its model replaced by a script. For tests of the server and of
// editors: no weights, always the same answers.
//
// SCRIPT.json:
//   {"edits": [{"instruction": "rename", "find": "old_name", "replace": "new_name"}],
//    "fills": [{"after": "x = ", "write": "1\n"}],
//    "delay_ms_per_pass": 20,   every forward pass takes this long (default 0)
//    "load_delay_ms": 0,        loading the model takes this long
//    "load_error": ""}          loading the model fails with this message
// An edit is carried out on the code asked about (the file or the selected lines; line endings are
// "\n" for a model): every entry whose "instruction" is contained in the user's instruction (absent
// or empty: in any) replaces each occurrence of "find" by "replace"; with an empty "find" it puts
// "replace" in front. Entries apply in order. An instruction that no entry applies to leaves the
// code as it is. A completion writes "write" behind the first "after" that stands before the place,
// or goes on where its beginning stands there too; with an empty "after" it may stand anywhere.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "indexing/dependencies.h"
#include "lsp/run_server.h"
#include "tests/kit/edit_script.h"

namespace {

redraft::EditScript read_script(const std::string& file) {
  std::ifstream in(file);
  const nlohmann::json json = nlohmann::json::parse(in);
  redraft::EditScript script;
  for (const nlohmann::json& edit : json.at("edits")) {
    script.edits.push_back({edit.value("instruction", ""), edit.at("find"), edit.at("replace")});
  }
  for (const nlohmann::json& fill : json.value("fills", nlohmann::json::array()))
    script.fills.fills.push_back({fill.at("after"), fill.at("write")});
  script.delay_per_pass = std::chrono::milliseconds(json.value("delay_ms_per_pass", 0));
  script.load_delay = std::chrono::milliseconds(json.value("load_delay_ms", 0));
  script.load_error = json.value("load_error", "");
  return script;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The redraft language server with a scripted model");
  std::string file;
  redraft::lsp::ServerOptions options;
  app.add_option("script", file, "a JSON file: see the source")
      ->required()
      ->check(CLI::ExistingFile);
  bool index = false;
  app.add_flag("--index", index, "Index the workspace's folders, in memory");
  app.add_option("--log-level", options.log_level, "spdlog's level");
  CLI11_PARSE(app, argc, argv);
  try {
    options.make_engine = [script = read_script(file)](const redraft::LoadControl&) {
      return redraft::make_scripted_engine(script);
    };
  } catch (const std::exception& failure) {
    std::cerr << "redraft_scripted_server: error: " << file << ": " << failure.what() << "\n";
    return 1;
  }
  if (index) {
    using Folders = redraft::lsp::Server::Folders;
    const auto of = [](const Folders& folders, const redraft::IndexOptions& index_options) {
      return [folders, index_options](
                 std::string&) -> redraft::Result<std::unique_ptr<redraft::WorkspaceIndex>> {
        return std::make_unique<redraft::WorkspaceIndex>(folders, redraft::fill_tokenizer(),
                                                         std::make_unique<redraft::TextStore>(),
                                                         index_options);
      };
    };
    options.index.of_workspace = [of](const Folders& folders) { return of(folders, {}); };
    options.index.of_common_code = [of](const Folders& workspace, bool dependencies,
                                        Folders others) {
      if (dependencies) {
        for (const auto& folder : redraft::dependency_folders(workspace)) others.push_back(folder);
      }
      return of(others, {.scan = {.dependencies = true}});
    };
  }
  options.exit_limit = std::chrono::milliseconds(500);
  return redraft::lsp::run_server(std::move(options), STDIN_FILENO, STDOUT_FILENO);
}
