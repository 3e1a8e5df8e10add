#pragma once

#include "decoding/model/transformer_shape.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// The shape that a Hugging Face config.json describes, without a problem. The error names the file
// and the key. What would change the result but is not computed here is refused, not ignored.
Result<TransformerShape> read_shape(const JsonValue& config);

}  // namespace redraft
