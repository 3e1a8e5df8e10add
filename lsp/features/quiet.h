#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "lsp/features/feature.h"
#include "lsp/status/now.h"
#include "lsp/status/status_report.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

// The commands with which a user snoozes and resumes suggestions.
inline constexpr char kSnoozeCommand[] = "redraft.snoozeSuggestions";
inline constexpr char kResumeCommand[] = "redraft.resumeSuggestions";

// Decides when redraft makes no automatic suggestions, neither completions nor next edits: for five
// seconds after a rejection, and while the user has snoozed suggestions (for some minutes, for a
// file, for a language, or until the session ends). Main thread.
class Quiet : public Feature {
 public:
  Quiet(StatusReport& status, Now now) : status_(status), now_(std::move(now)) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void add_reasons(Reasons& reasons) const override;
  void add_status(Json& status) const override;

  // The user rejected a suggestion.
  void rejected() { rejected_at_ = now_(); }
  // Why redraft makes no automatic suggestion in this document now, as a text for the user; empty
  // if nothing speaks against it.
  std::string why_nothing(const Document& document);
  // The same without the time after a rejection: whether preparing suggestions is worthwhile.
  bool is_snoozed(const Document& document);

  // The document changed in this line.
  void changed(const std::string& uri, int line) { change_ = {uri, line, now_()}; }
  // The line of this document that the user changed in the last five seconds and has left since.
  // `line` is where the cursor is, if the client says so.
  std::optional<int> line_just_left(const std::string& uri, std::optional<int> line) const;

 private:
  struct Change {
    std::string uri;
    int line;
    Instant at;
  };

  void snooze(const ExecuteCommandParams& params, const Reply& reply);
  void resume(const ExecuteCommandParams& params, const Reply& reply);
  void snooze_for(std::chrono::minutes time);
  void end_what_is_over();
  Json json() const;  // null if nothing is snoozed

  StatusReport& status_;
  Now now_;
  std::optional<Instant> rejected_at_;
  std::optional<Change> change_;
  std::optional<Instant> until_;
  std::string until_text_;  // the same for the user, as the time of day
  bool until_restart_ = false;
  std::set<std::string> files_, languages_;
};

}  // namespace redraft::lsp
