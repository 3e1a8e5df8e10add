// redraft models: the store of model files, each identified by its SHA-256.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "cli/common/command.h"
#include "cli/common/report.h"
#include "cli/installation.h"
#include "cli/model_advice.h"
#include "cli/model_overview.h"
#include "cli/models_check.h"
#include "decoding/model/architecture.h"
#include "decoding/model/model_store.h"
#include "support/files/user_folders.h"
#include "support/system/processes.h"
#include "support/system_error.h"

namespace redraft::cli {
namespace {

struct ModelsOptions {
  std::vector<std::string> names;
  std::vector<std::string> files;
  std::string sha256;
  Format format = Format::kText;
};

bool is_present(const KnownModel& model) {
  std::error_code problem;
  return std::filesystem::exists(model_store_directory() / model.file, problem);
}

// A name in the store may contain any bytes.
std::string without_controls(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  return text;
}

void print_row(const ModelOverview& model, const Machine& machine) {
  const bool known = model.known != nullptr;
  std::printf("%-20s %-8s %5.0f MB  %s%s\n", without_controls(model.name).c_str(),
              model.present ? "present" : "absent", static_cast<double>(model.bytes) / 1e6,
              known ? (model.known->licence + "  ").c_str() : "",
              known ? model.known->file.c_str() : "");
  std::printf("%-20s %s\n", "", description(model, machine).c_str());
}

int list(const ModelsOptions& options) {
  const Machine machine = this_machine();
  const std::vector<ModelOverview> models = overview_of_models(machine);
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const ModelOverview& model : models) json.push_back(to_json(model, machine));
    std::cout << dump(json) << std::endl;
    return kSuccess;
  }
  std::cout << "in " << model_store_directory().string() << std::endl;
  for (const ModelOverview& model : models) print_row(model, machine);
  std::cout << std::flush;
  std::puts("");
  for (const std::string& line : advice_lines(advice_for(models, machine), machine))
    std::puts(without_controls(line).c_str());
  return kSuccess;
}

int show(const ModelsOptions& options) {
  const Result<std::filesystem::path> file = find_model(options.names.front());
  if (!file) return fail(file.error());
  const Machine machine = this_machine();
  const ModelOverview model = overview_of(*file, machine);
  if (options.format == Format::kJson) {
    std::cout << dump(to_json(model, machine)) << std::endl;
    return kSuccess;
  }
  if (!model.runs()) return fail(Error(file->string() + ": " + model.summary.why_not));
  std::cout << description(model, machine) << std::endl;
  if (!model.why_no_completions.empty())
    std::cout << "no completions: " << model.why_no_completions << std::endl;
  return kSuccess;
}

int add(const ModelsOptions& options) {
  for (const std::string& file : options.files) {
    const Result<KnownModel> model = add_model(file);
    if (!model) return fail(model.error());
    std::cout << model->name << ": added" << std::endl;
  }
  return kSuccess;
}

Result<std::vector<KnownModel>> named_models(const std::vector<std::string>& names) {
  std::vector<KnownModel> chosen;
  std::string all;
  for (const KnownModel& model : known_models()) {
    if (std::find(names.begin(), names.end(), model.name) != names.end()) chosen.push_back(model);
    all += (all.empty() ? "" : ", ") + model.name;
  }
  for (const std::string& name : names) {
    const auto is_name = [&](const KnownModel& model) { return model.name == name; };
    if (std::none_of(chosen.begin(), chosen.end(), is_name)) {
      return Error("unknown model '" + name + "' (known: " + all + ")");
    }
  }
  return chosen;
}

// Checks all present models if none is named.
int verify(const ModelsOptions& options) {
  Result<std::vector<KnownModel>> models = named_models(options.names);
  if (!models) return misuse(models.error());
  if (options.names.empty()) {
    for (const KnownModel& model : known_models()) {
      if (is_present(model)) models->push_back(model);
    }
  }
  if (models->empty())
    return fail(Error("there are no models in " + model_store_directory().string()));
  int code = kSuccess;
  for (const KnownModel& model : *models) {
    const Result<void> verified = verify_model(model);
    if (verified) {
      std::cout << model.name << ": its SHA-256 matches" << std::endl;
    } else {
      code = fail(verified.error());
    }
  }
  return code;
}

