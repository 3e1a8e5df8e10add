#pragma once

#include <string>

#include "lsp/wire/json.h"

namespace redraft::http {

using lsp::Json;

// An answer that refuses a request, in the form that clients of OpenAI's interface read.
struct ApiError {
  int status = 400;  // of HTTP
  std::string message;
  std::string field = {};  // of the request, that is the reason; empty: none is
  std::string code = {};   // for programs; empty: none
  // What to do is not in the request's power: "server_error".
  std::string type = "invalid_request_error";

  friend bool operator==(const ApiError&, const ApiError&) = default;
};

Json to_json(const ApiError& error);

// The errors that more than one place gives.
ApiError server_error(int status, std::string message);

}  // namespace redraft::http
