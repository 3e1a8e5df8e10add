#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "lsp/wire/framing.h"
#include "lsp/wire/json.h"
#include "support/result.h"

namespace redraft::lsp {

// A client's parsed message: JSON, or an error. A message of more than kValueLimit values counts as
// too long to read.
struct ReceivedMessage {
  std::size_t bytes = 0;
  std::variant<Json, Error, UnreadMessage> content;
};

// Any thread. Takes long for a long message: see Connection::aside.
ReceivedMessage read_message(std::string_view content);

}  // namespace redraft::lsp
