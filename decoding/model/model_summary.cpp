#include "decoding/model/model_summary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "decoding/kernels/fixed_point.h"
#include "decoding/model/expert_roles.h"
#include "decoding/model/gguf.h"
#include "decoding/model/huggingface_model.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/model_files.h"
#include "decoding/model/safetensors.h"
#include "decoding/model/weight_plan.h"
#include "support/json/json_document.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kEmbedding = "token_embd.weight";
constexpr std::string_view kHead = "output.weight";
constexpr std::string_view kLookedUp = "per_layer_token_embd.weight";  // see LayerInputs
constexpr JsonLimits kSmall = {.bytes = std::size_t{8} << 20, .values = std::size_t{1} << 20};

// Adds up tensors.
class TensorSums {
 public:
  // `used` is the share of a mixture's experts that one row asks.
  explicit TensorSums(double used = 1) : used_(used) {}

  void add(std::string_view role, const StoredTensor& tensor) {
    std::uint64_t elements = 1;
    for (const std::int64_t size : tensor.shape) elements *= static_cast<std::uint64_t>(size);
    parameters_ += elements;
    of_format_[tensor.format] += elements;
    bytes_ += tensor.data.size();
    if (role == kEmbedding) {
      embedding_bytes_ = tensor.data.size();
      return;
    }
    if (role == kLookedUp) {
      looked_up_bytes_ += tensor.data.size();
      return;
    }
    has_head_ |= role == kHead;
    const bool of_experts = role.find("_exps.") != role.npos || parse_expert_role(role);
    const double share = of_experts ? used_ : 1;
    pass_bytes_ += share * static_cast<double>(tensor.data.size());
  }

