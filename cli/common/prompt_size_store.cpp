#include "cli/common/prompt_size_store.h"

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "cli/common/device.h"
#include "cli/common/files.h"
#include "decoding/model/model_store.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"
#include "support/log/log.h"
#include "support/system/processor_cores.h"

namespace redraft::cli {
namespace {

constexpr int kFormat = 1;
// A user has few machines and models; more entries are old ones.
constexpr std::size_t kMaxKept = 64;
constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 18, .values = 1024, .depth = 4};
constexpr std::int64_t kMaxThreads = 1 << 16;
constexpr std::int64_t kMaxTime = std::int64_t{1} << 40;
constexpr std::int64_t kMaxModelBytes = std::int64_t{1} << 50;
constexpr const char* kAuto = "auto";

std::filesystem::path default_file() {
  const auto cache = user_cache_folder();
  return cache ? *cache / "redraft" / "cost" / "prompt-sizes.json" : std::filesystem::path();
}

KeptPromptSize kept_for(const CostKey& key, PromptSize size) {
  return {.cpu = key.cpu,
          .threads = key.threads,
          .instructions = key.instructions,
          .model = key.model,
          .model_bytes = key.model_bytes,
          .adapter = key.adapter,
          .size = size,
          .chosen_at = std::time(nullptr)};
}

// What the user has to know of a choice that differs from `last`, the previous one.
std::string why_other(const KeptPromptSize& last, const CostKey& key, PromptSize size) {
  const std::string what = last.is_machine_of(key) ? "model" : "machine";
  return "The " + what + " changed, so prompts have the size " + std::string(to_string(size)) +
         " instead of " + std::string(to_string(last.size)) +
         ", and edits and completions may differ from earlier ones. Set redraft.promptSize to "
         "choose the size yourself.";
}

Result<std::string> text_at(const JsonValue& value, const char* name) {
  const Result<JsonValue> member = value.at(name);
  if (!member) return member.error();
  const Result<std::string_view> text = member->text();
  if (!text) return text.error();
  return std::string(*text);
}

Result<std::int64_t> number_at(const JsonValue& value, const char* name, std::int64_t least,
                               std::int64_t most) {
  const Result<JsonValue> member = value.at(name);
  if (!member) return member.error();
  return member->integer(least, most);
}

Result<KeptPromptSize> parse_kept(const JsonValue& value) {
  KeptPromptSize kept;
  for (const auto& [name, text] : {std::pair{"cpu", &kept.cpu},
                                   {"instructions", &kept.instructions},
                                   {"model", &kept.model},
                                   {"adapter", &kept.adapter}}) {
    Result<std::string> read = text_at(value, name);
    if (!read) return read.error();
    *text = *std::move(read);
  }
  const Result<std::int64_t> threads = number_at(value, "threads", 0, kMaxThreads);
  if (!threads) return threads.error();
  kept.threads = static_cast<int>(*threads);
  const Result<std::int64_t> bytes = number_at(value, "model_bytes", 0, kMaxModelBytes);
  if (!bytes) return bytes.error();
  kept.model_bytes = static_cast<std::uint64_t>(*bytes);
  const Result<std::int64_t> time = number_at(value, "chosen_at", 0, kMaxTime);
  if (!time) return time.error();
  kept.chosen_at = *time;
  const Result<std::string> name = text_at(value, "size");
  if (!name) return name.error();
  const std::optional<PromptSize> size = parse_prompt_size(*name);
  if (!size) return value.error("has a size that is unknown: " + *name);
  kept.size = *size;
  return kept;
}

}  // namespace

bool KeptPromptSize::is_machine_of(const CostKey& key) const {
  return cpu == key.cpu && threads == key.threads && instructions == key.instructions;
}

bool KeptPromptSize::is_model_of(const CostKey& key) const {
  return model == key.model && model_bytes == key.model_bytes && adapter == key.adapter;
}

PromptSizeStore::PromptSizeStore() : PromptSizeStore(default_file()) {}

