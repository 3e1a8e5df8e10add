#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "serving/batch_drafter.h"
#include "support/result.h"

namespace redraft {

// A server's options for its drafts.
struct DrafterChoices {
  int longest = 28;                                                   // tokens of a draft
  std::size_t most_tokens = std::numeric_limits<std::size_t>::max();  // of a sequence
  std::optional<std::string> tokenizer = {};  // a GGUF file, or a folder with tokenizer.json
  std::optional<std::string> cost = {};  // "1:1,8:1.1": the cost of a step by its rows, in plain
                                         // steps
  bool remembers = true;                 // see BatchDrafter::Options
};

// The error names the invalid option.
Result<std::unique_ptr<BatchDrafter>> make_drafter(const DrafterChoices& choices);

}  // namespace redraft
