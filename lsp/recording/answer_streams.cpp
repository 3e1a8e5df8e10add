#include "lsp/recording/answer_streams.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "lsp/features/code_actions.h"
#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kMaxPlaces = 3;
constexpr std::size_t kMaxShown = 120;  // bytes of a value

// Null if there is no such member.
const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

// The edit that a client's message cancels; null if the message is not a cancellation.
Json cancelled_edit(const Json& message) {
  const Json& params = member(message, "params");
  const Json& arguments = member(params, "arguments");
  const bool cancels = member(params, "command") == kCancelCommand;
  if (!cancels || !arguments.is_array() || arguments.empty()) return nullptr;
  return member(arguments[0], "editId");
}

std::string name_of_news(const Json& edit) { return "$/redraft/edit of edit " + to_text(edit); }

std::string text_or_none(const Json& value) {
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_request_or_response(const Json& message) { return message.contains("id"); }

// A decode's costs depend on measurements. Its token counts do not.
void keep_counts_of_text(Json& statistics) {
  Json kept = Json::object();
  for (const char* name : {"promptTokens", "newTokens"}) {
    if (statistics.contains(name)) kept[name] = statistics[name];
  }
  statistics = std::move(kept);
}

void mask_statistics(Json& value) {
  if (value.is_object()) {
    for (auto& [name, inner] : value.items()) {
      if (name == "statistics" && inner.is_object()) {
        keep_counts_of_text(inner);
      } else {
        mask_statistics(inner);
      }
    }
  } else if (value.is_array()) {
    for (Json& inner : value) mask_statistics(inner);
  }
}

void erase(Json& object, std::initializer_list<const char*> names) {
  if (!object.is_object()) return;
  for (const char* name : names) object.erase(name);
}

// Whether a timer triggers the message, or it reports on background work.
bool comes_by_the_clock(const std::string& method, const Json& params) {
  static const std::set<std::string_view> kMethods = {
      "$/logTrace", "$/redraft/prepare", "window/logMessage", "window/workDoneProgress/create",
      "telemetry/event"};
  if (kMethods.contains(method)) return true;
  // A partial result is an array.
  if (method == "$/progress") return member(params, "value").is_object();
  const Json& kind = member(params, "kind");
  return method == "$/redraft/edit" && (kind == "progress" || kind == "region");
}

// `method` is the message's own method, or for a response the method of its request.
Json comparable(Json message, const std::string& method, bool is_answer) {
  mask_statistics(message);
  if (!is_answer) erase(message, {"id"});
  Json none;
  Json& inner = message.contains(is_answer ? "result" : "params")
                    ? message[is_answer ? "result" : "params"]
                    : none;
  if (method == "initialize" && inner.is_object() && inner.contains("serverInfo"))
    erase(inner["serverInfo"], {"version"});
  // The scheduler decides when the index reads files and when caches are counted, and the device
  // does not change any answer.
  if (method == "redraft/status" || method == "$/redraft/status")
    erase(inner, {"version", "device", "index", "common", "caches"});
  if (method == "$/progress") erase(inner, {"token"});
  if (method == "$/redraft/edit") erase(inner, {"seq"});
  return message;
}

std::string shown(const Json& value) { return shortened(to_text(value), kMaxShown); }

void find_differences(const Json& was, const Json& is, const std::string& where,
                      std::vector<std::string>& places) {
  if (was == is || places.size() == kMaxPlaces) return;
  if (was.is_object() && is.is_object()) {
    std::set<std::string> names;
    for (const Json* each : {&was, &is}) {
      for (const auto& [name, inner] : each->items()) names.insert(name);
    }
    for (const std::string& name : names) {
      std::string inner = where;
      inner.append("/").append(name);
      if (was.contains(name) && is.contains(name)) {
        find_differences(was[name], is[name], inner, places);
      } else if (places.size() < kMaxPlaces) {
        places.push_back(was.contains(name) ? inner + " was " + shown(was[name]) + ", is not there"
                                            : inner + " was not there, is " + shown(is[name]));
      }
    }
  } else if (was.is_array() && is.is_array() && was.size() == is.size()) {
    for (std::size_t i = 0; i < was.size(); ++i)
      find_differences(was[i], is[i], where + "/" + std::to_string(i), places);
  } else {
    places.push_back((where.empty() ? "all" : where) + " was " + shown(was) + ", is " + shown(is));
  }
}

}  // namespace

void AnswerStreams::client_said(const Json& message) {
  if (!message.is_object() || !message.contains("id") || !member(message, "method").is_string())
    return;
  asked_[message["id"]] = message["method"].get<std::string>();
  if (asked_[message["id"]] == "shutdown") asked_shutdown_ = true;
  if (const Json edit = cancelled_edit(message); !edit.is_null()) {
    cancels_.insert(message["id"]);
    cancelled_.insert(name_of_news(edit));
  }
}

std::optional<std::string> AnswerStreams::server_said(const Json& message, int line) {
  const std::string method = text_or_none(member(message, "method"));
  const Json& params = member(message, "params");
  std::string name;
  std::string about = method;
  if (!method.empty()) {
    if (is_request_or_response(message)) {
      std::vector<Json>& requests = requests_[method];
      places_[message["id"]] = {method, requests.size()};
      requests.push_back(message["id"]);
    }
    if (comes_by_the_clock(method, params)) return std::nullopt;
    name = method == "$/redraft/edit" ? name_of_news(member(params, "editId")) : method;
  } else {
    const Json& id = member(message, "id");
    if (const auto asked = asked_.find(id); asked != asked_.end()) about = asked->second;
    if (about == "redraft/prepare") return std::nullopt;  // an edit may have preceded it
    name = "answer to " + (about.empty() ? "nothing" : about) + " (" + to_text(id) + ")";
  }
  Answer& answer =
      streams_[name].emplace_back(Answer{comparable(message, about, method.empty()), line});
  // Depends on whether the edit was still running.
  if (method.empty() && cancels_.contains(member(message, "id")))
    erase(answer.message["result"], {"cancelled"});
  return name;
}

std::optional<AnswerStreams::RequestPlace> AnswerStreams::place_of(const Json& id) const {
  const auto found = places_.find(id);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::optional<Json> AnswerStreams::id_at(const RequestPlace& place) const {
  const auto found = requests_.find(place.method);
  if (found == requests_.end() || place.index >= found->second.size()) return std::nullopt;
  return found->second[place.index];
}

std::vector<std::string> differing_places(const Json& was, const Json& is) {
  std::vector<std::string> places;
  find_differences(was, is, "", places);
  return places;
}

}  // namespace redraft::lsp
