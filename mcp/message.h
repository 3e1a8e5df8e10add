// JSON-RPC messages of the Model Context Protocol, and its two kinds of clients.
//
// Clients of the revisions up to 2025-11-25 begin with `initialize`, and the server asks them for
// their roots. Since 2026-07-28 each request says in `_meta` which revision and capabilities its
// client has, and roots come with the request: the server first answers that it needs them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lsp/wire/json.h"

namespace redraft::mcp {

using lsp::Json;

// The newest revision first. The first one has no handshake.
inline constexpr std::string_view kVersions[] = {"2026-07-28", "2025-11-25", "2025-06-18",
                                                 "2025-03-26", "2024-11-05"};
inline constexpr std::string_view kModernVersion = kVersions[0];
inline constexpr std::string_view kHandshakeVersion = kVersions[1];  // the newest of those

enum class ErrorCode : std::int16_t {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kUnsupportedVersion = -32022,
};

// Keys of `_meta`.
inline constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

// The member of an object; null if `object` is none or lacks it.
const Json& member(const Json& object, const char* name);
// The text at that member; nothing if it is something else.
std::optional<std::string> text_member(const Json& object, const char* name);

Json result_message(const Json& id, Json result);
// `id` is null if it is not known.
Json error_message(const Json& id, ErrorCode code, std::string_view text, Json data = nullptr);
Json request_message(const Json& id, std::string_view method, Json params);
Json notification_message(std::string_view method, Json params);

bool is_request_id(const Json& id);
bool is_known_version(std::string_view version);

}  // namespace redraft::mcp
