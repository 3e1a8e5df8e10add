#include "mcp/tool.h"

#include <algorithm>

#include "lsp/wire/json.h"

namespace redraft::mcp {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(", ", begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 2;
  }
  return false;
}

Error wrong(const char* name, std::string_view expected) {
  return Error("the argument `" + std::string(name) + "` must be " + std::string(expected));
}

}  // namespace

ToolAnswer failed(std::string_view why) {
  return {.text = std::string(why), .structured = {{"error", why}}, .is_error = true};
}

Json described(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.description},
          {"inputSchema", tool.input_schema},
          {"outputSchema", tool.output_schema},
          {"annotations",
           {{"title", tool.title},
            {"readOnlyHint", false},
            {"destructiveHint", true},
            {"idempotentHint", false},
            {"openWorldHint", false}}}};
}

Json argument_schema(const char* type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

Result<Arguments> Arguments::of(const Json& object, std::string_view known) {
  if (!object.is_object()) return Error("the arguments must be an object");
  for (const auto& [name, value] : object.items()) {
    if (!has_word(known, name))
      return Error("unknown argument `" + name + "`; the arguments are: " + std::string(known));
  }
  return Arguments(object);
}

Result<std::string> Arguments::text(const char* name) const {
  const Json& value = member(*object_, name);
  if (value.is_null()) return Error("the argument `" + std::string(name) + "` is missing");
  if (!value.is_string()) return wrong(name, "a text");
  return value.get<std::string>();
}

Result<std::string> Arguments::optional_text(const char* name) const {
  return member(*object_, name).is_null() ? Result<std::string>(std::string()) : text(name);
}

Result<bool> Arguments::flag(const char* name) const {
  const Json& value = member(*object_, name);
  if (value.is_null()) return false;
  if (!value.is_boolean()) return wrong(name, "true or false");
  return value.get<bool>();
}

Result<std::optional<int>> Arguments::number(const char* name) const {
  const Json& value = member(*object_, name);
  if (value.is_null()) return std::optional<int>();
  if (!value.is_number_integer() || value < 1 || value > (1 << 30))
    return wrong(name, "a whole number from 1");
  return std::optional(value.get<int>());
}

}  // namespace redraft::mcp
