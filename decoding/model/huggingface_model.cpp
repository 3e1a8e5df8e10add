#include "decoding/model/huggingface_model.h"

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "decoding/model/expert_roles.h"
#include "decoding/model/expert_stacks.h"
#include "decoding/model/huggingface_config.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/mtp_names.h"
#include "decoding/model/safetensors.h"
#include "decoding/model/tokenizer_json.h"
#include "support/json/json_document.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr std::string_view kRotaryTable = "rotary_emb.inv_freq";
constexpr JsonLimits kSmall = {.bytes = std::size_t{8} << 20, .values = std::size_t{1} << 20};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Shards are named by a file that is not trusted: only a plain name is certain to be in the folder.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\\') == name.npos && name.find('\0') == name.npos;
}

bool is_of_mtp(std::string_view name, const TransformerShape& shape) {
  return shape.architecture->has_delta_nets() && name.starts_with("mtp.");
}

std::string role_of(std::string_view name, const TransformerShape& shape) {
  return is_of_mtp(name, shape) ? role_of_mtp_tensor(name, shape)
                                : role_of_huggingface_tensor(name, *shape.architecture);
}

// The frequencies of rope (some tools store them although they follow from the configuration), and
// of models that see what sees, and what the first MTP block does not have.
bool is_unread(std::string_view name, const TransformerShape& shape) {
  if (name.ends_with(kRotaryTable)) return true;
  if (shape.architecture->may_see) {
    if (name.starts_with("model.")) name.remove_prefix(std::string_view("model.").size());
    return name.starts_with("vision_tower.") || name.starts_with("multi_modal_projector.");
  }
  if (is_of_mtp(name, shape)) return role_of(name, shape).empty();
  return shape.architecture->has_delta_nets() && name.starts_with("model.visual.");
}

class HuggingFaceModel : public ModelFiles {
 public:
  HuggingFaceModel(fs::path folder, JsonDocument config)
      : folder_(std::move(folder)), path_(folder_.string()), config_(std::move(config)) {}

  const std::string& path() const override { return path_; }
  std::string name() const override {
    const fs::path canonical = fs::absolute(folder_).lexically_normal();
    return (canonical.has_filename() ? canonical : canonical.parent_path()).filename().string();
  }
  // The configuration of some models does not mention their MTP block.
  Result<TransformerShape> shape() const override {
    if (const std::optional<JsonValue> quantised = config_.root().find("quantization_config"))
      return quantised->error("redraft reads quantised weights as GGUF only");
    Result<TransformerShape> shape = read_shape(text_config());
    if (shape && shape->architecture->has_delta_nets()) shape->mtp_blocks = has_mtp_ ? 1 : 0;
    return shape;
  }
  Result<TokenizerSpec> tokenizer_spec() const override { return read_tokenizer_folder(folder_); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    if (const StoredTensor* expert = experts_.find(role)) return expert;
    const ShardTensor* place = find(role);
    return place ? place->tensor : nullptr;
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    if (const auto expert = experts_.place(role)) {
      return tensor_error(expert->stack,
                          "expert " + std::to_string(expert->expert) + ": " + std::string(reason));
    }
    if (const ShardTensor* place = find(role)) {
      return shards_[place->shard].tensor_error(place->tensor->name, reason);
    }
    return Error(path_ + ": tensor " + quoted(role) + ": " + std::string(reason));
  }
  void release_pages() const override {
    for (const SafetensorsFile& shard : shards_) shard.release_pages();
  }

  // Opens the weights and gives every tensor its role.
  Result<void> read_weights(TransformerShape shape);

 private:
  struct ShardTensor {
    std::size_t shard;
    const StoredTensor* tensor;
  };
  const ShardTensor* find(std::string_view role) const {
    const auto found = places_.find(std::string(role));
    return found == places_.end() ? nullptr : &found->second;
  }

  // The part of a model that reads text, if it does something else besides.
  JsonValue text_config() const {
    const std::optional<JsonValue> text = config_.root().find("text_config");
    return text && text->object() ? *text : config_.root();
  }
  // "tie_word_embeddings", of the text's part or of the whole. "tie_embedding" goes before it.
  Result<bool> has_tied_head(const Architecture& architecture) const;

  Result<void> open_shards();
  Result<void> open_indexed_shards();
  Result<void> check_index(const TransformerShape& shape) const;
  Result<void> assign_roles(const TransformerShape& shape);
  Result<void> cut_experts(const TransformerShape& shape);
  Result<void> check_head(const Architecture& architecture);

  fs::path folder_;
  std::string path_;
  JsonDocument config_;
  std::optional<JsonDocument> index_;
  std::vector<SafetensorsFile> shards_;
  std::map<std::string, std::size_t, std::less<>> shard_of_file_;
  std::unordered_map<std::string, ShardTensor> places_;  // by role
  ExpertStacks experts_;
  bool has_mtp_ = false;
};

Result<void> HuggingFaceModel::read_weights(TransformerShape shape) {
  if (auto opened = open_shards(); !opened) return opened;
  if (auto assigned = assign_roles(shape); !assigned) return assigned;
  if (shape.architecture->has_delta_nets()) shape.mtp_blocks = has_mtp_ ? 1 : 0;
  if (index_) {
    if (auto checked = check_index(shape); !checked) return checked;
  }
  if (auto cut = cut_experts(shape); !cut) return cut;
  return check_head(*shape.architecture);
}

