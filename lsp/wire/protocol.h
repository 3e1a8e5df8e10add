#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lsp/wire/json.h"
#include "lsp/wire/tracer.h"

// The part of the Language Server Protocol that redraft speaks, as plain structs, and redraft's
// extensions (docs/protocol.md). Reading throws for a missing or mistyped member, as nlohmann_json
// does; the dispatcher turns that into InvalidParams.
namespace redraft::lsp {

enum class ErrorCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kServerNotInitialized = -32002,
  kRequestFailed = -32803,
  kContentModified = -32801,
  kRequestCancelled = -32800,
};

enum class MessageType : int { kError = 1, kWarning = 2, kInfo = 3 };

// The unit of a position's `character`.
enum class Encoding { kUtf8, kUtf16, kUtf32 };
const char* to_string(Encoding encoding);

struct Position {
  int line = 0;
  int character = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Range {
  Position start;
  Position end;
  friend bool operator==(const Range&, const Range&) = default;
};

void to_json(Json& json, const Position& position);
void to_json(Json& json, const Range& range);
void from_json(const Json& json, Position& position);
void from_json(const Json& json, Range& range);

// The client's capabilities that redraft uses.
struct ClientCapabilities {
  Encoding encoding = Encoding::kUtf16;  // the first it names that we know
  bool document_changes = false;
  bool apply_edit = false;
  bool work_done_progress = false;    // supports progress that the server begins
  bool code_action_literals = false;  // false if it only supports commands
  bool resolves_edit_late = false;    // codeAction/resolve may bring the edit
  bool disabled_actions = false;      // shows disabled actions, with the reason
  bool configuration = false;         // it answers workspace/configuration
  bool configuration_registration = false;
  bool inline_completion = false;
  // Whether a menu item's documentation may be Markdown; otherwise it is plain text.
  bool markdown_documentation = false;
  // Accepts registration of textDocument/completion after initialize.
  bool completion_registration = false;
  bool streamed_edits = false;
  bool prompt = false;
  bool prepares = false;  // announces edits with redraft/prepare
  // Workspace files cannot set the settings with the scope `machine`; see SettingDefinition.
  bool user_settings = false;
};

// Capabilities that a client declares in its own section, of the capabilities or of the options.
inline constexpr std::array<std::pair<const char*, bool ClientCapabilities::*>, 4>
    kOwnCapabilities = {{{"streamedEdits", &ClientCapabilities::streamed_edits},
                         {"prompt", &ClientCapabilities::prompt},
                         {"prepare", &ClientCapabilities::prepares},
                         {"userSettings", &ClientCapabilities::user_settings}}};

struct InitializeParams {
  ClientCapabilities capabilities;
  std::optional<std::int64_t> process_id;
  std::string client_name;
  std::vector<std::string> folders;  // URIs
  Json options;                      // initializationOptions.redraft; null if absent
  TraceLevel trace = TraceLevel::kOff;
};

struct DidChangeConfigurationParams {
  Json section;  // "redraft" of the settings; null if absent
};

struct DidChangeWorkspaceFoldersParams {
  std::vector<std::string> added, removed;  // URIs
};

struct SetTraceParams {
  TraceLevel level = TraceLevel::kOff;
};

// Files that were created, renamed or deleted.
struct FileOperationParams {
  std::vector<std::string> uris;      // all named files
  std::vector<std::string> old_uris;  // the former names of renamed files
};

struct DidSaveParams {
  std::string uri;
};

struct DidChangeWatchedFilesParams {
  std::vector<std::string> uris;
};

struct DidOpenParams {
  std::string uri;
  std::string language_id;
  std::int64_t version = 0;
  std::string text;
};

struct ContentChange {
  std::optional<Range> range;  // absent for the whole text
  std::string text;
};

struct DidChangeParams {
  std::string uri;
  std::optional<std::int64_t> version;
  std::vector<ContentChange> changes;
};

struct DidCloseParams {
  std::string uri;
};

struct Diagnostic {
  Range range;
  std::string message;
  Json json;  // as the client sent it
};

struct CodeActionParams {
  std::string uri;
  Range range;
  std::vector<Diagnostic> diagnostics;
  std::optional<std::vector<std::string>> only;  // kinds
  bool invoked = false;                          // the user requested it, not the editor
  std::optional<Json> partial_result_token;
};

// The argument of `redraft.edit`, and the data of a code action.
struct EditParams {
  std::string uri;
  std::optional<std::int64_t> version;
  std::optional<Range> range;
  std::vector<Range> ranges;            // several places; if empty, `range` or `scope` says where
  std::optional<Position> cursor;       // where `range` is the region around it
  std::string instruction;              // empty if there is a change
  std::string change;                   // code that another assistant wrote; empty if there is none
  std::vector<Diagnostic> diagnostics;  // what the edit is about
  std::optional<std::string> scope;
  std::string decoder;  // empty for the decoder in the settings
  int max_new_tokens = 0;
  int another = 0;        // index of the retry; 0 is the first answer
  bool doubtful = false;  // without streamed edits: changes with a doubt are made, too
};
void to_json(Json& json, const EditParams& params);

// An edit that is about to be requested; `instruction` is empty.
struct PrepareParams {
  EditParams edit;
};

struct CodeAction {
  EditParams data;
  Json json;  // as the client sent it
};

struct ExecuteCommandParams {
  std::string command;
  Json argument;  // the first argument; null if there is none
  std::optional<Json> work_done_token;
};

struct EditIdParams {
  std::int64_t edit_id = 0;
};

struct ResolveEditParams {
  std::int64_t edit_id = 0;
  std::optional<std::vector<int>> hunk_ids;  // nothing: all
  bool accept = false;
  bool doubtful = false;  // all includes those with a doubt; for a rejection it always does
};

struct ProgressCancelParams {
  Json token;
};

// For messages whose parameters are ignored.
struct NoParams {};

void from_json(const Json& json, InitializeParams& params);
void from_json(const Json& json, DidChangeConfigurationParams& params);
void from_json(const Json& json, DidChangeWorkspaceFoldersParams& params);
void from_json(const Json& json, SetTraceParams& params);
void from_json(const Json& json, FileOperationParams& params);
void from_json(const Json& json, DidOpenParams& params);
void from_json(const Json& json, DidSaveParams& params);
void from_json(const Json& json, DidChangeWatchedFilesParams& params);
void from_json(const Json& json, ContentChange& change);
void from_json(const Json& json, DidChangeParams& params);
void from_json(const Json& json, DidCloseParams& params);
void from_json(const Json& json, Diagnostic& diagnostic);
void from_json(const Json& json, CodeActionParams& params);
void from_json(const Json& json, EditParams& params);
void from_json(const Json& json, PrepareParams& params);
void from_json(const Json& json, CodeAction& action);
void from_json(const Json& json, ExecuteCommandParams& params);
void from_json(const Json& json, EditIdParams& params);
void from_json(const Json& json, ResolveEditParams& params);
void from_json(const Json& json, ProgressCancelParams& params);
void from_json(const Json& json, NoParams& params);

}  // namespace redraft::lsp
