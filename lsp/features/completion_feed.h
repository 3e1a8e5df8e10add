#pragma once

#include <memory>
#include <string>

#include "lsp/settings/settings.h"
#include "lsp/status/usage.h"
#include "lsp/wire/completion_protocol.h"
#include "lsp/wire/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The command that a client runs when the user took a suggestion.
inline constexpr char kAcceptedCommand[] = "redraft.completionAccepted";

// Answers requests for completions in both forms, for ghost text and for the menu. Main thread.
class CompletionFeed {
 public:
  CompletionFeed(Workspace& workspace, Usage& usage) : workspace_(workspace), usage_(usage) {}
  void set_capabilities(const ClientCapabilities& client) { client_ = client; }
  // `in_menu`: textDocument/completion is answered too.
  void set_settings(const Settings::Completion& settings, bool in_menu) {
    settings_ = settings;
    in_menu_ = in_menu;
  }

  void inline_completion(const InlineCompletionParams& params, Reply reply);
  void menu_completion(const CompletionParams& params, Reply reply);
  // Adds the documentation of an item of the menu.
  void resolve(const CompletionItemParams& params, Reply reply);

  void shown(const CompletionNews& news);
  void accepted(std::int64_t id);
  void accepted_partially(const CompletionNews& news);

  // Part of the result of `redraft/status`.
  Json json() const;
  // Why the last request got no suggestion; empty: it got one, or there was none.
  const std::string& why_none() const { return why_none_; }

 private:
  struct Place {
    std::shared_ptr<const Document> document;
    std::size_t offset = 0;
  };
  // Answers with nothing, and says why, where there is no completion to ask for.
  std::optional<Place> place_of(const std::string& uri, const Position& position,
                                const Json& nothing, const Reply& reply);
  // `to_result` makes the result of the texts that were found, and of the answer's data.
  void ask(Workspace::CompletionWish wish, const Reply& reply, const Json& nothing,
           std::function<Json(const CompletionAnswer&, std::int64_t id)> to_result);
  void count(const CompletionAnswer& answer);
  void set_why_none(const std::string& why);

  Workspace& workspace_;
  Usage& usage_;
  ClientCapabilities client_;
  Settings::Completion settings_;
  bool in_menu_ = true;
  std::string why_none_;
  std::int64_t last_id_ = 0;  // of an answer with texts
};

}  // namespace redraft::lsp
