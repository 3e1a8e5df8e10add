#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/gguf.h"
#include "decoding/model/low_rank_delta.h"
#include "decoding/model/model_location.h"
#include "decoding/model/stored_tensor.h"
#include "decoding/model/transformer_shape.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

class DraftHeadFiles;

// What a model is made from, however it is stored: all that the transformer, the weights and the
// tokenizer see of a file. Immutable; any thread may read it. Tensors are looked up by role, which
// is GGUF's name for them: "token_embd.weight", "blk.3.attn_q.bias", "output.weight".
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;

  // What errors begin with: the path that was opened.
  virtual const std::string& path() const = 0;
  // The model's own name, or that of its file or folder.
  virtual std::string name() const = 0;
  virtual Result<TransformerShape> shape() const = 0;
  virtual Result<TokenizerSpec> tokenizer_spec() const = 0;
  // Null if there is no tensor with that role. Its bytes live as long as this object.
  virtual const StoredTensor* find_tensor(std::string_view role) const = 0;
  // What is added to the matrix with that role; null: nothing. Lives as long as this object.
  virtual const LowRankDelta* find_delta(std::string_view) const { return nullptr; }
  // The draft head that belongs to it; null: none. Lives as long as this object.
  virtual const DraftHeadFiles* draft_head() const { return nullptr; }
  // "FILE: tensor 'NAME': reason", with the file and the name on disk.
  virtual Error tensor_error(std::string_view role, std::string_view reason) const = 0;
  // Releases the mapped pages read so far; they are read again when touched.
  virtual void release_pages() const = 0;
};

// Opens a GGUF file, or a folder as Hugging Face's tools write it, with the adapter and the draft
// head if there are any. Errors name the file, the key or tensor, and the reason.
Result<std::unique_ptr<const ModelFiles>> open_model_files(const ModelLocation& location);

// The same for a file that is parsed already.
std::unique_ptr<const ModelFiles> gguf_model(GgufFile file);

}  // namespace redraft
