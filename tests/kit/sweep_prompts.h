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

// Short requests of several kinds from our own texts in tests/cases: edits of small files, chat,
// and code and prose to be continued. All of them bring a datastore. It contains the very texts to
// be written, which makes decoders that search it draft more and changes no output.
std::vector<SweepPrompt> sweep_prompts(PromptEncoder& encoder, const std::filesystem::path& cases);

}  // namespace redraft
