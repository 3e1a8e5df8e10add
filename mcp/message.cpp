#include "mcp/message.h"

#include <algorithm>
#include <utility>

namespace redraft::mcp {

const Json& member(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(name);
  return found == object.end() ? nothing : *found;
}

std::optional<std::string> text_member(const Json& object, const char* name) {
  const Json& value = member(object, name);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

Json result_message(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json error_message(const Json& id, ErrorCode code, std::string_view text, Json data) {
  Json error = {{"code", static_cast<int>(code)}, {"message", text}};
  if (!data.is_null()) error["data"] = std::move(data);
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

Json request_message(const Json& id, std::string_view method, Json params) {
  Json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) message["params"] = std::move(params);
  return message;
}

Json notification_message(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

bool is_request_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

bool is_known_version(std::string_view version) {
  return std::ranges::find(kVersions, version) != std::end(kVersions);
}

}  // namespace redraft::mcp
