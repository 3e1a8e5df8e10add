#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/api/api_error.h"

namespace redraft::http {

// The fields of a request's body, or of an object in it. Unknown fields are rejected by name,
// because ignoring them would break the client's expectations. The reader of a request therefore
// reads every supported field, and refuse_others() finds the rest. Null counts as absent. The first
// rejection is kept; after it, getters return the value for an absent field.
class RequestFields {
 public:
  // `where` precedes names in messages: "stream_options.". `object` must outlive this; if it is not
  // an object, it is rejected.
  explicit RequestFields(const Json& object, std::string where = {});

  // A value of any kind; null if absent.
  const Json* any(const char* name);
  std::optional<std::string> text(const char* name);
  bool flag(const char* name, bool otherwise);
  std::optional<std::int64_t> integer(const char* name, std::int64_t min, std::int64_t max);
  std::optional<double> number(const char* name, double min, double max);
  std::optional<double> number(const char* name);
  // A text, or an array of at most `max` texts.
  std::vector<std::string> texts(const char* name, std::size_t max);

  // For fields of which only the neutral value is supported.
  void only(const char* name, const Json& supported);
  void only_either(const char* name, const Json& supported, const Json& other);
  // For fields that are only supported if empty: [] or {}.
  void only_empty(const char* name);
  // For fields that cannot change the output.
  void without_effect(const char* name) { any(name); }

  void refuse(const std::string& name, const std::string& why, std::string code = {});
  // Takes over the rejection of another object; its `where` precedes the names.
  void take_refusal(const RequestFields& inner);
  // Rejects every field that was not read.
  void refuse_others();
  const std::optional<ApiError>& refusal() const { return refusal_; }
  std::string full_name(std::string_view name) const { return where_ + std::string(name); }

 private:
  const Json& object_;
  std::string where_;
  std::set<std::string, std::less<>> known_;
  std::optional<ApiError> refusal_;
};

}  // namespace redraft::http
