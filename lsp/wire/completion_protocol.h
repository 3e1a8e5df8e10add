#pragma once

#include <optional>
#include <string>

#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"

// The parts of the protocol that completion needs: textDocument/completion, the inline completion
// of LSP 3.18, and notifications that clients of completion servers send.
namespace redraft::lsp {

// The selected item of the editor's menu. The suggestion must continue it.
struct SelectedCompletion {
  Range range;
  std::string text;
};

struct InlineCompletionParams {
  std::string uri;
  Position position;
  bool automatic = true;  // false for an explicit request
  std::optional<SelectedCompletion> selected;
};

struct CompletionParams {
  std::string uri;
  Position position;
};

// A menu item that the client sent back to be resolved.
struct CompletionItemParams {
  Json json;
};

// Parameters of `textDocument/didShowCompletion` and `textDocument/didPartiallyAcceptCompletion`.
struct CompletionNews {
  std::int64_t id = 0;  // 0 if the item is not ours
  std::int64_t accepted_length = 0;
};

struct FocusParams {
  std::optional<std::string> uri;
};

void from_json(const Json& json, InlineCompletionParams& params);
void from_json(const Json& json, CompletionParams& params);
void from_json(const Json& json, CompletionItemParams& params);
void from_json(const Json& json, CompletionNews& news);
void from_json(const Json& json, FocusParams& params);

}  // namespace redraft::lsp
