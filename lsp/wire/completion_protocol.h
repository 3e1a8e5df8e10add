#pragma once

#include <optional>
#include <string>

#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"

// What completion needs of the protocol: textDocument/completion, 3.18's inline completion, and
// what clients of such servers tell beside it.
namespace redraft::lsp {

// What an editor's menu has selected, which the suggestion must go on from.
struct SelectedCompletion {
  Range range;
  std::string text;
};

struct InlineCompletionParams {
  std::string uri;
  Position position;
  bool automatic = true;  // otherwise the user asked for it
  std::optional<SelectedCompletion> selected;
};

struct CompletionParams {
  std::string uri;
  Position position;
};

// An item of the menu; what the client sent back, to be resolved.
struct CompletionItemParams {
  Json json;
};

// Of `textDocument/didShowCompletion` and `textDocument/didPartiallyAcceptCompletion`.
struct CompletionNews {
  std::int64_t id = 0;  // 0: of an item that is not ours
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
