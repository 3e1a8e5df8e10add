#include "lsp/wire/protocol.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace redraft::lsp {
namespace {

const Json kNull;

constexpr std::size_t kMaxRanges = 256;  // of one edit
constexpr int kInvoked = 1;              // CodeActionTriggerKind.Invoked

// Also null if something on the path is missing or not an object.
const Json& member(const Json& json, std::string_view key) {
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

const Json& member(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* at = &json;
  for (const std::string_view key : path) at = &member(*at, key);
  return *at;
}

bool is_true(const Json& json) { return json.is_boolean() && json.get<bool>(); }

std::int64_t read_integer(const Json& json, const char* key) {
  const Json& value = json.at(key);
  const bool too_big = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
  if (!value.is_number_integer() || too_big)
    throw std::invalid_argument(std::string(key) + " must be an integer");
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> read_optional_integer(const Json& json, const char* key) {
  if (member(json, key).is_null()) return std::nullopt;
  return read_integer(json, key);
}

// Positions beyond the text are legal: they are clamped later.
int read_count(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_number_unsigned()) {
    constexpr std::uint64_t kMaxValue = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(value.get<std::uint64_t>(), kMaxValue));
  }
  throw std::invalid_argument(std::string(key) + " must be a non-negative integer");
}

template <typename T>
std::optional<T> read_optional(const Json& json, const char* key) {
  const Json& value = member(json, key);
  if (value.is_null()) return std::nullopt;
  return value.get<T>();
}

// A token that a client gave for progress.
std::optional<Json> read_token(const Json& json, const char* key) {
  const Json& token = member(json, key);
  if (token.is_null()) return std::nullopt;
  if (!token.is_string() && !token.is_number_integer())
    throw std::invalid_argument(std::string(key) + " must be an integer or a string");
  return token;
}

const Json& read_list(const Json& json, const char* key) {
  const Json& list = json.at(key);
  if (!list.is_array()) throw std::invalid_argument(std::string(key) + " must be a list");
  return list;
}

std::vector<std::string> read_folders(const Json& list) {
  std::vector<std::string> uris;
  for (const Json& folder : list.is_array() ? list : Json::array()) {
    const Json& uri = member(folder, "uri");
    if (uri.is_string()) uris.push_back(uri.get<std::string>());
  }
  return uris;
}

TraceLevel read_trace(const Json& json) {
  if (json == "messages") return TraceLevel::kMessages;
  return json == "verbose" ? TraceLevel::kVerbose : TraceLevel::kOff;
}

std::string read_uri(const Json& json) {
  return json.at("textDocument").at("uri").get<std::string>();
}

Encoding choose_encoding(const Json& offered) {
  for (const Json& name : offered.is_array() ? offered : Json::array()) {
    for (const Encoding encoding : {Encoding::kUtf8, Encoding::kUtf16, Encoding::kUtf32}) {
      if (name == to_string(encoding)) return encoding;
    }
  }
  return Encoding::kUtf16;
}

bool contains(const Json& array, const char* text) {
  return array.is_array() && std::find(array.begin(), array.end(), text) != array.end();
}

ClientCapabilities read_capabilities(const Json& params) {
  const Json& offered = member(params, "capabilities");
  const Json& action = member(offered, {"textDocument", "codeAction"});
  ClientCapabilities result;
  result.encoding = choose_encoding(member(offered, {"general", "positionEncodings"}));
  result.document_changes =
      is_true(member(offered, {"workspace", "workspaceEdit", "documentChanges"}));
  result.apply_edit = is_true(member(offered, {"workspace", "applyEdit"}));
  result.work_done_progress = is_true(member(offered, {"window", "workDoneProgress"}));
  result.completion_registration =
      is_true(member(offered, {"textDocument", "completion", "dynamicRegistration"}));
  result.markdown_documentation = contains(
      member(offered, {"textDocument", "completion", "completionItem", "documentationFormat"}),
      "markdown");
  result.inline_completion = member(offered, {"textDocument", "inlineCompletion"}).is_object();
  result.code_action_literals = member(action, "codeActionLiteralSupport").is_object();
  result.disabled_actions = is_true(member(action, "disabledSupport"));
  result.resolves_edit_late = is_true(member(action, "dataSupport")) &&
                              contains(member(action, {"resolveSupport", "properties"}), "edit");
  result.configuration = is_true(member(offered, {"workspace", "configuration"}));
  result.configuration_registration =
      is_true(member(offered, {"workspace", "didChangeConfiguration", "dynamicRegistration"}));
  for (const Json* own : {&member(offered, {"experimental", "redraft"}),
                          &member(params, {"initializationOptions", "redraft"})}) {
    for (const auto& [name, capability] : kOwnCapabilities)
      result.*capability = result.*capability || is_true(member(*own, name));
  }
  // Some clients support it without announcing it, and their users can say so.
  result.apply_edit = result.apply_edit ||
                      is_true(member(params, {"initializationOptions", "redraft", "applyEdit"}));
  return result;
}

}  // namespace

