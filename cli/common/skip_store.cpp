#include "cli/common/skip_store.h"

#include <nlohmann/json.hpp>
#include <span>

#include "cli/common/cost_cache.h"
#include "cli/common/identity.h"
#include "decoding/skipped_layers.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"
#include "support/log/log.h"

namespace redraft::cli {
namespace {

constexpr int kFormat = 1;
constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 20, .values = 64, .depth = 4};

// What a set was found for. Not the machine: it changes how much a set is worth, not which tokens
// it drafts.
Result<std::string> identity_of(const ModelLocation& model) {
  const Result<CostKey> key = cost_key(model, 0, "");
  if (!key) return key.error();
  return key->model + "\n" + std::to_string(key->model_bytes) + "\n" +
         std::to_string(key->model_time) + "\n" + key->adapter;
}

Result<std::string> read_skipped(const std::filesystem::path& file, const std::string& model) {
  const Result<JsonDocument> document = JsonDocument::open(file, kLimits);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const Result<JsonValue> format = root.at("format");
  if (!format) return format.error();
  if (const auto number = format->integer(kFormat, kFormat); !number) return number.error();
  const Result<JsonValue> of = root.at("model");
  if (!of) return of.error();
  const Result<std::string_view> name = of->text();
  if (!name) return name.error();
  if (*name != model) return of->error("is another");
  const Result<JsonValue> skipped = root.at("skipped");
  if (!skipped) return skipped.error();
  const Result<std::string_view> text = skipped->text();
  if (!text) return text.error();
  const auto parsed = parse_skipped_layers(*text, SkippedLayers::kMaxLayers);
  if (!parsed) return skipped->error(parsed.error().message());
  return std::string(*text);
}

}  // namespace

SkipStore::SkipStore() {
  if (const auto cache = user_cache_folder()) directory_ = *cache / "redraft" / "skips";
}

std::filesystem::path SkipStore::file_of(const std::string& model) const {
  return directory_ / (stable_hash(model) + ".json");
}

std::string SkipStore::load(const ModelLocation& model) const {
  if (directory_.empty()) return {};
  const Result<std::string> identity = identity_of(model);
  if (!identity) return {};
  const std::filesystem::path file = file_of(*identity);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem)) return {};
  Result<std::string> skipped = read_skipped(file, *identity);
  if (skipped) return *std::move(skipped);
  logging::info("what selfspec leaves out is not known: {}", skipped.error().message());
  return {};
}

Result<void> SkipStore::store(const ModelLocation& model, const std::string& skipped) const {
  if (directory_.empty()) return Error("there is no cache folder: set HOME or XDG_CACHE_HOME");
  const Result<std::string> identity = identity_of(model);
  if (!identity) return identity.error();
  std::error_code problem;
  std::filesystem::create_directories(directory_, problem);
  if (problem) return Error(directory_.string() + ": " + problem.message());
  const nlohmann::ordered_json json = {
      {"format", kFormat}, {"model", *identity}, {"skipped", skipped}};
  const std::string text =
      json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return write_whole_file(file_of(*identity), {std::as_bytes(std::span(text))});
}

}  // namespace redraft::cli
