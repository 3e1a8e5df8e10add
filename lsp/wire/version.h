#pragma once

namespace redraft::lsp {

inline constexpr char kServerVersion[] = "0.1.0";
// Of docs/protocol.md: counts up when a client written for the one before would break.
inline constexpr int kProtocolVersion = 1;

}  // namespace redraft::lsp
