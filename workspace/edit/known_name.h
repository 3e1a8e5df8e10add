#pragma once

#include <stop_token>
#include <string_view>
#include <vector>

#include "workspace/engine/engine.h"

namespace redraft {

// One of the names in `known`, a piece of code, in tokens that may follow `context`: at each place
// the likeliest token that goes on with one of them, as in constrained decoding. `before` is what
// stands before the name in its first token; `unknown` is not meant. Empty: none is likely, or it
// was stopped. A pass a token; on the decode thread.
std::vector<TokenId> write_known_name(Engine& engine, std::vector<TokenId> context,
                                      std::string_view before, std::string_view known,
                                      std::string_view unknown, const std::stop_token& stop);

}  // namespace redraft
