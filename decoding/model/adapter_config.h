#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// What redraft uses of a PEFT adapter_config.json.
struct AdapterConfig {
  int rank = 0;
  double scale = 0;  // of B·A: alpha / r, or alpha / sqrt(r) with use_rslora
  // Names or endings of names of modules; none if the file has a pattern, which chose modules when
  // the adapter was made and says nothing that its tensors do not.
  std::optional<std::vector<std::string>> targets;

  // Whether one of `targets` names the module ("model.layers.3.self_attn.q_proj").
  static bool names(std::string_view target, std::string_view module);
};

// Refuses by name what redraft does not merge, and every option that it does not know unless it is
// off (null, false, 0 or empty).
Result<AdapterConfig> read_adapter_config(const JsonValue& root);

}  // namespace redraft
