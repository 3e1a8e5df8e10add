#pragma once

#include <string>

#include "lsp/wire/json.h"

namespace redraft::http {

using lsp::Json;

// An answer that rejects a request, in the form that clients of OpenAI's interface read.
struct ApiError {
  int status = 400;  // of HTTP
  std::string message;
  std::string field = {};  // the request's field that is the reason; empty if there is none
  std::string code = {};   // for programs; empty if there is none
  // "server_error" if the client cannot fix the request.
  std::string type = "invalid_request_error";

  friend bool operator==(const ApiError&, const ApiError&) = default;
};

Json to_json(const ApiError& error);

// Errors that several places return.
ApiError server_error(int status, std::string message);

}  // namespace redraft::http
