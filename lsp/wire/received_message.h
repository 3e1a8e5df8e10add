#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "lsp/wire/framing.h"
#include "lsp/wire/json.h"
#include "support/result.h"

namespace redraft::lsp {

// A client's message as it was parsed: JSON, or what is wrong with it. One of more than kValueLimit
// values counts as a message that was too long to be read.
struct ReceivedMessage {
  std::size_t bytes = 0;
  std::variant<Json, Error, UnreadMessage> content;
};

// Any thread. Takes long if the message is long: see Connection::aside.
ReceivedMessage read_message(std::string_view content);

}  // namespace redraft::lsp
