#include "lsp/features/decoder_choice.h"

#include <optional>
#include <utility>

#include "decoding/decoder_name.h"
#include "decoding/draft_origin.h"
#include "lsp/features/feature_registry.h"

namespace redraft::lsp {

Result<void> check_decoder(const Workspace& workspace, const DecoderName& decoder) {
  Result<void> checked = workspace.check_decoder(decoder);
  if (checked) return checked;
  return Error(checked.error().message() +
               ": start the server with one (redraft.draft, or `redraft lsp --draft NAME`)");
}

void DecoderChoice::begin(const InitializeParams& /*params*/, FeatureRegistry& /*registry*/) {}

void DecoderChoice::follow_settings() {
  const std::string& wanted = configuration_.settings().decoder;
  std::optional<DecoderName> chosen;
  std::string problem;
  if (!wanted.empty()) {
    const Result<DecoderName> named = parse_decoder_name(wanted);
    Result<void> fit = named ? check_decoder(workspace_, *named) : named.error();
    if (fit && !named->lossless() && !configuration_.user_chose_decoder()) {
      fit = Error("'" + wanted +
                  "' is lossy, and this setting may come from a workspace file. Name it in the "
                  "initializationOptions or in a request");
    }
    if (fit) {
      chosen = *named;
    } else {
      problem = "redraft.decoder is ignored: " + fit.error().message() + ".";
    }
  }
  workspace_.set_decoder(chosen);
  if (problem == problem_) return;
  problem_ = std::move(problem);
  if (!problem_.empty()) connection_->show_message(MessageType::kWarning, "redraft: " + problem_);
}

void DecoderChoice::add_reasons(Reasons& reasons) const {
  if (!problem_.empty()) reasons.push_back(problem_);
  if (const std::optional<OwnDecoder>& own = workspace_.engine_status().own_decoder) {
    reasons.push_back(own->reason);
    return;
  }
  if (workspace_.decoder().lossless()) return;
  reasons.push_back("The output may differ from what the model alone would write: decoder '" +
                    workspace_.decoder().text + "' is lossy (redraft.decoder).");
}

void DecoderChoice::add_status(Json& status) const {
  const std::optional<OwnDecoder>& own = workspace_.engine_status().own_decoder;
  status["decoder"] = {
      {"name", own ? own->name : workspace_.decoder().text},
      {"lossless", !own && workspace_.decoder().lossless()},
      {"statistics", {{"tokens", new_tokens_}, {"fromDraftModel", from_draft_model_}}}};
  const CacheMemory caches = workspace_.cache_memory();
  status["caches"] = {{"bytes", caches.bytes}, {"limitBytes", caches.limit}};
}

void DecoderChoice::count(const DecodeStatistics& decode) {
  new_tokens_ += decode.new_tokens;
  from_draft_model_ += decode.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kModel)];
}

}  // namespace redraft::lsp
