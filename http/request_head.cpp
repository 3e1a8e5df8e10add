#include "http/request_head.h"

#include <optional>

namespace redraft::http {
namespace {

constexpr std::string_view kModelsPath = "/v1/models";

struct Place {
  std::string_view path;
  std::string_view method;
  Route route;
};

const std::vector<Place>& places() {
  static const std::vector<Place> all = {
      {"/health", "GET", {Page::kHealth}},
      {"/metrics", "GET", {Page::kMetrics}},
      {kModelsPath, "GET", {Page::kModels}},
      {"/v1/completions", "POST", {Page::kGeneration, Interface::kCompletions}},
      {"/v1/chat/completions", "POST", {Page::kGeneration, Interface::kChat}},
      {"/infill", "POST", {Page::kGeneration, Interface::kInfill}},
  };
  return all;
}

std::optional<Place> place_of(std::string_view target) {
  for (const Place& place : places()) {
    if (place.path == target) return place;
  }
  if (!target.starts_with(kModelsPath) || target.size() < kModelsPath.size() + 2 ||
      target[kModelsPath.size()] != '/')
    return std::nullopt;
  return Place{target,
               "GET",
               {.page = Page::kModel, .model = std::string(target.substr(kModelsPath.size() + 1))}};
}

}  // namespace

std::string_view method_of(std::string_view target) {
  const std::optional<Place> place = place_of(target);
  return place ? place->method : std::string_view();
}

std::variant<Route, ApiError> route_of(const RequestHead& head) {
  const std::optional<Place> place = place_of(head.target);
  if (!place) {
    return ApiError{.status = 404,
                    .message = "this path does not exist. See docs/http.md for the paths",
                    .code = "unknown_url"};
  }
  if (place->method != head.method) {
    return ApiError{.status = 405,
                    .message = "this path only accepts " + std::string(place->method),
                    .code = "method_not_allowed"};
  }
  if (head.has_body && place->method == "GET")
    return ApiError{.message = "this path does not accept a body"};
  return place->route;
}

}  // namespace redraft::http
