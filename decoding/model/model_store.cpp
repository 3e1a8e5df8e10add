#include "decoding/model/model_store.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <system_error>

#include "decoding/model/adapter.h"
#include "decoding/model/huggingface_model.h"
#include "decoding/model/sha256.h"
#include "support/files/user_folders.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

std::string known_names() {
  std::string out;
  for (const KnownModel& model : known_models()) out += (out.empty() ? "" : ", ") + model.name;
  return out;
}

const KnownModel* known_model(std::string_view name) {
  const auto& models = known_models();
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const KnownModel& m) { return m.name == name; });
  return found == models.end() ? nullptr : &*found;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// A file, or a folder as Hugging Face's tools write it.
bool is_model(const fs::path& path) {
  return !path.empty() && (is_file(path) || is_huggingface_folder(path));
}

bool is_path(std::string_view name) { return name.find('/') != name.npos; }

// Makes a hard link if the file system allows it, else a copy. Never leaves a partial file under
// the final name.
Result<void> link_or_copy(const fs::path& from, const fs::path& to) {
  const auto fail = [&](const std::error_code& why) {
    return Error(to.string() + ": " + why.message());
  };
  std::error_code error;
  fs::create_directories(to.parent_path(), error);
  if (error) return fail(error);
  const fs::path partial = to.string() + ".partial";
  fs::remove(partial, error);
  fs::create_hard_link(fs::canonical(from), partial, error);
  if (error) {
    error.clear();
    fs::copy_file(from, partial, error);
  }
  if (!error) fs::rename(partial, to, error);
  if (!error) return {};
  std::error_code ignored;
  fs::remove(partial, ignored);
  return fail(error);
}

}  // namespace

const std::vector<KnownModel>& known_models() {
  static const std::vector<KnownModel> models = {
      {"qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf", 1117320768,
       "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046", "Apache-2.0"},
      {"qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", 491400064,
       "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32", "Apache-2.0"},
      {"smollm2-135m", "smollm2-135m-instruct-q4_1.gguf", 98362432,
       "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53", "Apache-2.0"},
  };
  return models;
}

fs::path model_store_directory() {
  return user_data_folder().value_or("/.local/share") / "redraft" / "models";
}

Result<fs::path> find_model(std::string_view name_or_path) {
  if (const KnownModel* known = known_model(name_or_path)) {
    const fs::path file = model_store_directory() / known->file;
    if (is_file(file)) return file;
    return Error("model " + known->name + ": " + file.string() +
                 " is missing; fetch it with `redraft models pull " + known->name +
                 "`, or add your copy with `redraft models add PATH`");
  }
  const fs::path given(name_or_path);
  if (is_path(name_or_path)) {
    if (is_model(given)) return given;
  } else if (given.has_filename() && is_model(model_store_directory() / given)) {
    return model_store_directory() / given;
  }
  std::string problem = "model '" + std::string(name_or_path) +
                        "': neither a file, nor a folder with a config.json, nor a known model (" +
                        known_names() + ")";
  if (!is_path(name_or_path) && is_model(given))
    return Error(problem + "; for the one in the current folder write ./" + given.string());
  return Error(
      problem +
      "; `redraft models list` shows what is there, `redraft models add PATH` adds a file");
}

Result<ModelLocation> locate_model(std::string_view name) {
  if (Result<fs::path> whole = find_model(name)) return ModelLocation(*std::move(whole));
  std::optional<Error> error;
  for (std::size_t plus = name.find('+'); plus != name.npos; plus = name.find('+', plus + 1)) {
    Result<fs::path> model = find_model(name.substr(0, plus));
    if (!model) continue;
    const fs::path adapter(name.substr(plus + 1));
    const bool found = is_adapter_folder(adapter);
    if (found && is_path(adapter.native())) return ModelLocation(*std::move(model), adapter);
    if (found) {
      error = Error("adapter '" + adapter.string() + "': is given by its path, ./" +
                    adapter.string() + " if it is in the current folder");
      continue;
    }
    error = Error("adapter '" + adapter.string() + "': no folder with " + Adapter::kConfigName +
                  " and " + Adapter::kWeightsName + ", as PEFT and `redraft tune run` write them");
  }
  if (error) return *error;
  return find_model(name.substr(0, name.rfind('+'))).error();
}

Result<KnownModel> add_model(const fs::path& file) {
  if (!user_data_folder()) return Error("there is no folder for models: set HOME or XDG_DATA_HOME");
  if (belongs_to_another(model_store_directory()))
    return Error(model_store_directory().string() +
                 ": belongs to another user, whom a file of root would be in the way; run this as "
                 "that user, or set XDG_DATA_HOME to a folder of root's");
  if (is_huggingface_folder(file)) {
    return Error(file.string() +
                 ": a folder is used by its path (--target), or by its name once it lies in " +
                 model_store_directory().string() + "; only single files are known by a SHA-256");
  }
  Result<std::string> hash = sha256_of_file(file);
  if (!hash) return hash.error();
  for (const KnownModel& model : known_models()) {
    if (model.sha256 != *hash) continue;
    const fs::path stored = model_store_directory() / model.file;
    std::error_code ignored;
    if (fs::equivalent(file, stored, ignored)) return model;
    if (auto linked = link_or_copy(file, stored); !linked) return linked.error();
    return model;
  }
  return Error(file.string() + ": its SHA-256 " + *hash + " is that of no known model (" +
               known_names() + "); an unknown model can be used by its path");
}

Result<void> verify_model(const KnownModel& model) {
  const fs::path file = model_store_directory() / model.file;
  Result<std::string> hash = sha256_of_file(file);
  if (!hash) return hash.error();
  if (*hash == model.sha256) return {};
  return Error(file.string() + ": damaged: its SHA-256 is " + *hash + " where " + model.sha256 +
               " is expected; remove it and run `redraft models pull " + model.name + "`");
}

}  // namespace redraft