const char* to_string(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return "utf-8";
    case Encoding::kUtf16:
      return "utf-16";
    case Encoding::kUtf32:
      return "utf-32";
  }
  return "";
}

void to_json(Json& json, const Position& position) {
  json = {{"line", position.line}, {"character", position.character}};
}

void to_json(Json& json, const Range& range) {
  json = {{"start", range.start}, {"end", range.end}};
}

void from_json(const Json& json, Position& position) {
  position = {read_count(json, "line"), read_count(json, "character")};
}

void from_json(const Json& json, Range& range) {
  range = {json.at("start").get<Position>(), json.at("end").get<Position>()};
}

void from_json(const Json& json, InitializeParams& params) {
  params.capabilities = read_capabilities(json);
  params.process_id = read_optional_integer(json, "processId");
  const Json& name = member(json, {"clientInfo", "name"});
  if (name.is_string()) params.client_name = name.get<std::string>();
  params.folders = read_folders(member(json, "workspaceFolders"));
  const Json& root = member(json, "rootUri");
  if (params.folders.empty() && root.is_string()) params.folders.push_back(root.get<std::string>());
  params.options = member(json, {"initializationOptions", "redraft"});
  params.trace = read_trace(member(json, "trace"));
}

void from_json(const Json& json, DidChangeConfigurationParams& params) {
  params.section = member(json, {"settings", "redraft"});
}

void from_json(const Json& json, DidChangeWorkspaceFoldersParams& params) {
  params.added = read_folders(member(json, {"event", "added"}));
  params.removed = read_folders(member(json, {"event", "removed"}));
}

void from_json(const Json& json, SetTraceParams& params) {
  params.level = read_trace(member(json, "value"));
}

void from_json(const Json& json, FileOperationParams& params) {
  for (const Json& file : read_list(json, "files")) {
    for (const char* key : {"uri", "oldUri", "newUri"}) {
      const Json& uri = member(file, key);
      if (!uri.is_string()) continue;
      params.uris.push_back(uri.get<std::string>());
      if (std::string_view(key) == "oldUri") params.old_uris.push_back(params.uris.back());
    }
  }
}

void from_json(const Json& json, DidSaveParams& params) { params.uri = read_uri(json); }

void from_json(const Json& json, DidChangeWatchedFilesParams& params) {
  for (const Json& change : read_list(json, "changes"))
    params.uris.push_back(change.at("uri").get<std::string>());
}

void from_json(const Json& json, DidOpenParams& params) {
  const Json& document = json.at("textDocument");
  params.uri = document.at("uri").get<std::string>();
  params.language_id = read_optional<std::string>(document, "languageId").value_or("");
  params.version = read_optional_integer(document, "version").value_or(0);
  params.text = document.at("text").get<std::string>();
}

void from_json(const Json& json, ContentChange& change) {
  change.range = read_optional<Range>(json, "range");
  change.text = json.at("text").get<std::string>();
}

void from_json(const Json& json, DidChangeParams& params) {
  params.uri = read_uri(json);
  params.version = read_optional_integer(json.at("textDocument"), "version");
  params.changes = json.at("contentChanges").get<std::vector<ContentChange>>();
}

void from_json(const Json& json, DidCloseParams& params) { params.uri = read_uri(json); }

void from_json(const Json& json, Diagnostic& diagnostic) {
  // A string, or since LSP 3.18 MarkupContent.
  const Json& message = json.at("message");
  const Json& text = message.is_object() ? message.at("value") : message;
  diagnostic = {json.at("range").get<Range>(), text.get<std::string>(), json};
}

