#pragma once

#include <memory>

#include "cli/common/one_vocabulary.h"
#include "cli/shared_server.h"
#include "support/confine/confinement.h"
#include "workspace/engine/engine_host.h"

namespace redraft::cli {

// The models of a server. A GPU that failed is not tried again.
EngineHost::Factory engine_factory(const ServerChoices& choices,
                                   const std::shared_ptr<OneVocabulary>& vocabulary);

// What a server with these models still needs once it is confined. A GPU's driver keeps what it
// compiles below the user's home.
ConfinementOptions confinement_of(const CommonOptions& common);

}  // namespace redraft::cli
