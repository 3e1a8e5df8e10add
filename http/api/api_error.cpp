#include "http/api/api_error.h"

#include <utility>

namespace redraft::http {
namespace {

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json to_json(const ApiError& error) {
  return {{"error",
           {{"message", error.message},
            {"type", error.type},
            {"param", text_or_null(error.field)},
            {"code", text_or_null(error.code)}}}};
}

ApiError server_error(int status, std::string message) {
  return {.status = status, .message = std::move(message), .type = "server_error"};
}

}  // namespace redraft::http
