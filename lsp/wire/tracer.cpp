#include "lsp/wire/tracer.h"

#include <cstdio>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

// Requests that are never answered must not be kept forever.
constexpr std::size_t kMaxAsked = 1000;

// The peer chooses names and ids, which may be of any length.
constexpr std::size_t kMaxNameBytes = 100;

std::string milliseconds(Tracer::Clock::duration time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms",
                std::chrono::duration<double, std::milli>(time).count());
  return text;
}

}  // namespace

void Tracer::set_level(TraceLevel level) {
  level_ = level;
  if (level != TraceLevel::kOff) return;
  theirs_.clear();
  ours_.clear();
}

void Tracer::tell(std::string_view direction, const Json& message, std::size_t bytes) {
  if (level_ == TraceLevel::kOff) return;
  const bool received = direction == "Received";
  const auto method = message.find("method");
  const bool has_method = method != message.end() && method->is_string();
  const auto id = message.find("id");
  std::string name = has_method ? shortened(method->get<std::string>(), kMaxNameBytes) : "";
  std::string verbose = std::to_string(bytes) + " bytes";
  const char* kind = "notification";
  if (id != message.end() && has_method) {
    kind = "request";
    std::map<Json, Asked>& asked = received ? theirs_ : ours_;
    if (asked.size() < kMaxAsked) asked[*id] = {name, Clock::now()};
  } else if (id != message.end()) {
    kind = message.contains("error") ? "error" : "response";
    std::map<Json, Asked>& asked = received ? ours_ : theirs_;
    if (const auto found = asked.find(*id); found != asked.end()) {
      name = std::move(found->second.method);
      verbose += ", after " + milliseconds(Clock::now() - found->second.when);
      asked.erase(found);
    }
  }
  if (id != message.end())
    name += (name.empty() ? "(" : " - (") + shortened(to_text(*id), kMaxNameBytes) + ")";
  Json params = {{"message", std::string(direction) + " " + kind + " '" + name + "'."}};
  if (level_ == TraceLevel::kVerbose) params["verbose"] = std::move(verbose);
  log_(std::move(params));
}

}  // namespace redraft::lsp
