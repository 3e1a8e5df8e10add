#include "lsp/settings/configuration.h"

#include "support/log/log.h"

namespace redraft::lsp {
namespace {

// A section of garbage must not flood the user with messages.
constexpr std::size_t kMaxMessages = 5;

const Json kNothing;

}  // namespace

void Configuration::begin(const ClientCapabilities& client, const Json& options) {
  client_ = client;
  waits_ = client_.configuration;
  // Besides the settings, the options hold the client's capabilities and the token that admitted it
  // (host/access_token.h).
  std::vector<std::string_view> others = {"token", "applyEdit"};
  for (const auto& [name, capability] : kOwnCapabilities) others.emplace_back(name);
  const ReadSettings read = read_settings(options, {}, others);
  initial_ = settings_ = read.settings;
  report(read.problems);
  of_options_ = reported_;
}

void Configuration::client_ready() {
  if (client_.configuration_registration) {
    connection_->request("client/registerCapability",
                         {{"registrations",
                           {{{"id", "redraft.configuration"},
                             {"method", "workspace/didChangeConfiguration"},
                             {"registerOptions", {{"section", "redraft"}}}}}}},
                         [](const Json*) {});
  }
  if (client_.configuration) pull();
}

void Configuration::changed(const DidChangeConfigurationParams& params) {
  if (client_.configuration) {
    pull();
  } else {
    take(params.section);
  }
}

void Configuration::pull() {
  connection_->request("workspace/configuration", {{"items", {{{"section", "redraft"}}}}},
                       [this, pull = ++last_pull_](const Json* result) {
                         if (pull != last_pull_) return;
                         const bool answered =
                             result != nullptr && result->is_array() && !result->empty();
                         if (!answered) logging::warn("the client did not send its settings");
                         take(answered ? result->front() : kNothing);
                       });
}

// A file of the workspace must not decide what is written to the user's disk. The
// initializationOptions are the user's: they come with how the editor starts the server.
void Configuration::keep_from_workspaces(ReadSettings& read) const {
  if (client_.user_settings || initial_.cache_on_disk || !read.settings.cache_on_disk) return;
  read.settings.cache_on_disk = false;
  read.problems.emplace_back(
      "redraft.cacheOnDisk stays false, as the initializationOptions say: what is set later may "
      "come from a file of the workspace.");
}

void Configuration::take(const Json& section) {
  ReadSettings read = read_settings(section, initial_);
  keep_from_workspaces(read);
  settings_ = read.settings;
  waits_ = false;
  logging::info("settings: index {}, dependencies {}, completion {}",
                settings_.index ? "on" : "off", settings_.dependencies ? "on" : "off",
                settings_.completion.enabled ? "on" : "off");
  report(read.problems);
  on_change_();
}

void Configuration::report(const std::vector<std::string>& problems) {
  std::set<std::string> now = of_options_;
  std::vector<std::string> news;
  for (const std::string& problem : problems) {
    if (now.insert(problem).second && reported_.count(problem) == 0) news.push_back(problem);
  }
  reported_ = std::move(now);
  for (std::size_t i = 0; i < news.size() && i < kMaxMessages; ++i) {
    const bool more = i + 1 == kMaxMessages && news.size() > kMaxMessages;
    const std::string others =
        more ? " (and " + std::to_string(news.size() - kMaxMessages) + " problems more)" : "";
    connection_->show_message(MessageType::kWarning, "redraft: " + news[i] + others);
  }
}

}  // namespace redraft::lsp
