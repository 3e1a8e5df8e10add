#include "cli/common/cost_cache.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "cli/common/files.h"
#include "cli/common/identity.h"
#include "decoding/model/adapter.h"
#include "decoding/model/gguf_parts.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"
#include "support/log/log.h"
#include "support/system/machine.h"

namespace redraft::cli {
namespace {

constexpr int kFormat = 2;  // 1 did not say how busy the machine was
// More than any curve has, and few enough that a hostile file does no harm.
constexpr JsonLimits kLimits{.bytes = std::size_t{1} << 20, .values = 16384, .depth = 8};
constexpr std::int64_t kMaxRows = 1 << 16;
constexpr std::int64_t kMaxContext = 1 << 24;
constexpr double kMaxSeconds = 1e5;
constexpr double kMaxUnrest = 1e6;
// How often a start measures again. On a machine that is never quiet each start would take a second
// longer for nothing.
constexpr int kMaxTries = 3;
constexpr std::int64_t kMaxTime = std::int64_t{1} << 40;

// Never a folder in which others may have put something.
std::filesystem::path default_directory() {
  const auto cache = user_cache_folder();
  return cache ? *cache / "redraft" / "cost" : std::filesystem::path();
}

std::int64_t count_of(std::filesystem::file_time_type time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

// Other characters are not needed to distinguish file names.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text.substr(0, 60)) {
    const bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '.' || c == '-';
    out += keep ? c : '_';
  }
  return out;
}

nlohmann::ordered_json to_json(const CostKey& key) {
  return {{"cpu", key.cpu},
          {"threads", key.threads},
          {"instructions", key.instructions},
          {"program", key.program},
          {"model", key.model},
          {"model_bytes", std::to_string(key.model_bytes)},
          {"model_time", std::to_string(key.model_time)},
          {"adapter", key.adapter}};
}

// Checks that `value` is equal to `key`, which is valid.
Result<void> check_key(const JsonValue& value, const CostKey& key) {
  const nlohmann::ordered_json members = to_json(key);
  for (const auto& [name, wanted] : members.items()) {
    const Result<JsonValue> member = value.at(name);
    if (!member) return member.error();
    if (wanted.is_number()) {
      const Result<std::int64_t> number = member->integer(0, kMaxTime);
      if (!number) return number.error();
      if (*number != wanted.get<std::int64_t>()) return member->error("is another");
    } else {
      const Result<std::string_view> text = member->text();
      if (!text) return text.error();
      if (*text != wanted.get_ref<const std::string&>()) return member->error("is another");
    }
  }
  return {};
}

Result<CostCurve::Point> parse_point(const JsonValue& value) {
  const auto count = [&value](const char* name, std::int64_t least,
                              std::int64_t most) -> Result<std::int64_t> {
    const Result<JsonValue> member = value.at(name);
    if (!member) return member.error();
    return member->integer(least, most);
  };
  const Result<std::int64_t> rows = count("rows", 1, kMaxRows);
  if (!rows) return rows.error();
  const Result<std::int64_t> context = count("context", 0, kMaxContext);
  if (!context) return context.error();
  const Result<JsonValue> seconds = value.at("seconds");
  if (!seconds) return seconds.error();
  const Result<double> number = seconds->number();
  if (!number) return number.error();
  if (!(*number > 0 && *number <= kMaxSeconds)) return seconds->error("no time that a pass takes");
  return CostCurve::Point{static_cast<int>(*rows), *number, static_cast<int>(*context)};
}

Result<CostCurve> parse_points(const JsonValue& root) {
  const Result<JsonValue> member = root.at("points");
  if (!member) return member.error();
  const Result<JsonValue> array = member->array();
  if (!array) return array.error();
  std::vector<CostCurve::Point> points;
  for (const JsonValue value : *array) {
    const Result<CostCurve::Point> point = parse_point(value);
    if (!point) return point.error();
    points.push_back(*point);
  }
  if (points.empty()) return array->error("no points");
  const Result<JsonValue> unrest = root.at("unrest");
  if (!unrest) return unrest.error();
  const Result<double> number = unrest->number();
  if (!number) return number.error();
  if (!(*number >= 0 && *number <= kMaxUnrest)) return unrest->error("no part of a time");
  return CostCurve(std::move(points), true, *number);
}

void store_or_say(const CostCache& cache, const CostKey& key, const StoredCost& cost) {
  const Result<void> kept = cache.store(key, cost);
  if (!kept) logging::info("the cost of passes is not kept: {}", kept.error().message());
}

}  // namespace

Result<CostKey> cost_key(const ModelLocation& location, int threads,
                         const std::string& instructions) {
  const std::filesystem::path& model = location.file;
  CostKey key{.cpu = cpu_name(),
              .threads = threads,
              .instructions = instructions,
              .program = program_identity(),
              .model = model.filename().string(),
              .model_bytes = 0,
              .model_time = 0,
              .adapter = {}};
  if (!location.adapter.empty()) {
    Result<std::string> adapter = adapter_identity(location.adapter);
    if (!adapter) return adapter.error();
    key.adapter = *std::move(adapter);
  }
  std::error_code problem;
  std::optional<std::int64_t> newest;  // negative: the file clock counts from 2174
  const auto add = [&](const std::filesystem::path& file) {
    key.model_bytes += std::filesystem::file_size(file, problem);
    if (problem) return;
    const auto time = std::filesystem::last_write_time(file, problem);
    if (!problem) newest = std::max(newest.value_or(count_of(time)), count_of(time));
  };
  if (std::filesystem::is_directory(model, problem)) {
    for (std::filesystem::directory_iterator entry(model, problem), end; !problem && entry != end;
         entry.increment(problem)) {
      if (entry->is_regular_file(problem)) add(entry->path());
    }
  } else {
    for (const std::filesystem::path& file : gguf_files(model)) {
      if (!problem) add(file);
    }
  }
  if (problem) return Error(model.string() + ": " + problem.message());
  key.model_time = newest.value_or(0);
  return key;
}

