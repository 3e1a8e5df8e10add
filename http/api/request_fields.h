#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "http/api/api_error.h"

namespace redraft::http {

// The fields of a request's body, or of an object in it. A field that nothing here knows would
// change what the client expects: it is refused by name. So whoever reads a request asks for every
// field that there may be, and refuse_others() finds the rest. Null counts as absent. The first
// refusal stays; after it, getters return what absence would.
class RequestFields {
 public:
  // `where` is put before names in messages: "stream_options.". `object` outlives this; if it is
  // not an object, that is refused.
  explicit RequestFields(const Json& object, std::string where = {});

  // Null: absent. Any kind of value.
  const Json* any(const char* name);
  std::optional<std::string> text(const char* name);
  bool flag(const char* name, bool otherwise);
  std::optional<std::int64_t> integer(const char* name, std::int64_t least, std::int64_t most);
  std::optional<double> number(const char* name, double least, double most);
  // A text, or an array of at most `most` texts, none of them empty.
  std::vector<std::string> texts(const char* name, std::size_t most);

  // For fields of which only one value is supported: that which changes nothing.
  void only(const char* name, const Json& supported);
  // For fields that are supported if they are empty: [] or {}.
  void only_empty(const char* name);
  // For those that cannot change what is written.
  void without_effect(const char* name) { any(name); }

  void refuse(const std::string& name, const std::string& why, std::string code = {});
  // Another object's, with its own `where` in front of its names.
  void take_refusal(const RequestFields& inner);
  // Every field that was not asked for.
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
