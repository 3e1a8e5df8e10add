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
  std::string server;       // how reports call it: "https://host:port"
  std::string model;        // empty: the server's only one
  int patience_ms = 20000;  // in all between tries, where the server is busy or fails for a moment
};

// Asks the server for its models; an error if it does not answer, or wants another key.
Result<std::vector<RemoteModelInfo>> list_remote_models(Exchange& exchange,
                                                        const std::stop_token& stop);

// An engine whose target writes elsewhere: a server that speaks OpenAI's HTTP interface. What is
// sent are prompts, what comes back is text as it is written; tokens are the server's own (see
// remote_vocabulary()), and so is whether its output is that of its own plain decoding. There is no
// draft model, nothing is read ahead or kept, and the cost of passes is a guess that only bounds
// how much is shown and written.
//
// Asks the server for its models; an error if it does not answer or has not the one that is wanted.
Result<std::unique_ptr<Engine>> make_remote_engine(const RemoteOptions& options,
                                                   std::shared_ptr<Exchange> exchange,
                                                   const LoadControl& control);

}  // namespace redraft
