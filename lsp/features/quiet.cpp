#include "lsp/features/quiet.h"

#include <array>
#include <ctime>
#include <utility>

#include "lsp/features/feature_registry.h"

namespace redraft::lsp {
namespace {

constexpr auto kAfterRejection = std::chrono::seconds(5);
constexpr auto kJustLeft = std::chrono::seconds(5);
constexpr std::int64_t kMinutes = 10;
constexpr std::int64_t kMaxMinutes = 24 * 60;
constexpr const char* kEnds = " (the command redraft.resumeSuggestions ends it)";

std::string time_of_day(std::chrono::minutes from_now) {
  const std::time_t at = std::time(nullptr) + std::chrono::seconds(from_now).count();
  std::tm parts{};
  ::localtime_r(&at, &parts);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%H:%M", &parts)};
}

std::string file_name(const std::string& uri) {
  const std::size_t slash = uri.rfind('/');
  return slash == std::string::npos ? uri : uri.substr(slash + 1);
}

std::optional<std::string> text_of(const Json& argument, const char* key) {
  const Json value = argument.is_object() ? argument.value(key, Json()) : Json();
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

constexpr std::size_t kMaxNames = 256, kMaxNameBytes = 4096;
constexpr const char* kTooMuch =
    "too many files or languages are snoozed. Resume suggestions first";

bool add_to(std::set<std::string>& names, const std::string& name) {
  const bool fits =
      name.size() <= kMaxNameBytes && (names.contains(name) || names.size() < kMaxNames);
  if (fits) names.insert(name);
  return fits;
}

}  // namespace

void Quiet::begin(const InitializeParams& /*params*/, FeatureRegistry& registry) {
  registry.on_command(kSnoozeCommand, this, &Quiet::snooze);
  registry.on_command(kResumeCommand, this, &Quiet::resume);
}

void Quiet::snooze(const ExecuteCommandParams& params, const Reply& reply) {
  const Json& argument = params.argument;
  if (const auto uri = text_of(argument, "uri")) {
    if (!add_to(files_, *uri)) return reply.fail(ErrorCode::kInvalidParams, kTooMuch);
  } else if (const auto language = text_of(argument, "language")) {
    if (!add_to(languages_, *language)) return reply.fail(ErrorCode::kInvalidParams, kTooMuch);
  } else if (text_of(argument, "until") == "restart") {
    until_restart_ = true;
  } else {
    Json minutes = kMinutes;
    if (argument.is_object()) minutes = argument.value("minutes", minutes);
    const bool fits = minutes.is_number_integer() && minutes.get<std::int64_t>() >= 1 &&
                      minutes.get<std::int64_t>() <= kMaxMinutes;
    if (!fits || (argument.is_object() && !argument.empty() && !argument.contains("minutes"))) {
      reply.fail(ErrorCode::kInvalidParams,
                 R"(snooze for {"minutes": 1 to 1440}, {"uri": …}, {"language": …} or )"
                 R"({"until": "restart"})");
      return;
    }
    snooze_for(std::chrono::minutes(minutes.get<std::int64_t>()));
  }
  reply(json());
  status_.tell_changes();
}

void Quiet::snooze_for(std::chrono::minutes time) {
  until_ = now_() + time;
  until_text_ = time_of_day(time);
}

void Quiet::resume(const ExecuteCommandParams& /*params*/, const Reply& reply) {
  until_.reset();
  until_restart_ = false;
  files_.clear();
  languages_.clear();
  rejected_at_.reset();
  reply(json());
  status_.tell_changes();
}

void Quiet::end_what_is_over() {
  if (!until_ || now_() < *until_) return;
  until_.reset();
  status_.tell_changes();
}

bool Quiet::is_snoozed(const Document& document) {
  end_what_is_over();
  return until_restart_ || until_ || files_.contains(document.uri()) ||
         languages_.contains(document.language_id());
}

std::string Quiet::why_nothing(const Document& document) {
  if (is_snoozed(document)) return std::string("suggestions are snoozed") + kEnds;
  if (rejected_at_ && now_() - *rejected_at_ < kAfterRejection)
    return "you rejected a suggestion a moment ago";
  return {};
}

std::optional<int> Quiet::line_just_left(const std::string& uri, std::optional<int> line) const {
  if (!line || !change_ || change_->uri != uri || change_->line == *line) return std::nullopt;
  return now_() - change_->at < kJustLeft ? std::optional(change_->line) : std::nullopt;
}

Json Quiet::json() const {
  const bool is_timed = until_ && now_() < *until_;
  if (!is_timed && !until_restart_ && files_.empty() && languages_.empty()) return nullptr;
  Json left;
  if (is_timed) left = std::chrono::ceil<std::chrono::seconds>(*until_ - now_()).count();
  return {{"secondsLeft", std::move(left)},
          {"untilRestart", until_restart_},
          {"files", files_},
          {"languages", languages_}};
}

void Quiet::add_status(Json& status) const { status["snooze"] = json(); }

void Quiet::add_reasons(Reasons& reasons) const {
  const auto add = [&](const std::string& what) {
    reasons.push_back("Suggestions are snoozed " + what + kEnds + ".");
  };
  if (until_restart_) {
    add("until the server is restarted");
  } else if (until_ && now_() < *until_) {
    add("until " + until_text_);
  }
  for (const std::string& uri : files_) add("in " + file_name(uri));
  for (const std::string& language : languages_) add("for " + language);
}

}  // namespace redraft::lsp