void from_json(const Json& json, CodeActionParams& params) {
  params.uri = read_uri(json);
  params.range = json.at("range").get<Range>();
  params.diagnostics = json.at("context").at("diagnostics").get<std::vector<Diagnostic>>();
  params.only = read_optional<std::vector<std::string>>(json.at("context"), "only");
  params.invoked = member(json.at("context"), "triggerKind") == kInvoked;
  params.partial_result_token = read_token(json, "partialResultToken");
}

void to_json(Json& json, const EditParams& params) {
  json = {{"textDocument", {{"uri", params.uri}, {"version", nullptr}}},
          {"instruction", params.instruction}};
  if (params.version) json["textDocument"]["version"] = *params.version;
  if (params.range) json["range"] = *params.range;
  if (!params.ranges.empty()) json["ranges"] = params.ranges;
  if (params.scope) json["scope"] = *params.scope;
  for (const Diagnostic& diagnostic : params.diagnostics)
    json["diagnostics"].push_back({{"range", diagnostic.range}, {"message", diagnostic.message}});
}

void from_json(const Json& json, PrepareParams& params) {
  params.edit.uri = read_uri(json);
  params.edit.version = read_optional_integer(json.at("textDocument"), "version");
  params.edit.range = read_optional<Range>(json, "range");
  params.edit.scope = read_optional<std::string>(json, "scope");
}

void from_json(const Json& json, EditParams& params) {
  params.uri = read_uri(json);
  params.version = read_optional_integer(json.at("textDocument"), "version");
  params.range = read_optional<Range>(json, "range");
  if (!member(json, "ranges").is_null()) {
    for (const Json& range : read_list(json, "ranges")) params.ranges.push_back(range.get<Range>());
    if (params.ranges.empty() || params.ranges.size() > kMaxRanges)
      throw std::invalid_argument("ranges must hold 1 to " + std::to_string(kMaxRanges) +
                                  " ranges");
  }
  params.change = read_optional<std::string>(json, "change").value_or(params.change);
  if (!member(json, "diagnostics").is_null()) {
    for (const Json& each : read_list(json, "diagnostics"))
      params.diagnostics.push_back(each.get<Diagnostic>());
  }
  const bool has_to_say = params.change.empty() && params.diagnostics.empty();
  params.instruction = has_to_say ? json.at("instruction").get<std::string>()
                                  : read_optional<std::string>(json, "instruction").value_or("");
  params.cursor = read_optional<Position>(json, "cursor");
  params.scope = read_optional<std::string>(json, "scope");
  params.decoder = read_optional<std::string>(json, "decoder").value_or(params.decoder);
  if (!member(json, "maxNewTokens").is_null())
    params.max_new_tokens = read_count(json, "maxNewTokens");
  if (!member(json, "another").is_null()) params.another = read_count(json, "another");
  params.doubtful = read_optional<bool>(json, "doubtful").value_or(false);
}

void from_json(const Json& json, CodeAction& action) {
  action.json = json;
  const bool is_whole = !json.contains("data") && member(json, "command").is_object();
  if (!is_whole) action.data = json.at("data").get<EditParams>();
}

void from_json(const Json& json, ExecuteCommandParams& params) {
  params.command = json.at("command").get<std::string>();
  const Json& arguments = member(json, "arguments");
  if (arguments.is_array() && !arguments.empty()) params.argument = arguments.front();
  params.work_done_token = read_token(json, "workDoneToken");
}

void from_json(const Json& json, EditIdParams& params) {
  params.edit_id = read_integer(json, "editId");
}

void from_json(const Json& json, ResolveEditParams& params) {
  params.edit_id = read_integer(json, "editId");
  if (!member(json, "hunkIds").is_null()) {
    params.hunk_ids.emplace();
    for (const Json& id : read_list(json, "hunkIds")) {
      if (!id.is_number_integer()) throw std::invalid_argument("hunkIds must hold integers");
      // No hunk has such an id, so it never matches.
      const bool possible = id.is_number_unsigned() && id.get<std::uint64_t>() <= INT32_MAX;
      params.hunk_ids->push_back(possible ? id.get<int>() : -1);
    }
  }
  const auto action = json.at("action").get<std::string>();
  if (action != "accept" && action != "reject") {
    throw std::invalid_argument("action must be \"accept\" or \"reject\"");
  }
  params.accept = action == "accept";
  params.doubtful = read_optional<bool>(json, "doubtful").value_or(false);
}

void from_json(const Json& json, ProgressCancelParams& params) { params.token = json.at("token"); }

void from_json(const Json&, NoParams&) {}

}  // namespace redraft::lsp
