#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/api/api_error.h"
#include "http/api/generation.h"

namespace redraft::http {

// What of a request's head decides about it.
struct RequestHead {
  std::string method = {};
  std::string target = {};
  std::vector<std::string> hosts = {};           // of each such header
  std::vector<std::string> origins = {};         // likewise
  std::vector<std::string> authorizations = {};  // likewise
  bool has_body = false;
  bool expects_continue = false;  // it sends its body once it is told to
};

// What a request is for.
enum class Page { kHealth, kMetrics, kModels, kModel, kGeneration };
struct Route {
  Page page = Page::kHealth;
  Interface interface = Interface::kCompletions;  // of kGeneration
  std::string model = {};                         // of kModel
};
std::variant<Route, ApiError> route_of(const RequestHead& head);
// The one method of what is at `target`; empty: nothing is there.
std::string_view method_of(std::string_view target);

}  // namespace redraft::http
