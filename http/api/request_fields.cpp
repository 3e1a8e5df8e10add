#include "http/api/request_fields.h"

#include <functional>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::http {
namespace {

// The part of a client's value that a message shows.
constexpr std::size_t kMaxShownBytes = 80;

std::string shown(const Json& value) { return shortened(lsp::to_text(value), kMaxShownBytes); }

std::string shown_number(double number) { return lsp::to_text(Json(number)); }

}  // namespace

RequestFields::RequestFields(const Json& object, std::string where)
    : object_(object), where_(std::move(where)) {
  if (object_.is_object()) return;
  refusal_ = ApiError{
      .message = where_.empty() ? "the body is not a JSON object"
                                : "'" + where_.substr(0, where_.size() - 1) + "' is not an object",
      .field = where_.empty() ? std::string() : where_.substr(0, where_.size() - 1)};
}

const Json* RequestFields::any(const char* name) {
  known_.insert(name);
  if (refusal_) return nullptr;
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> RequestFields::text(const char* name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  refuse(name, "must be a string");
  return std::nullopt;
}

bool RequestFields::flag(const char* name, bool otherwise) {
  const Json* value = any(name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  refuse(name, "must be true or false");
  return otherwise;
}

std::optional<std::int64_t> RequestFields::integer(const char* name, std::int64_t min,
                                                   std::int64_t max) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  // The parser stores a number above the signed 64-bit range as unsigned.
  const bool fits = value->is_number_integer() &&
                    (!value->is_number_unsigned() ||
                     value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
  const std::int64_t number = fits ? value->get<std::int64_t>() : 0;
  if (fits && number >= min && number <= max) return number;
  refuse(name, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

std::optional<double> RequestFields::number(const char* name, double min, double max) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  const double number = value->is_number() ? value->get<double>() : min - 1;
  if (number >= min && number <= max) return number;
  refuse(name, "must be a number from " + shown_number(min) + " to " + shown_number(max));
  return std::nullopt;
}

std::optional<double> RequestFields::number(const char* name) {
  const Json* value = any(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  refuse(name, "must be a number");
  return std::nullopt;
}

std::vector<std::string> RequestFields::texts(const char* name, std::size_t max) {
  const Json* value = any(name);
  if (value == nullptr) return {};
  std::vector<std::string> texts;
  if (value->is_string()) texts.push_back(value->get<std::string>());
  bool all = value->is_string() || value->is_array();
  if (value->is_array()) {
    for (const Json& each : *value) {
      all = all && each.is_string() && texts.size() < max;
      if (!all) break;
      texts.push_back(each.get<std::string>());
    }
  }
  if (all) return texts;
  refuse(name, "must be a string, or an array of up to " + std::to_string(max) + " strings");
  return {};
}

void RequestFields::only(const char* name, const Json& supported) {
  const Json* value = any(name);
  if (value == nullptr || *value == supported) return;
  refuse(name, "is not supported as " + shown(*value) + ", only as " + shown(supported),
         "unsupported_value");
}

void RequestFields::only_either(const char* name, const Json& supported, const Json& other) {
  const Json* value = any(name);
  if (value != nullptr && *value != other) only(name, supported);
}

void RequestFields::only_empty(const char* name) {
  const Json* value = any(name);
  if (value == nullptr || ((value->is_array() || value->is_object()) && value->empty())) return;
  refuse(name, "is not supported", "unsupported_parameter");
}

void RequestFields::refuse(const std::string& name, const std::string& why, std::string code) {
  if (refusal_) return;
  const std::string full = full_name(shortened(name, kMaxShownBytes));
  refusal_ = ApiError{.message = "'" + full + "' " + why, .field = full, .code = std::move(code)};
}

void RequestFields::take_refusal(const RequestFields& inner) {
  if (!refusal_) refusal_ = inner.refusal();
}

void RequestFields::refuse_others() {
  if (refusal_) return;
  for (const auto& [name, value] : object_.items()) {
    if (!value.is_null() && !known_.contains(name))
      return refuse(name, "is not supported", "unsupported_parameter");
  }
}

}  // namespace redraft::http
