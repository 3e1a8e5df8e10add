#pragma once

#include <memory>
#include <string>

#include "lsp/features/decoder_choice.h"
#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "lsp/status/usage.h"
#include "lsp/wire/completion_protocol.h"
#include "lsp/wire/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The command that a client runs when the user accepted a suggestion.
inline constexpr char kAcceptedCommand[] = "redraft.completionAccepted";

// Answers completion requests in both forms: ghost text and menu. Main thread.
class CompletionFeed : public Feature {
 public:
  CompletionFeed(std::shared_ptr<Connection> connection, Workspace& workspace,
                 const Configuration& configuration, DecoderChoice& decoder, Usage& usage)
      : connection_(std::move(connection)),
        workspace_(workspace),
        configuration_(configuration),
        decoder_(decoder),
        usage_(usage) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void follow_settings() override;
  void add_reasons(StatusReport::Reasons& reasons) const override;
  void add_status(Json& status) const override;

 private:
  // Where a completion was requested.
  struct AskedPlace {
    std::shared_ptr<const Document> document;
    std::size_t offset = 0;
  };

  void inline_completion(const InlineCompletionParams& params, Reply reply);
  void menu_completion(const CompletionParams& params, Reply reply);
  // Adds the documentation of an item of the menu.
  void resolve(const CompletionItemParams& params, Reply reply);
  // The user is about to type there.
  void expect(const CompletionParams& params);
  void shown(const CompletionNews& news);
  void accepted(const ExecuteCommandParams& params, const Reply& reply);
  void accepted_partially(const CompletionNews& news);

  const Settings::Completion& settings() const { return configuration_.settings().completion; }
  // Whether completions belong in the ordinary menu.
  bool wants_menu() const;
  // None where there is nothing to complete: the request is answered with `nothing`, and the reason
  // is kept.
  std::optional<AskedPlace> place_of(const std::string& uri, const Position& position,
                                     const Json& nothing, const Reply& reply);
  // `to_result` makes the result from the completion and the id of the answer.
  void ask(Workspace::CompletionWish wish, const Reply& reply, const Json& nothing,
           std::function<Json(const CompletionAnswer&, std::int64_t id)> to_result);
  void count(const CompletionAnswer& answer);
  void set_why_none(const std::string& why);

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const Configuration& configuration_;
  DecoderChoice& decoder_;
  Usage& usage_;
  ClientCapabilities client_;
  bool menu_offered_ = false;  // textDocument/completion was announced
  std::string why_none_;       // for the last request; empty: it got a text
  std::int64_t last_id_ = 0;   // of the last answer with texts
};

}  // namespace redraft::lsp
