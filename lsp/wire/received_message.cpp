#include "lsp/wire/received_message.h"

#include <utility>

namespace redraft::lsp {

ReceivedMessage read_message(std::string_view content) {
  if (has_too_many_values(content)) {
    OutlineReader outline;
    outline.append(content);
    return {content.size(), UnreadMessage{.bytes = content.size(),
                                          .outline = outline.outline(),
                                          .has_too_many_values = true}};
  }
  Result<Json> json = parse_json(content);
  if (!json) return {content.size(), json.error()};
  return {content.size(), std::move(*json)};
}

}  // namespace redraft::lsp
