#pragma once

#include <memory>
#include <string>

#include "lsp/features/decoder_choice.h"
#include "lsp/features/feature.h"
#include "lsp/features/offered_completions.h"
#include "lsp/features/quiet.h"
#include "lsp/settings/configuration.h"
#include "lsp/status/taken_back.h"
#include "lsp/status/usage.h"
#include "lsp/wire/completion_protocol.h"
#include "lsp/wire/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The command that a client runs when the user accepts a suggestion.
inline constexpr char kAcceptedCommand[] = "redraft.completionAccepted";
// The command that a client runs when the user rejects one; same argument.
inline constexpr char kRejectedCommand[] = "redraft.completionRejected";

// Answers completion requests in both forms: ghost text and menu. Main thread.
class CompletionFeed : public Feature {
 public:
  CompletionFeed(std::shared_ptr<Connection> connection, Workspace& workspace,
                 const Configuration& configuration, DecoderChoice& decoder, Usage& usage,
                 Quiet& quiet, TakenBack& taken_back)
      : connection_(std::move(connection)),
        workspace_(workspace),
        configuration_(configuration),
        decoder_(decoder),
        usage_(usage),
        quiet_(quiet),
        taken_back_(taken_back) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void follow_settings() override;
  void add_reasons(Reasons& reasons) const override;
  void add_status(Json& status) const override;

 private:
  // The position for which a completion was requested.
  struct AskedPlace {
    std::shared_ptr<const Document> document;
    std::size_t offset = 0;
  };

  void inline_completion(const InlineCompletionParams& params, Reply reply);
  void menu_completion(const CompletionParams& params, Reply reply);
  // Adds the documentation of a menu item.
  void resolve(const CompletionItemParams& params, Reply reply);
  // The client expects the user to type at this position.
  void expect(const CompletionParams& params);
  void shown(const CompletionNews& news);
  void accepted(const ExecuteCommandParams& params, const Reply& reply);
  void accepted_partially(const CompletionNews& news);
  void rejected(const ExecuteCommandParams& params, const Reply& reply);

  const Settings::Completion& settings() const { return configuration_.settings().completion; }
  // Whether completions appear in the ordinary menu.
  bool wants_menu() const;
  // Returns nothing where there is nothing to complete, or where suggestions are off for an
  // `automatic` request. The request is then answered with `nothing`, and the reason is kept.
  std::optional<AskedPlace> place_of(const std::string& uri, const Position& position,
                                     bool automatic, const Json& nothing, const Reply& reply);
  // Where texts are inserted: they replace `begin`, and the answer's text follows it.
  struct Target {
    std::shared_ptr<const Document> document = {};
    ByteRange range = {};
    std::string begin = {};
    bool automatic = true;
  };
  // `to_result` builds the result from the completion and the answer's id.
  void ask(Workspace::CompletionWish wish, Target target, const Reply& reply, const Json& nothing,
           std::function<Json(const CompletionAnswer&, std::int64_t id)> to_result);
  void leave_out_rejected(const Target& target, CompletionAnswer& answer) const;
  void count(const CompletionAnswer& answer);
  void set_why_none(const std::string& why);

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const Configuration& configuration_;
  DecoderChoice& decoder_;
  Usage& usage_;
  Quiet& quiet_;
  TakenBack& taken_back_;
  ClientCapabilities client_;
  bool menu_offered_ = false;  // textDocument/completion has been announced
  std::string why_none_;       // for the last request; empty if it got a text
  OfferedCompletions offered_;
};

}  // namespace redraft::lsp
