// A tensor is named "base_model.model." + the module + ".lora_A.weight" or ".lora_B.weight". A has
// the shape [r, inputs] and B [outputs, r] as PyTorch counts, so that the layer gains
// alpha / r * B·A.
#include "decoding/model/adapter.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "decoding/kernels/finite_weights.h"
#include "decoding/model/adapter_config.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/sha256.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "base_model.model.";
constexpr std::string_view kSuffixA = ".lora_A.weight";
constexpr std::string_view kSuffixB = ".lora_B.weight";
constexpr JsonLimits kConfigLimits = {
    .bytes = std::size_t{1} << 20, .values = 1 << 16, .depth = 16};

// Tensors that other kinds of adapters have, and what they are.
struct OtherKind {
  std::string_view part;
  const char* what;
};
constexpr OtherKind kOtherKinds[] = {
    {"lora_magnitude_vector", "belongs to DoRA, which redraft does not merge"},
    {"lora_embedding_", "adapts the embedding, which redraft does not merge"},
    {".bias", "is a trained bias, which redraft does not merge"},
    {"lora_", "is no part of a plain LoRA, which is all that redraft merges"},
};

struct Pair {
  const StoredTensor* a = nullptr;
  const StoredTensor* b = nullptr;
};

std::vector<float> floats_of(const StoredTensor& tensor) {
  const auto columns = static_cast<std::size_t>(tensor.columns());
  const auto rows = static_cast<std::size_t>(tensor.rows());
  std::vector<float> out(columns * rows);
  const std::size_t row_bytes = tensor.data.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) {
    dequantize_row(tensor.format, tensor.data.data() + row * row_bytes, static_cast<int>(columns),
                   out.data() + row * columns);
  }
  return out;
}

class Reader {
 public:
  Reader(const AdapterConfig& config, const JsonDocument& file, const SafetensorsFile& weights,
         const ModelFiles& base, const Architecture& architecture)
      : config_(config), file_(file), weights_(weights), base_(base), architecture_(architecture) {}

  Result<std::unordered_map<std::string, LowRankDelta>> run() {
    if (Result<void> sorted = sort_tensors(); !sorted) return sorted.error();
    if (Result<void> checked = check_targets(); !checked) return checked.error();
    std::unordered_map<std::string, LowRankDelta> deltas;
    for (const auto& [module, pair] : pairs_) {
      Result<LowRankDelta> delta = read(module, pair);
      if (!delta) return delta.error();
      deltas.emplace(role_of(module), std::move(*delta));
    }
    return deltas;
  }

 private:
  std::string role_of(std::string_view module) const {
    return role_of_huggingface_tensor(std::string(module) + ".weight", architecture_);
  }

  Result<void> sort_tensors() {
    for (const StoredTensor& tensor : weights_.tensors()) {
      std::string_view name = tensor.name;
      const bool is_a = name.ends_with(kSuffixA);
      if (!name.starts_with(kPrefix) || (!is_a && !name.ends_with(kSuffixB)))
        return weights_.tensor_error(name, what_else(name));
      name.remove_prefix(kPrefix.size());
      if (name.size() <= kSuffixA.size())
        return weights_.tensor_error(tensor.name, "has no module");
      name.remove_suffix(kSuffixA.size());
      Pair& pair = pairs_[std::string(name)];
      (is_a ? pair.a : pair.b) = &tensor;  // names are unique
    }
    if (pairs_.empty()) return Error(weights_.name() + ": has no tensors");
    return {};
  }

  static std::string what_else(std::string_view name) {
    for (const OtherKind& kind : kOtherKinds) {
      if (name.find(kind.part) != name.npos) return kind.what;
    }
    return "is a whole module (modules_to_save), which redraft does not merge";
  }

