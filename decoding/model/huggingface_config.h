#pragma once

#include "decoding/model/transformer_shape.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// The shape that a Hugging Face config.json describes, free of problems. The error names the file
// and the key. Settings that would change the result but are not implemented are refused, not
// ignored.
Result<TransformerShape> read_shape(const JsonValue& config);

}  // namespace redraft
