#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "decoding/load_control.h"
#include "remote/completions_api.h"
#include "remote/exchange.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft {

struct RemoteOptions {
  std::string server;       // its name in reports: "https://host:port"
  std::string model;        // empty for the server's only model
  int patience_ms = 20000;  // total time between retries if the server is busy or fails temporarily
};

// Requests the server's list of models. An error if it does not answer or requires another key.
Result<std::vector<RemoteModelInfo>> list_remote_models(Exchange& exchange,
                                                        const std::stop_token& stop);

// An engine whose target runs on a server with OpenAI's HTTP interface. It sends prompts and
// receives text as it is written. Tokens are the server's own (see remote_vocabulary()), and the
// server decides whether its output equals plain decoding. There is no draft model, nothing is read
// ahead or kept, and the cost of passes is a guess that only limits how much is shown and written.
//
// Requests the server's models. An error if it does not answer or does not have the wanted one.
Result<std::unique_ptr<Engine>> make_remote_engine(const RemoteOptions& options,
                                                   std::shared_ptr<Exchange> exchange,
                                                   const LoadControl& control);

}  // namespace redraft
