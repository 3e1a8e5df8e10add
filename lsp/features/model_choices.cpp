#include "lsp/features/model_choices.h"

#include <optional>

#include "lsp/features/feature_registry.h"
#include "lsp/wire/json.h"

namespace redraft::lsp {

void ModelChoices::begin(const InitializeParams& /*params*/, FeatureRegistry& /*registry*/) {
  follow_settings();
}

void ModelChoices::follow_settings() {
  const bool is_known = !configuration_.waits();
  workspace_.load_early(is_known && configuration_.settings().load_early);
  workspace_.unload_after(std::chrono::minutes(configuration_.settings().unload_after));
  workspace_.keep_on_disk(is_known && configuration_.settings().cache_on_disk);
  workspace_.set_prompt_size(parse_prompt_size(configuration_.settings().prompt_size));
}

void ModelChoices::add_status(Json& status) const {
  const std::optional<PromptSize> size = workspace_.prompt_size();
  status["promptSize"] = size ? Json(to_string(*size)) : Json();
}

}  // namespace redraft::lsp