// An address or a repository of the hub, not a known name. The script validates it.
bool is_elsewhere(const std::string& name) { return name.find('/') != std::string::npos; }

Result<void> check_names(const ModelsOptions& options) {
  std::vector<std::string> known;
  for (const std::string& name : options.names) {
    if (!is_elsewhere(name)) known.push_back(name);
  }
  const Result<std::vector<KnownModel>> models = named_models(known);
  if (!models)
    return Error(models.error().message() +
                 "; another one is named by its address (https://HOST/PATH/FILE.gguf) or its "
                 "repository (OWNER/NAME:Q4_K_M)");
  if (!options.sha256.empty() && (options.names.size() != 1 || !known.empty()))
    return Error("--sha256 requires one file, named by its address or repository");
  return {};
}

// The arguments of the script.
std::vector<std::string> words_for(const std::filesystem::path& script,
                                   const ModelsOptions& options) {
  std::string architectures;
  for (const Architecture& each : redraft::architectures())
    architectures += (architectures.empty() ? "" : ",") + std::string(each.name);
  std::vector<std::string> words = {
      "python3",         script.string(),
      "--format",        options.format == Format::kJson ? "json" : "text",
      "--program",       executable().string(),
      "--architectures", architectures};
  if (!options.sha256.empty()) words.insert(words.end(), {"--sha256", options.sha256});
  words.push_back("--");
  words.insert(words.end(), options.names.begin(), options.names.end());
  return words;
}

// The script replaces this process, so that a signal reaches it and this program opens no
// connection itself.
int pull(const ModelsOptions& options) {
  if (const Result<void> checked = check_names(options); !checked) return misuse(checked.error());
  if (belongs_to_another(model_store_directory()))
    return fail(Error(model_store_directory().string() +
                      " belongs to another user. Run this command as that user, without sudo"));
  const std::filesystem::path script = fetch_script();
  if (script.empty()) {
    return fail(
        Error("the script that fetches models (tools/pull_models.py) is missing next to " +
              executable().string() +
              ". Download the file and run `redraft models add PATH`, which checks its SHA-256"));
  }
  std::vector<std::string> words = words_for(script, options);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::cout.flush();
  execvp("python3", arguments.data());
  return fail(system_error("cannot run python3, which fetches models"));
}

void add_action(const std::shared_ptr<ModelsOptions>& options, Command& chosen, CommandLine action,
                int (*run)(const ModelsOptions&)) {
  action.callback([&chosen, options, run] { chosen = [options, run] { return run(*options); }; });
}

}  // namespace

void add_models(CommandLine app, Command& chosen) {
  const CommandLine models =
      app.add_subcommand("models", "List, add, fetch and verify model files");
  models.require_subcommand();
  const auto options = std::make_shared<ModelsOptions>();
  const CommandLine listing =
      models.add_subcommand("list", "List known and present models, their memory and speed");
  listing.add_option("--format", options->format, "Output format").transform(text_or_json());
  const CommandLine showing =
      models.add_subcommand("show", "Show a model's headers, and whether it runs");
  showing.add_option("NAME", options->names, "A model in the store, or a path")
      .required()
      .expected(1);
  showing.add_option("--format", options->format, "Output format").transform(text_or_json());
  const CommandLine adding =
      models.add_subcommand("add", "Add a model file to the store, by its SHA-256");
  adding.add_option("FILE", options->files, "Model files").required();
  const CommandLine pulling = models.add_subcommand("pull", "Fetch models into the store");
  pulling
      .add_option("NAME", options->names,
                  "Names from `redraft models list`; or the address of a GGUF file; or "
                  "OWNER/NAME, a repository of Hugging Face's hub, with :Q4_K_M to choose a file")
      .required();
  pulling.add_option("--sha256", options->sha256, "The SHA-256 of the file at that address");
  pulling.add_option("--format", options->format, "json: one line for each progress step")
      .transform(text_or_json());
  const CommandLine verifying =
      models.add_subcommand("verify", "Verify the hashes of stored files");
  verifying.add_option("NAME", options->names, "Default: all models in the store");
  add_action(options, chosen, listing, list);
  add_action(options, chosen, showing, show);
  add_action(options, chosen, adding, add);
  add_action(options, chosen, pulling, pull);
  add_action(options, chosen, verifying, verify);
  add_models_check(models, chosen);
}

}  // namespace redraft::cli
