#pragma once

namespace redraft::lsp {

inline constexpr char kServerVersion[] = "0.1.0";
// The version of docs/protocol.md. Incremented when a client written for the previous one would
// break.
inline constexpr int kProtocolVersion = 1;

}  // namespace redraft::lsp