// Opens the single file, or the shards that the index names.
Result<void> HuggingFaceModel::open_shards() {
  if (is_file(folder_ / kWeights)) {
    Result<SafetensorsFile> file = SafetensorsFile::open(folder_ / kWeights);
    if (!file) return file.error();
    shards_.push_back(std::move(*file));
    return {};
  }
  if (is_file(folder_ / kIndex)) return open_indexed_shards();
  return Error(path_ + ": has neither " + kWeights + " nor " + kIndex +
               "; redraft reads weights as safetensors or GGUF");
}

Result<void> HuggingFaceModel::open_indexed_shards() {
  Result<JsonDocument> index = JsonDocument::open(folder_ / kIndex);
  if (!index) return index.error();
  index_.emplace(std::move(*index));
  const Result<JsonValue> given = index_->root().at("weight_map");
  if (!given) return given.error();
  const Result<JsonValue> files = given->object();
  if (!files) return files.error();
  for (const JsonValue entry : *files) {
    const Result<std::string_view> name = entry.text();
    if (!name) return name.error();
    if (shard_of_file_.contains(*name)) continue;
    if (!is_plain_name(*name)) return entry.error("a shard lies in the model's folder");
    const fs::path file = folder_ / fs::path(*name);
    if (!is_file(file)) return entry.error("shard " + quoted(*name) + " is missing");
    Result<SafetensorsFile> shard = SafetensorsFile::open(file);
    if (!shard) return shard.error();
    shard_of_file_.emplace(*name, shards_.size());
    shards_.push_back(std::move(*shard));
  }
  return {};
}

Result<void> HuggingFaceModel::assign_roles(const TransformerShape& shape) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    for (const StoredTensor& tensor : shards_[i].tensors()) {
      if (is_unread(tensor.name, shape)) continue;
      std::string role = role_of(tensor.name, shape);
      if (tensor.name == kMtpTensor) has_mtp_ = true;
      if (!is_of_mtp(tensor.name, shape) && !has_role(role, shape)) {
        return shards_[i].tensor_error(tensor.name, "has no part in a " +
                                                        std::string(shape.architecture->name) +
                                                        " model as redraft computes it");
      }
      if (!places_.emplace(std::move(role), ShardTensor{i, &tensor}).second) {
        return shards_[i].tensor_error(tensor.name, "is in another shard too");
      }
    }
  }
  return {};
}

// Checks that every tensor that the index lists is in the shard named there.
Result<void> HuggingFaceModel::check_index(const TransformerShape& shape) const {
  const JsonValue files = *index_->root().at("weight_map");
  for (const JsonValue entry : files) {
    if (is_unread(entry.key(), shape)) continue;
    const ShardTensor* place = find(role_of(entry.key(), shape));
    if (!place || place->shard != shard_of_file_.find(*entry.text())->second) {
      return entry.error("shard " + quoted(*entry.text()) + " does not have this tensor");
    }
  }
  return {};
}

// The matrices of each expert, from stacks that hold those of a layer; each by itself, they are
// found by their roles already. The MTP block may have stacks where the layers have none.
Result<void> HuggingFaceModel::cut_experts(const TransformerShape& shape) {
  const auto find_stack = [this](std::string_view name) {
    const ShardTensor* const place = find(name);
    return place ? place->tensor : nullptr;
  };
  const int first = find_stack(joined_experts_name(0)) ? 0 : shape.layers;
  if (shape.experts == 0 || !find_stack(joined_experts_name(first))) return {};
  if (const auto problem = ExpertStacks::find_problem(shape, find_stack, first))
    return tensor_error(problem->name, problem->reason);
  experts_ = ExpertStacks::cut(shape, find_stack, first);
  return {};
}

Result<bool> HuggingFaceModel::has_tied_head(const Architecture& architecture) const {
  for (const char* key : {"tie_embedding", "tie_word_embeddings"}) {
    for (const JsonValue& part : {text_config(), config_.root()}) {
      if (const std::optional<JsonValue> value = part.find(key)) return value->boolean();
    }
  }
  return architecture.tied_head;
}

// The head of a model with tied weights is its embedding, whatever else the file holds.
Result<void> HuggingFaceModel::check_head(const Architecture& architecture) {
  const Result<bool> tied = has_tied_head(architecture);
  if (!tied) return tied.error();
  if (*tied) {
    places_.erase("output.weight");
  } else if (!find("output.weight")) {
    return Error(path_ +
                 ": tensor 'lm_head.weight': missing, and config.json does not tie it to the "
                 "embedding (tie_word_embeddings)");
  }
  return {};
}

}  // namespace

bool is_huggingface_folder(const fs::path& path) { return is_file(path / kConfig); }

Result<std::unique_ptr<const ModelFiles>> open_huggingface_model(const fs::path& folder) {
  if (!is_huggingface_folder(folder))
    return Error(folder.string() + ": a folder without config.json is no model");
  Result<JsonDocument> config = JsonDocument::open(folder / kConfig, kSmall);
  if (!config) return config.error();
  auto model = std::make_unique<HuggingFaceModel>(folder, std::move(*config));
  // An unsupported architecture explains more than an error about its tensors.
  const Result<TransformerShape> shape = model->shape();
  if (!shape) return shape.error();
  if (auto read = model->read_weights(*shape); !read) return read.error();
  return std::unique_ptr<const ModelFiles>(std::move(model));
}

}  // namespace redraft
