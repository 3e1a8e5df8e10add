#pragma once

#include "decoding/statistics.h"
#include "lsp/wire/json.h"

namespace redraft::lsp {

// The members that docs/protocol.md lists.
Json statistics_json(const DecodeStatistics& statistics);

}  // namespace redraft::lsp
