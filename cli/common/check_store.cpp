#include "cli/common/check_store.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/common/identity.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"
#include "support/log/log.h"

namespace redraft::cli {
namespace {

constexpr int kFormat = 1;
constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 16, .values = 64, .depth = 4};
constexpr double kMaxPerplexity = 1e30;  // stands for all that are larger, or no number

Result<CheckVerdict> read_verdict(const std::filesystem::path& file, const CheckStore::Key& key) {
  const Result<JsonDocument> document = JsonDocument::open(file, kLimits);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const Result<JsonValue> format = root.at("format");
  if (!format) return format.error();
  if (const auto number = format->integer(kFormat, kFormat); !number) return number.error();
  const auto text_of = [&root](const char* name) -> Result<std::string> {
    const Result<JsonValue> member = root.at(name);
    if (!member) return member.error();
    const Result<std::string_view> text = member->text();
    if (!text) return text.error();
    return std::string(*text);
  };
  for (const auto& [name, wanted] :
       {std::pair("model", key.model), std::pair("build", key.build)}) {
    const Result<std::string> text = text_of(name);
    if (!text) return text.error();
    if (*text != wanted) return Error(file.string() + ": " + name + ": is another");
  }
  Result<std::string> fault = text_of("fault");
  if (!fault) return fault.error();
  const Result<JsonValue> perplexity = root.at("perplexity");
  if (!perplexity) return perplexity.error();
  const Result<double> number = perplexity->number();
  if (!number) return number.error();
  return CheckVerdict{.perplexity = *number, .fault = *std::move(fault)};
}

}  // namespace

CheckStore::CheckStore() {
  if (const auto cache = user_cache_folder()) directory_ = *cache / "redraft" / "checks";
}

std::filesystem::path CheckStore::file_of(const Key& key) const {
  return directory_ / (stable_hash(key.model) + ".json");
}

std::optional<CheckVerdict> CheckStore::load(const Key& key) const {
  if (directory_.empty()) return std::nullopt;
  const std::filesystem::path file = file_of(key);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem)) return std::nullopt;
  Result<CheckVerdict> verdict = read_verdict(file, key);
  if (verdict) return *std::move(verdict);
  logging::info("what a check of the model found is not known: {}", verdict.error().message());
  return std::nullopt;
}

Result<void> CheckStore::store(const Key& key, const CheckVerdict& verdict) const {
  if (directory_.empty()) return Error("there is no cache folder: set HOME or XDG_CACHE_HOME");
  std::error_code problem;
  std::filesystem::create_directories(directory_, problem);
  if (problem) return Error(directory_.string() + ": " + problem.message());
  const double perplexity = std::isfinite(verdict.perplexity)
                                ? std::min(verdict.perplexity, kMaxPerplexity)
                                : kMaxPerplexity;
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"model", key.model},
                                       {"build", key.build},
                                       {"perplexity", perplexity},
                                       {"fault", verdict.fault}};
  const std::string text =
      json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return write_whole_file(file_of(key), {std::as_bytes(std::span(text))});
}

}  // namespace redraft::cli
