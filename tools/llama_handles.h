#pragma once

// Owners of llama.cpp's objects, for the programs that tools/llama_cpp.py builds against libllama;
// not part of redraft.
#include <llama.h>

#include <memory>

struct Delete {
  void operator()(llama_model* model) const { llama_model_free(model); }
  void operator()(llama_context* context) const { llama_free(context); }
};
using Model = std::unique_ptr<llama_model, Delete>;
using Context = std::unique_ptr<llama_context, Delete>;
