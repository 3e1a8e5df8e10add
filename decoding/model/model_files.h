#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/gguf.h"
#include "decoding/model/stored_tensor.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"

namespace redraft {

// What a model is made from, whichever way it is stored: the only thing that the transformer, the
// weights and the tokenizer see of a file. Immutable; any thread may read it. Tensors are asked for
// by role, in the words of GGUF: "token_embd.weight", "blk.3.attn_q.bias", "output.weight".
class ModelFiles {
 public:
  virtual ~ModelFiles() = default;

  // What errors begin with: the path given.
  virtual const std::string& path() const = 0;
  // What the model calls itself, or its file or folder.
  virtual std::string name() const = 0;
  virtual Result<TransformerShape> shape() const = 0;
  virtual Result<TokenizerSpec> tokenizer_spec() const = 0;
  // Null if there is none for that role. Its bytes live as long as this.
  virtual const StoredTensor* find_tensor(std::string_view role) const = 0;
  // "FILE: tensor 'NAME': reason", with the file and the name that are on disk.
  virtual Error tensor_error(std::string_view role, std::string_view reason) const = 0;
  // Forgets the mapped pages read so far; they come back when touched.
  virtual void release_pages() const = 0;
};

// A GGUF file, or a folder as Hugging Face's tools write it. Errors name the file, the key or
// tensor, and the reason.
Result<std::unique_ptr<const ModelFiles>> open_model_files(const std::filesystem::path& path);

// The same over a file that is parsed already.
std::unique_ptr<const ModelFiles> gguf_model(GgufFile file);

}  // namespace redraft