std::vector<KeptPromptSize> PromptSizeStore::load() const {
  if (file_.empty()) return {};
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file_, problem)) return {};
  if (std::filesystem::file_size(file_, problem) > kLimits.bytes || problem) return {};
  const Result<std::string> text = read_file(file_);
  if (!text) return {};
  Result<std::vector<KeptPromptSize>> kept = parse_prompt_sizes(file_.string(), *text);
  if (kept) return *std::move(kept);
  logging::warn("the sizes of prompts are chosen again: {}", kept.error().message());
  return {};
}

std::optional<PromptSize> PromptSizeStore::find(const CostKey& key) const {
  for (const KeptPromptSize& kept : load()) {
    if (kept.is_for(key)) return kept.size;
  }
  return std::nullopt;
}

PromptSize PromptSizeStore::find_or_choose(
    const CostKey& key, const std::function<int()>& speed,
    const std::function<void(const std::string&)>& notice) const {
  if (const std::optional<PromptSize> kept = find(key)) return *kept;
  const PromptSize size = prompt_size_for(speed());
  std::vector<KeptPromptSize> all = load();  // measuring may have taken a while
  if (!all.empty() && all.back().size != size && notice) notice(why_other(all.back(), key, size));
  all.push_back(kept_for(key, size));
  if (all.size() > kMaxKept) all.erase(all.begin());
  const Result<void> stored = store(all);
  if (!stored) logging::warn("the size of prompts is not kept: {}", stored.error().message());
  return size;
}

Result<void> PromptSizeStore::store(const std::vector<KeptPromptSize>& kept) const {
  if (file_.empty()) return Error("there is no cache folder: set HOME or XDG_CACHE_HOME");
  std::error_code problem;
  std::filesystem::create_directories(file_.parent_path(), problem);
  if (problem) return Error(file_.parent_path().string() + ": " + problem.message());
  const std::string text = to_text(kept);
  return write_whole_file(file_, {std::as_bytes(std::span(text))});
}

std::string to_text(const std::vector<KeptPromptSize>& kept) {
  nlohmann::ordered_json choices = nlohmann::ordered_json::array();
  for (const KeptPromptSize& each : kept) {
    choices.push_back({{"cpu", each.cpu},
                       {"threads", each.threads},
                       {"instructions", each.instructions},
                       {"model", each.model},
                       {"model_bytes", each.model_bytes},
                       {"adapter", each.adapter},
                       {"size", to_string(each.size)},
                       {"chosen_at", each.chosen_at}});
  }
  const nlohmann::ordered_json json = {{"format", kFormat}, {"choices", std::move(choices)}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<std::vector<KeptPromptSize>> parse_prompt_sizes(const std::string& name,
                                                       const std::string& text) {
  const Result<JsonDocument> document = JsonDocument::parse(name, text, kLimits);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const Result<std::int64_t> format = number_at(root, "format", kFormat, kFormat);
  if (!format) return format.error();
  const Result<JsonValue> choices = root.at("choices");
  if (!choices) return choices.error();
  const Result<JsonValue> array = choices->array();
  if (!array) return array.error();
  std::vector<KeptPromptSize> kept;
  for (const JsonValue value : *array) {
    Result<KeptPromptSize> each = parse_kept(value);
    if (!each) return each.error();
    kept.push_back(*std::move(each));
  }
  return kept;
}

std::optional<PromptSize> kept_prompt_size(const CommonOptions& options) {
  const Result<ModelLocation> model = locate_model(options.target);
  if (!model) return std::nullopt;
  const int threads = options.threads > 0 ? options.threads : processor_cores().threads();
  const Result<CostKey> key = cost_key(*model, threads, kernels_on(chosen_device(options.device)));
  return key ? PromptSizeStore().find(*key) : std::nullopt;
}

void add_prompt_size_option(CommandLine command, std::optional<PromptSize>& size) {
  std::vector<std::string> names;
  for (const PromptSize each : kPromptSizes) names.emplace_back(to_string(each));
  names.emplace_back(kAuto);
  command
      .add_parsed(
          "--prompt-size", [&size](const std::string& name) { size = parse_prompt_size(name); },
          "How much code the model reads for a request, and how large a region is: the same on any "
          "machine, so that the same command gives the same text. auto: what the language server "
          "takes on this machine")
      .check(any_of(names))
      .show_default(size ? std::string(to_string(*size)) : kAuto);
}

}  // namespace redraft::cli
