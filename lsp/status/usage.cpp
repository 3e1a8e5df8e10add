#include "lsp/status/usage.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "lsp/wire/json.h"
#include "support/files/lock_file.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/files/whole_file.h"
#include "support/json/json_document.h"
#include "support/log/log.h"

namespace redraft::lsp {
namespace {

constexpr auto kInterval = std::chrono::minutes(1);
// The longest time that the event loop waits for another process.
constexpr auto kLockLimit = std::chrono::milliseconds(50);
constexpr JsonLimits kLimits = {.bytes = 1 << 16, .values = 1 << 10, .depth = 4};
constexpr std::int64_t kMaxCount = std::numeric_limits<std::int64_t>::max() / 2;
constexpr std::size_t kMaxReasonBytes = 1000;

// The names in the file, in the order of UsageEvent.
constexpr std::array<const char*, kUsageEvents> kNames = {"completionsSuggested",
                                                          "completionsCarried",
                                                          "completionsShown",
                                                          "completionsAccepted",
                                                          "completionsAcceptedPartially",
                                                          "hunksShown",
                                                          "hunksAccepted",
                                                          "hunksRejected",
                                                          "nextEditsAsked",
                                                          "nextEditsShown",
                                                          "nextEditsAccepted",
                                                          "nextEditsRejected",
                                                          "readAheadTokens",
                                                          "readAheadMilliseconds",
                                                          "completionsRejected",
                                                          "completionsTakenBack",
                                                          "hunksTakenBack",
                                                          "nextEditsTakenBack"};

Result<Usage> parse(const std::filesystem::path& file) {
  const Result<JsonDocument> document = JsonDocument::open(file, kLimits);
  if (!document) return document.error();
  const Result<JsonValue> root = document->root().object();
  if (!root) return root.error();
  Usage usage;
  for (std::size_t i = 0; i < kUsageEvents; ++i) {
    const std::optional<JsonValue> value = root->find(kNames[i]);
    if (!value) continue;  // an earlier version wrote the file
    const Result<std::int64_t> count = value->integer(0, kMaxCount);
    if (!count) return count.error();
    usage.count(static_cast<UsageEvent>(i), *count);
  }
  const std::optional<JsonValue> why = root->find("lastWhyNone"), at = root->find("lastNoneAt");
  if (!why || !at) return usage;
  const Result<std::string_view> text = why->text();
  const Result<std::int64_t> time = at->integer(0, kMaxCount);
  if (!text) return text.error();
  if (!time) return time.error();
  usage.note_none(std::string(text->substr(0, kMaxReasonBytes)), *time);
  return usage;
}

// Counts of a later version, which may have written the file and may do so again.
Json counts_of_others(const std::filesystem::path& file) {
  Json others = Json::object();
  const Result<JsonDocument> document = JsonDocument::open(file, kLimits);
  if (!document) return others;
  for (const JsonValue member : document->root()) {
    const std::string name(member.key());
    const bool is_ours = std::ranges::find(kNames, name) != kNames.end() || name == "lastNoneAt";
    const Result<std::int64_t> count = member.integer(0, kMaxCount);
    if (!is_ours && !name.empty() && count) others[name] = *count;
  }
  return others;
}

Result<void> write(const std::filesystem::path& file, const Usage& usage) {
  Json json = counts_of_others(file);
  for (std::size_t i = 0; i < kUsageEvents; ++i)
    json[kNames[i]] = usage.of(static_cast<UsageEvent>(i));
  if (usage.none_at() > 0) {
    json["lastWhyNone"] = usage.why_none();
    json["lastNoneAt"] = usage.none_at();
  }
  const std::string text = to_text(json) + "\n";
  return write_whole_file(file, {std::as_bytes(std::span(text))});
}

}  // namespace

void Usage::note_none(std::string why, std::int64_t time) {
  why_none_ = std::move(why);
  none_at_ = time;
}

void Usage::add(const Usage& later) {
  for (std::size_t i = 0; i < kUsageEvents; ++i)
    counts_[i] = std::min(kMaxCount, counts_[i] + later.counts_[i]);
  if (later.none_at_ >= none_at_) note_none(later.why_none_, later.none_at_);
}

Usage Usage::since(const Usage& earlier) const {
  Usage difference = *this;
  for (std::size_t i = 0; i < kUsageEvents; ++i) difference.counts_[i] -= earlier.counts_[i];
  return difference;
}

std::filesystem::path default_usage_file() {
  const std::optional<std::filesystem::path> state = user_state_folder();
  return state ? *state / "redraft" / "usage.json" : std::filesystem::path();
}

Result<Usage> read_usage(const std::filesystem::path& file) {
  std::error_code problem;
  if (!std::filesystem::exists(file, problem) && !problem) return Usage();
  return parse(file);
}

Result<void> add_usage(const std::filesystem::path& file, const Usage& usage) {
  if (Result<void> made = make_folders(file.parent_path()); !made) return made;
  const Result<std::optional<LockFile>> lock =
      LockFile::take(file.parent_path() / "usage.lock", kLockLimit);
  if (!lock) return lock.error();
  if (!*lock) return Error(file.string() + ": another process is writing the file");
  Result<Usage> sum = read_usage(file);
  if (!sum) {
    logging::warn("{}; redraft starts the file again", sum.error().message());
    sum = Usage();
  }
  sum->add(usage);
  return write(file, *sum);
}

void UsageLog::save() {
  if (file_.empty() || now_ == saved_) return;
  last_ = std::chrono::steady_clock::now();
  const Result<void> added = add_usage(file_, now_.since(saved_));
  if (added) {
    saved_ = now_;
  } else {
    logging::debug("cannot save the counts of suggestions: {}", added.error().message());
  }
}

void UsageLog::save_if_due() {
  if (std::chrono::steady_clock::now() - last_ >= kInterval) save();
}

}  // namespace redraft::lsp
