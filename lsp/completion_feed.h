#pragma once

#include <map>
#include <memory>
#include <string>

#include "lsp/completion_protocol.h"
#include "lsp/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The command that a client runs when the user took a suggestion.
inline constexpr char kAcceptedCommand[] = "redraft.completionAccepted";

// What the user wants of completion.
struct CompletionOptions {
  bool enabled = true;
  bool in_menu = true;                         // answers textDocument/completion
  std::map<std::string, bool> languages = {};  // "*": those that are not named
  std::chrono::milliseconds delay{75};         // before an automatic one asks the model
  bool in_comments = true;
  int max_new_tokens = 128;
  int alternatives = 3;    // where the user asks for them
  int context_tokens = 0;  // see completion_budget()
};

// How often suggestions were made and taken; numbers alone, which stay on this machine.
struct CompletionCounts {
  std::int64_t suggested = 0;  // answers with a text
  std::int64_t carried = 0;    // of them, without the model
  std::int64_t shown = 0;      // as far as the client tells
  std::int64_t accepted = 0;
  std::int64_t accepted_partially = 0;
};

// Answers requests for completions in both forms, for ghost text and for the menu. Main thread.
class CompletionFeed {
 public:
  explicit CompletionFeed(Workspace& workspace) : workspace_(workspace) {}
  void set_encoding(Encoding encoding) { encoding_ = encoding; }
  void set_options(CompletionOptions options) { options_ = std::move(options); }

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
  bool on_for(const std::string& language_id) const;
  // `to_result` makes the result of the texts that were found, and of the answer's data.
  void ask(Workspace::CompletionWish wish, const Reply& reply, const Json& nothing,
           std::function<Json(const CompletionAnswer&, std::int64_t id)> to_result);
  void count(const CompletionAnswer& answer);

  Workspace& workspace_;
  Encoding encoding_ = Encoding::kUtf16;
  CompletionOptions options_;
  CompletionCounts counts_;
  std::string why_none_;
  std::int64_t last_id_ = 0;  // of an answer with texts
};

}  // namespace redraft::lsp
