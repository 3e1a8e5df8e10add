#pragma once

#include <cstdint>

#include "support/result.h"

namespace redraft {

// The program of a TemplateHost: forks a renderer for each template and ends those that the host no
// longer wants. It has one thread, and confines itself at once: from then on it only forks, and
// ends its own children. It never reads what a template writes. Where system calls cannot be
// filtered it starts no renderer.
//
// First closes all descriptors above `socket`, which a program may inherit by mistake. Returns when
// the other end of `socket` (SOCK_SEQPACKET) is closed; then all renderers have ended.
Result<void> run_template_keeper(int socket);

// The host's side. The id of a new renderer, to which the keeper has given `descriptor`, a stream
// socket; otherwise a negative errno, -ENOSYS if system calls cannot be filtered.
std::int32_t ask_keeper_to_open(int keeper, int descriptor);
void ask_keeper_to_end(int keeper, std::int32_t id);

}  // namespace redraft
