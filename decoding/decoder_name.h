#pragma once

#include <string>
#include <string_view>

#include "decoding/decoder_option.h"
#include "support/result.h"

namespace redraft {

struct DecoderDefinition;

// A decoder by name, `name[:option[=value]]…`, as the command line, the server and the bench take
// it: parsed once, then passed by value. The decoders are listed in a table (decoder_definition.h),
// which `redraft decoders` prints; `redraft-lab` has more of them.
class DecoderName {
 public:
  // "redraft", the default.
  DecoderName();
  // The error names the unknown decoder or option and lists the valid ones.
  static Result<DecoderName> parse(std::string_view text);

  std::string text;  // as written, for reports

  const DecoderDefinition& definition() const { return *definition_; }
  const DecoderOptions& options() const { return options_; }
  // Whether the output is that of plain greedy decoding.
  bool lossless() const;
  bool needs_draft_model() const;
  // Whether it only works with models that have additional parts, such as a draft head.
  bool asks_more_of_target() const;
  // Whether it plans by the cost of a pass.
  bool needs_cost() const;

 private:
  DecoderName(std::string_view written, const DecoderDefinition& definition,
              DecoderOptions options);

  const DecoderDefinition* definition_;  // in the table, which lives as long as the program
  DecoderOptions options_;
};

// Whether `text` names a decoder that this program lacks and `redraft-lab` has.
bool is_lab_decoder(std::string_view text);

inline Result<DecoderName> parse_decoder_name(std::string_view text) {
  return DecoderName::parse(text);
}

}  // namespace redraft
