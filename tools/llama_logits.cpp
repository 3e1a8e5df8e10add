// Prints the logits that llama.cpp computes for the tokens of a model, one token at a time, in
// single precision throughout if the file's weights are. Built by tools/compare_llama_logits.py
// against libllama; not part of redraft.
//   llama_logits MODEL TOKEN…    a line of logits for each token
#include <llama.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "llama_handles.h"

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "llama_logits: error: %s\n", message.c_str());
  return 1;
}

int run(const char* file, std::vector<llama_token> tokens) {
  llama_log_set(
      [](ggml_log_level level, const char* text, void*) {
        if (level == GGML_LOG_LEVEL_ERROR) std::fputs(text, stderr);
      },
      nullptr);
  llama_backend_init();
  llama_model_params model_options = llama_model_default_params();
  model_options.n_gpu_layers = 0;
  const Model model(llama_model_load_from_file(file, model_options));
  if (!model) return fail(std::string(file) + ": not loaded");
  llama_context_params options = llama_context_default_params();
  options.n_ctx = 256;
  options.n_threads = options.n_threads_batch = 1;
  options.type_k = options.type_v = GGML_TYPE_F32;
  options.flash_attn_type = LLAMA_FLASH_ATTN_TYPE_DISABLED;
  const Context context(llama_init_from_model(model.get(), options));
  if (!context) return fail(std::string(file) + ": no context");
  const int vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model.get()));
  for (llama_token& token : tokens) {
    if (llama_decode(context.get(), llama_batch_get_one(&token, 1)) != 0) return fail("no pass");
    const float* logits = llama_get_logits_ith(context.get(), -1);
    if (logits == nullptr) return fail("no logits");
    for (int i = 0; i < vocabulary; ++i) std::printf("%.9g ", static_cast<double>(logits[i]));
    std::printf("\n");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: llama_logits MODEL TOKEN...\n");
    return 2;
  }
  std::vector<llama_token> tokens;
  for (int i = 2; i < argc; ++i) tokens.push_back(std::atoi(argv[i]));
  return run(argv[1], std::move(tokens));
}
