#pragma once

#include <chrono>
#include <functional>

namespace redraft::lsp {

using Instant = std::chrono::steady_clock::time_point;
// The clock on which suggestions depend. Tests pass their own.
using Now = std::function<Instant()>;

}  // namespace redraft::lsp
