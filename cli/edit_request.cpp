#include "cli/edit_request.h"

#include <utility>

namespace redraft::cli {

Result<EditRequest> edit_request(const EditArguments& arguments,
                                 std::shared_ptr<const Document> document) {
  EditRequest request;
  request.document = std::move(document);
  request.instruction = arguments.instruction;
  request.change = arguments.change;
  if (arguments.range) {
    const Result<ByteRange> bytes = to_bytes(*arguments.range, *request.document);
    if (!bytes) return bytes.error();
    request.range = *bytes;
  }
  request.scope = arguments.scope.value_or(default_scope(request.range));
  request.decoder = arguments.decoder;
  request.model_renames = arguments.names_model;
  request.max_new_tokens = arguments.max_new_tokens;
  request.prompt_size = arguments.prompt_size;
  return request;
}

}  // namespace redraft::cli
