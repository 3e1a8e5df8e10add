#include "lsp/wire/completion_protocol.h"

namespace redraft::lsp {
namespace {

constexpr int kInvoked = 1;  // InlineCompletionTriggerKind

const Json* member(const Json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::string uri_of(const Json& json) {
  return json.at("textDocument").at("uri").get<std::string>();
}

// The id that an item carries as its command's argument.
std::int64_t id_of(const Json& item) {
  const Json* command = member(item, "command");
  const Json* arguments = command ? member(*command, "arguments") : nullptr;
  if (!arguments || !arguments->is_array() || arguments->empty()) return 0;
  const Json* id = member(arguments->front(), "id");
  return id && id->is_number_integer() ? id->get<std::int64_t>() : 0;
}

}  // namespace

void from_json(const Json& json, InlineCompletionParams& params) {
  params.uri = uri_of(json);
  params.position = json.at("position").get<Position>();
  const Json* context = member(json, "context");
  if (!context) return;
  const Json* kind = member(*context, "triggerKind");
  params.automatic = !(kind && kind->is_number_integer() && kind->get<int>() == kInvoked);
  if (const Json* selected = member(*context, "selectedCompletionInfo")) {
    params.selected = {selected->at("range").get<Range>(), selected->at("text").get<std::string>()};
  }
}

void from_json(const Json& json, CompletionParams& params) {
  params.uri = uri_of(json);
  params.position = json.at("position").get<Position>();
}

void from_json(const Json& json, CompletionItemParams& params) {
  (void)json.at("label").get<std::string>();
  params.json = json;
}

void from_json(const Json& json, CompletionNews& news) {
  news.id = id_of(json.at("item"));
  const Json* length = member(json, "acceptedLength");
  if (length && length->is_number_integer()) news.accepted_length = length->get<std::int64_t>();
}

void from_json(const Json& json, FocusParams& params) {
  const Json* document = member(json, "textDocument");
  const Json* uri = document ? member(*document, "uri") : member(json, "uri");
  if (uri && uri->is_string()) params.uri = uri->get<std::string>();
}

}  // namespace redraft::lsp
