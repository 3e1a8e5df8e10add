#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "decoding/decoder.h"
#include "decoding/device.h"
#include "decoding/statistics.h"
#include "workspace/engine/prompt_size.h"

namespace redraft::cli {

// "412 tokens · 96 passes · 4.3 tokens/pass · 58.1 tokens/s"
std::string figures(const DecodeStatistics& statistics);

// The report of a decode, with the model and the decoder.
struct Report {
  std::string text;    // the whole new file of an edit, otherwise the generated text
  std::string output;  // the model's raw output
  FinishReason finish_reason = FinishReason::kStop;
  DecodeStatistics statistics;
  std::string decoder;
  std::string target;
  Device device = Device::cpu();
  std::optional<PromptSize> prompt_size = {};  // of an edit or a completion of the model
};
nlohmann::ordered_json to_json(const Report& report);

// On one line. Bytes that are not UTF-8 (a token may end inside a character) become U+FFFD.
std::string dump(const nlohmann::ordered_json& json);

}  // namespace redraft::cli