CostCache::CostCache() : CostCache(default_directory()) {}

std::filesystem::path CostCache::file_of(const CostKey& key) const {
  // Without the build, the model's date and which adapter it is: a new curve replaces the old one.
  const std::string apart = key.cpu + "\n" + std::to_string(key.threads) + "\n" + key.instructions +
                            "\n" + key.model + (key.adapter.empty() ? "" : "\nadapted");
  return directory_ / (plain(key.model) + "-" + stable_hash(apart) + ".json");
}

std::optional<StoredCost> CostCache::load(const CostKey& key) const {
  if (directory_.empty()) return {};
  const std::filesystem::path file = file_of(key);
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem)) return {};
  if (std::filesystem::file_size(file, problem) > kLimits.bytes || problem) return {};
  const Result<std::string> text = read_file(file);
  if (!text) return {};
  Result<StoredCost> cost = parse_cost(file.string(), *text, key);
  if (cost) return std::move(*cost);
  logging::info("the cost of passes is measured again: {}", cost.error().message());
  return {};
}

Result<void> CostCache::store(const CostKey& key, const StoredCost& cost) const {
  if (directory_.empty()) return Error("there is no cache folder: set HOME or XDG_CACHE_HOME");
  std::error_code problem;
  std::filesystem::create_directories(directory_, problem);
  if (problem) return Error(directory_.string() + ": " + problem.message());
  const std::string text = to_text(key, cost);
  return write_whole_file(file_of(key), {std::as_bytes(std::span(text))});
}

std::string to_text(const CostKey& key, const StoredCost& cost) {
  nlohmann::ordered_json points = nlohmann::ordered_json::array();
  for (const CostCurve::Point& point : cost.curve.points()) {
    points.push_back(
        {{"rows", point.rows}, {"context", point.context}, {"seconds", point.seconds}});
  }
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"key", to_json(key)},
                                       {"measured_at", cost.measured_at},
                                       {"complete", cost.complete},
                                       {"unrest", std::min(cost.curve.unrest(), kMaxUnrest)},
                                       {"tries", cost.tries},
                                       {"points", std::move(points)}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<StoredCost> parse_cost(const std::string& name, const std::string& text,
                              const CostKey& key) {
  const Result<JsonDocument> document = JsonDocument::parse(name, text, kLimits);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const Result<JsonValue> format = root.at("format");
  if (!format) return format.error();
  if (const auto number = format->integer(kFormat, kFormat); !number) return number.error();
  const Result<JsonValue> stored_key = root.at("key");
  if (!stored_key) return stored_key.error();
  if (const Result<void> same = check_key(*stored_key, key); !same) return same.error();
  StoredCost cost;
  const Result<JsonValue> time = root.at("measured_at");
  if (!time) return time.error();
  const Result<std::int64_t> seconds = time->integer(0, kMaxTime);
  if (!seconds) return seconds.error();
  cost.measured_at = *seconds;
  const Result<JsonValue> complete = root.at("complete");
  if (!complete) return complete.error();
  const Result<bool> is_complete = complete->boolean();
  if (!is_complete) return is_complete.error();
  cost.complete = *is_complete;
  const Result<JsonValue> tries = root.at("tries");
  if (!tries) return tries.error();
  const Result<std::int64_t> count = tries->integer(0, kMaxTries);
  if (!count) return count.error();
  cost.tries = static_cast<int>(*count);
  Result<CostCurve> curve = parse_points(root);
  if (!curve) return curve.error();
  cost.curve = std::move(*curve);
  return cost;
}

CostCurve find_or_measure_cost(const CostCache& cache, const CostKey& key, LanguageModel& model) {
  std::optional<StoredCost> stored = cache.load(key);
  if (stored && (stored->curve.quiet() || stored->tries >= kMaxTries))
    return std::move(stored->curve);
  StoredCost cost{.curve = CostCurve::measure(model), .measured_at = std::time(nullptr)};
  if (stored) {
    const int tries = stored->tries + 1;
    if (stored->curve.unrest() <= cost.curve.unrest()) cost = *std::move(stored);
    cost.tries = tries;
  }
  store_or_say(cache, key, cost);
  return std::move(cost.curve);
}

void keep_cost(const CostCache& cache, const CostKey& key, const CostCurve& curve, CostChange how) {
  StoredCost cost{.curve = curve, .measured_at = std::time(nullptr)};
  if (const std::optional<StoredCost> stored = cache.load(key)) {
    cost.tries = stored->tries;
    if (how == CostChange::kCorrected) {
      cost.measured_at = stored->measured_at;
      cost.complete = stored->complete;
    }
  }
  store_or_say(cache, key, cost);
}

}  // namespace redraft::cli
