#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/text/prompt_encoder.h"

namespace redraft {

struct SweepPrompt {
  std::string name;
  DecodeRequest request;
};

// Short requests of several kinds from texts of our own, tests/cases: edits of small files, chat,
// and code and prose to be continued. All bring a datastore; that the texts to be written are in it
// makes decoders that look things up draft more, and changes no output.
std::vector<SweepPrompt> sweep_prompts(PromptEncoder& encoder, const std::filesystem::path& cases);

}  // namespace redraft
