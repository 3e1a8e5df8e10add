#pragma once

#include <chrono>
#include <functional>

namespace redraft::lsp {

using Instant = std::chrono::steady_clock::time_point;
// The time, as far as what is suggested depends on it; tests have one of their own.
using Now = std::function<Instant()>;

}  // namespace redraft::lsp
