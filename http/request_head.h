#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/api/api_error.h"
#include "http/api/generation.h"

namespace redraft::http {

// The parts of a request's head that decide about the request.
struct RequestHead {
  std::string method = {};
  std::string target = {};
  std::vector<std::string> hosts = {};           // the value of each such header
  std::vector<std::string> origins = {};         // likewise
  std::vector<std::string> authorizations = {};  // likewise
  bool has_body = false;
  bool expects_continue = false;  // sends its body after "100 Continue"
};

// What a request asks for.
enum class Page { kHealth, kMetrics, kModels, kModel, kGeneration };
struct Route {
  Page page = Page::kHealth;
  Interface interface = Interface::kCompletions;  // for kGeneration
  std::string model = {};                         // for kModel
};
std::variant<Route, ApiError> route_of(const RequestHead& head);
// The only method that is valid at `target`; empty if the path does not exist.
std::string_view method_of(std::string_view target);

}  // namespace redraft::http