  void write_to(ModelSummary& summary) const {
    summary.parameters = parameters_;
    summary.weight_bytes = bytes_;
    summary.disk_bytes = looked_up_bytes_;
    summary.pass_bytes = static_cast<std::uint64_t>(pass_bytes_);
    if (!has_head_) summary.pass_bytes += embedding_bytes_;
    const auto most = std::max_element(of_format_.begin(), of_format_.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (most != of_format_.end()) summary.quantisation = weight_format_info(most->first)->name;
  }

 private:
  double used_;
  std::uint64_t parameters_ = 0;
  std::uint64_t bytes_ = 0;
  double pass_bytes_ = 0;
  std::uint64_t embedding_bytes_ = 0;
  std::uint64_t looked_up_bytes_ = 0;
  bool has_head_ = false;
  std::map<WeightFormat, std::uint64_t> of_format_;
};

// What llama.cpp's tools call a mixture of formats, by general.file_type.
std::optional<std::string_view> name_of_file_type(std::int64_t type) {
  constexpr std::array<std::pair<int, std::string_view>, 21> kNames = {
      {{0, "F32"},       {1, "F16"},     {2, "Q4_0"},    {3, "Q4_1"},    {7, "Q8_0"},
       {8, "Q5_0"},      {9, "Q5_1"},    {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},
       {13, "Q3_K_L"},   {14, "Q4_K_S"}, {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"},
       {18, "Q6_K"},     {21, "Q2_K_S"}, {25, "IQ4_NL"}, {30, "IQ4_XS"}, {32, "BF16"},
       {38, "MXFP4_MOE"}}};
  for (const auto& [number, name] : kNames) {
    if (number == type) return name;
  }
  return std::nullopt;
}

// The share of a mixture's experts that one row asks; 1 for other models.
double share_of_experts(const Result<std::int64_t>& all, const Result<std::int64_t>& used) {
  return all && used && *used < *all ? static_cast<double>(*used) / static_cast<double>(*all) : 1;
}

constexpr std::int64_t kMaxExperts = 1 << 20;

double share_of_experts(const GgufFile& file, const std::string& architecture) {
  return share_of_experts(file.integer(architecture + ".expert_count", 1, kMaxExperts),
                          file.integer(architecture + ".expert_used_count", 1, kMaxExperts));
}

double share_of_experts(const JsonValue& config) {
  const auto count = [&](std::string_view key) -> Result<std::int64_t> {
    const std::optional<JsonValue> value = config.find(key);
    return value ? value->integer(1, kMaxExperts) : Error("none");
  };
  return share_of_experts(count("num_experts"), count("num_experts_per_tok"));
}

// Text from a file as it is shown: short, and without control characters.
std::string shown(std::string_view text) {
  std::string in_quotes = quoted(text);
  return in_quotes.size() < 2 ? in_quotes : in_quotes.substr(1, in_quotes.size() - 2);
}

void describe(const GgufFile& file, ModelSummary& summary) {
  const Result<std::string_view> architecture = file.text("general.architecture");
  if (architecture) summary.architecture = shown(*architecture);
  TensorSums sums(share_of_experts(file, architecture ? std::string(*architecture) : ""));
  for (const StoredTensor& tensor : file.tensors()) sums.add(tensor.name, tensor);
  sums.write_to(summary);
  const Result<std::int64_t> type = file.integer("general.file_type", 0, 1 << 20);
  if (!type) return;
  if (const auto name = name_of_file_type(*type)) summary.quantisation = *name;
}

// Leaves out what cannot be read: open_model_files() says what is wrong with it.
void describe_folder(const fs::path& folder, ModelSummary& summary) {
  double used = 1;
  const Architecture* architecture = nullptr;
  if (const Result<JsonDocument> config = JsonDocument::open(folder / "config.json", kSmall)) {
    const std::optional<JsonValue> text = config->root().find("text_config");  // if it also sees
    const JsonValue part = text && text->object() ? *text : config->root();
    const std::optional<JsonValue> type = part.find("model_type");
    const Result<std::string_view> name = type ? type->text() : Error("none");
    if (name) summary.architecture = shown(*name);
    if (name) architecture = find_huggingface_architecture(*name);
    used = share_of_experts(part);
  }
  // Another architecture's tensors mostly have the names that most have.
  if (!architecture) architecture = &architectures().front();
  TensorSums sums(used);
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (entry->path().extension() != ".safetensors") continue;
    const Result<SafetensorsFile> file = SafetensorsFile::open(entry->path());
    if (!file) continue;
    for (const StoredTensor& tensor : file->tensors())
      sums.add(role_of_huggingface_tensor(tensor.name, *architecture), tensor);
  }
  sums.write_to(summary);
}

// Whether it runs, as far as headers and small tensors tell, and what a token takes.
Result<void> check(const ModelFiles& files, ModelSummary& summary) {
  const Result<TransformerShape> shape = files.shape();
  if (!shape) return shape.error();
  if (const Result<TokenizerSpec> tokenizer = files.tokenizer_spec(); !tokenizer)
    return tokenizer.error();
  if (const Result<WeightPlan> plan = WeightPlan::make(files, *shape); !plan) return plan.error();
  summary.context_length = shape->context_length;
  // Of each head a row of 16-bit integers with its scale, as TransformerKvStorage keeps them.
  int windowed = 0;
  int layers = std::min(shape->mtp_blocks, 1);
  for (int i = 0; i < shape->layers; ++i) {
    if (shape->has_own_keys(i)) ++(shape->has_window(i) ? windowed : layers);
  }
  const auto of_layer = [&](bool has_window) {
    const AttentionHeads heads = shape->attention_heads(has_window);
    return std::uint64_t{2} * sizeof(std::int16_t) * static_cast<std::uint64_t>(heads.kv_heads) *
           static_cast<std::uint64_t>(heads.head_dim + kernels::kScaleInts);
  };
  summary.kv_bytes_per_token = static_cast<std::uint64_t>(layers) * of_layer(false);
  if (windowed > 0) {
    const std::uint64_t rows =
        std::uint64_t{static_cast<unsigned>(windowed)} * static_cast<unsigned>(shape->window - 1);
    summary.state_bytes = rows * of_layer(true);
  }
  if (!shape->architecture->is_hybrid()) return {};
  const auto recurrent = static_cast<std::size_t>(shape->layers - shape->attention_layers());
  const std::size_t of_a_layer = shape->delta.state_floats() + shape->convolution().column_floats();
  const std::size_t output = shape->mtp_blocks > 0 ? static_cast<std::size_t>(shape->hidden) : 0;
  summary.state_bytes = sizeof(float) * (recurrent * of_a_layer + output);
  return {};
}

// Without the path that an error begins with: the reader of a list sees it already.
std::string without_path(const std::string& message, const fs::path& path) {
  const std::string start = path.string() + ": ";
  return message.starts_with(start) ? message.substr(start.size()) : message;
}

Result<void> summarise(const fs::path& path, ModelSummary& summary) {
  if (is_huggingface_folder(path)) {
    describe_folder(path, summary);
    const auto files = open_model_files(path);
    return files ? check(**files, summary) : files.error();
  }
  Result<GgufFile> file = GgufFile::open(path);
  if (!file) return file.error();
  describe(*file, summary);
  return check(*gguf_model(std::move(*file)), summary);
}

}  // namespace

ModelSummary summarise_model(const fs::path& path) {
  ModelSummary summary;
  if (const Result<void> runs = summarise(path, summary); !runs)
    summary.why_not = without_path(runs.error().message(), path);
  return summary;
}

std::uint64_t bytes_looked_up(const fs::path& path) {
  if (is_huggingface_folder(path)) return 0;
  const Result<GgufFile> file = GgufFile::open(path);
  const StoredTensor* const found = file ? file->find_tensor(kLookedUp) : nullptr;
  return found ? found->data.size() : 0;
}

std::string parameters_text(std::uint64_t parameters) {
  double count = static_cast<double>(parameters) / 1e3;
  const char* unit = "k";
  for (const char* const larger : {"M", "B"}) {
    if (count < 999.5) break;
    count /= 1e3;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", count < 9.95 ? 1 : 0, count, unit);
  return text;
}

}  // namespace redraft
