#pragma once

#include "decoding/statistics.h"
#include "lsp/wire/json.h"

namespace redraft::lsp {

// As docs/protocol.md lists them.
Json statistics_json(const DecodeStatistics& statistics);

}  // namespace redraft::lsp
