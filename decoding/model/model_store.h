#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/model_location.h"
#include "support/result.h"

namespace redraft {

// A model that redraft knows by name, identified by the SHA-256 of its file, wherever it came from.
struct KnownModel {
  std::string name;  // "qwen2.5-coder-1.5b"
  std::string file;  // in the store
  std::uint64_t bytes;
  std::string sha256;  // lower-case hex
  std::string licence;
};
const std::vector<KnownModel>& known_models();

// $XDG_DATA_HOME/redraft/models (default ~/.local/share/redraft/models).
std::filesystem::path model_store_directory();

// Finds a model by a known name or by the name of a file or folder in the store. What contains a
// slash is a path; nothing else is, so no file in the current folder can stand in for a model of
// the user. The error lists the known names and says how to add a file, or to name it.
Result<std::filesystem::path> find_model(std::string_view name_or_path);

// The same for "MODEL" or "MODEL+ADAPTER", where ADAPTER is the path, with a slash, of a folder
// with a LoRA. What is a model as a whole is one: paths may contain a plus sign.
Result<ModelLocation> locate_model(std::string_view name);

// Hashes `file` and links or copies it into the store under its known name. A file with an unknown
// hash is an error.
Result<KnownModel> add_model(const std::filesystem::path& file);

// Hashes the stored file of `model` again.
Result<void> verify_model(const KnownModel& model);

}  // namespace redraft
