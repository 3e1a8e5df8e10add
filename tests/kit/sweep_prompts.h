#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "text/prompt_encoder.h"

namespace redraft {

struct SweepPrompt {
  std::string name;
  DecodeRequest request;
};

// Short requests of several kinds from the texts in tests/cases: edits of small files, chat, and
// code and prose to continue. All of them have a datastore. It contains the same texts that will be
// written, so decoders that search it draft more, which changes no output.
std::vector<SweepPrompt> sweep_prompts(PromptEncoder& encoder, const std::filesystem::path& cases);

}  // namespace redraft
