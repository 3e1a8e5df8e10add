#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/common/text_range.h"
#include "decoding/decoder_name.h"
#include "support/result.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_request.h"

namespace redraft::cli {

// The arguments of `redraft edit` and `redraft apply` that say what to edit.
struct EditArguments {
  std::string instruction = {};
  std::string change = {};  // the text, of `apply`
  std::optional<TextRange> range = {};
  std::optional<EditScope> scope = {};
  DecoderName decoder;
  // The user named a model or a decoder, or compares with one: it must answer a rename, too.
  bool names_model = false;
  int max_new_tokens = 0;
  std::optional<PromptSize> prompt_size = {};  // nothing: the one for this machine
};

// The request that these arguments mean. An error if the range is outside the document.
Result<EditRequest> edit_request(const EditArguments& arguments,
                                 std::shared_ptr<const Document> document);

}  // namespace redraft::cli
