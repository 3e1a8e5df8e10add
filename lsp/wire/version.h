#pragma once

namespace redraft::lsp {

inline constexpr char kServerVersion[] = "0.1.0";
// Of docs/protocol.md; incremented when a client written for the previous one would break.
inline constexpr int kProtocolVersion = 1;

}  // namespace redraft::lsp
