#pragma once

#include <string>
#include <string_view>

#include "decoding/acceptance.h"
#include "support/result.h"

namespace redraft {

// A decoder by name, `name[:option[=value]]…`, as the command line, the server and the bench take
// it:
//   ar                        plain greedy decoding
//   efficientedit             the paper's two phases, strict; options: reuse-only, gamma=7, key=7,
//   entropy, top-k,
//                             direct, k=3, floor, keep-correction
//   redraft                   the default
struct DecoderName {
  enum class Kind { kPlain, kEfficientEdit, kRedraft };
  Kind kind = Kind::kRedraft;
  std::string text = "redraft";      // as it was written, for reports
  AcceptancePolicy generate_policy;  // in the generate phase; reuse is always strict
  int gamma = 7;                     // tokens the draft model proposes
  int key = 7;                   // generated tokens that must match the original to return to reuse
  bool reuse_only = false;       // no draft model in the generate phase
  bool keep_correction = false;  // efficientedit: keep the target's own token at a mismatch

  bool needs_draft_model() const;
};

// The error names the unknown decoder or option and lists the valid ones.
Result<DecoderName> parse_decoder_name(std::string_view text);

}  // namespace redraft