  // Files of two adapters that were mixed up do not agree.
  Result<void> check_targets() const {
    if (!config_.targets) return {};
    for (const std::string& target : *config_.targets) {
      const bool found = std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) {
        return AdapterConfig::names(target, pair.first);
      });
      if (!found) {
        return Error(file_.name() + ": target_modules: " + quoted(std::string_view(target)) +
                     " has no tensor in " + weights_.name());
      }
    }
    for (const auto& [module, pair] : pairs_) {
      const bool named = std::any_of(config_.targets->begin(), config_.targets->end(),
                                     [&, name = &module](const std::string& target) {
                                       return AdapterConfig::names(target, *name);
                                     });
      if (!named) {
        return weights_.tensor_error((pair.a ? pair.a : pair.b)->name,
                                     "target_modules of " + file_.name() + " does not name it");
      }
    }
    return {};
  }

  Result<LowRankDelta> read(const std::string& module, const Pair& pair) const {
    if (!pair.a || !pair.b) {
      return weights_.tensor_error(
          (pair.a ? pair.a : pair.b)->name,
          std::string("its ") + (pair.a ? "lora_B" : "lora_A") + " is missing");
    }
    const std::string role = role_of(module);
    const StoredTensor* layer = role.empty() ? nullptr : base_.find_tensor(role);
    constexpr std::int64_t kMaxSize = std::numeric_limits<int>::max();
    if (!layer || layer->shape.size() != 2 || role == "token_embd.weight" ||
        std::max(layer->rows(), layer->columns()) > kMaxSize) {
      return weights_.tensor_error(
          pair.a->name, "the model " + base_.path() + " has no linear layer of that name");
    }
    const std::int64_t rank = config_.rank;
    if (rank > std::min(layer->rows(), layer->columns())) {
      return Error(file_.name() + ": r: " + std::to_string(rank) + " is more than " +
                   quoted(std::string_view(module)) + " has inputs or outputs");
    }
    if (Result<void> fits = check_shape(*pair.a, layer->columns(), rank); !fits)
      return fits.error();
    if (Result<void> fits = check_shape(*pair.b, rank, layer->rows()); !fits) return fits.error();
    LowRankDelta delta{.n = static_cast<int>(layer->rows()),
                       .k = static_cast<int>(layer->columns()),
                       .rank = static_cast<int>(rank),
                       .a = floats_of(*pair.a),
                       .b = floats_of(*pair.b)};
    for (float& number : delta.b) number *= static_cast<float>(config_.scale);
    if (Result<void> finite = check_finite(*pair.a, delta.a); !finite) return finite.error();
    if (Result<void> finite = check_finite(*pair.b, delta.b); !finite) return finite.error();
    return delta;
  }

  Result<void> check_shape(const StoredTensor& tensor, std::int64_t columns,
                           std::int64_t rows) const {
    if (tensor.shape == std::vector<std::int64_t>{columns, rows}) return {};
    std::string given;  // in PyTorch's order, as in the file
    for (auto size = tensor.shape.rbegin(); size != tensor.shape.rend(); ++size)
      given += (given.empty() ? "" : ", ") + std::to_string(*size);
    return weights_.tensor_error(
        tensor.name, "its shape is [" + given + "] where [" + std::to_string(rows) + ", " +
                         std::to_string(columns) +
                         "] is expected, for r = " + std::to_string(config_.rank));
  }

  Result<void> check_finite(const StoredTensor& tensor, const std::vector<float>& values) const {
    const std::span<const std::uint8_t> bytes(reinterpret_cast<const std::uint8_t*>(values.data()),
                                              values.size() * sizeof(float));
    if (are_finite(WeightFormat::kF32, bytes)) return {};
    return weights_.tensor_error(tensor.name, "holds a number that is not finite");
  }

  const AdapterConfig& config_;
  const JsonDocument& file_;
  const SafetensorsFile& weights_;
  const ModelFiles& base_;
  const Architecture& architecture_;   // the base's
  std::map<std::string, Pair> pairs_;  // by module, in an order for errors
};

class AdaptedModel : public ModelFiles {
 public:
  AdaptedModel(std::unique_ptr<const ModelFiles> base, Adapter adapter, const fs::path& folder)
      : base_(std::move(base)),
        adapter_(std::move(adapter)),
        folder_(folder.string()),
        path_(base_->path() + "+" + folder_) {}

  const std::string& path() const override { return path_; }
  std::string name() const override {
    const fs::path plain = fs::absolute(folder_).lexically_normal();
    return base_->name() + "+" +
           (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  }
  Result<TransformerShape> shape() const override { return base_->shape(); }
  Result<TokenizerSpec> tokenizer_spec() const override { return base_->tokenizer_spec(); }
  const StoredTensor* find_tensor(std::string_view role) const override {
    return base_->find_tensor(role);
  }
  const LowRankDelta* find_delta(std::string_view role) const override {
    return adapter_.find(role);
  }
  Error tensor_error(std::string_view role, std::string_view reason) const override {
    const std::string merged = adapter_.find(role) ? "with the adapter " + folder_ + ": " : "";
    return base_->tensor_error(role, merged + std::string(reason));
  }
  void release_pages() const override { base_->release_pages(); }

 private:
  std::unique_ptr<const ModelFiles> base_;
  Adapter adapter_;
  std::string folder_;
  std::string path_;
};

}  // namespace

Result<Adapter> Adapter::open(const fs::path& folder, const ModelFiles& base) {
  const Result<JsonDocument> config = JsonDocument::open(folder / kConfigName, kConfigLimits);
  if (!config) return config.error();
  const Result<SafetensorsFile> weights = SafetensorsFile::open(folder / kWeightsName);
  if (!weights) return weights.error();
  return parse(*config, *weights, base);
}

Result<Adapter> Adapter::parse(const JsonDocument& config, const SafetensorsFile& weights,
                               const ModelFiles& base) {
  const Result<AdapterConfig> read = read_adapter_config(config.root());
  if (!read) return read.error();
  const Result<TransformerShape> shape = base.shape();
  if (!shape) return shape.error();
  Result<std::unordered_map<std::string, LowRankDelta>> deltas =
      Reader(*read, config, weights, base, *shape->architecture).run();
  if (!deltas) return deltas.error();
  Adapter adapter;
  adapter.deltas_ = std::move(*deltas);
  return adapter;
}

const LowRankDelta* Adapter::find(std::string_view role) const {
  const auto found = deltas_.find(std::string(role));
  return found == deltas_.end() ? nullptr : &found->second;
}

bool is_adapter_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path / Adapter::kConfigName, ignored);
}

Result<std::string> adapter_identity(const fs::path& folder) {
  std::string both;
  for (const char* name : {Adapter::kConfigName, Adapter::kWeightsName}) {
    const Result<std::string> hash = sha256_of_file(folder / name);
    if (!hash) return hash.error();
    both += *hash;
  }
  return both;
}

Result<std::unique_ptr<const ModelFiles>> with_adapter(std::unique_ptr<const ModelFiles> base,
                                                       const fs::path& folder) {
  Result<Adapter> adapter = Adapter::open(folder, *base);
  if (!adapter) return adapter.error();
  return std::unique_ptr<const ModelFiles>(
      std::make_unique<AdaptedModel>(std::move(base), std::move(*adapter), folder));
}

}  // namespace redraft
