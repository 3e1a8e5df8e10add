// Times single passes of llama.cpp on request: the counterpart of bench/programs/pass_timer.cpp,
// with the same requests and answers. Built by tools/compare_llama_cpp.py against libllama; not
// part of redraft.
//   llama_pass_timer MODEL THREADS LONGEST
//   pass ROWS CONTEXT all|last   seconds of one pass; logits of all rows, or of the last alone
// A pass ends with the logits in memory; the choice of a token is not timed.
#include <llama.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

#include "llama_handles.h"

namespace {

int fail(const std::string& message) {
  std::fprintf(stderr, "llama_pass_timer: error: %s\n", message.c_str());
  return 1;
}

class PassTimer {
 public:
  PassTimer(llama_context* context, int longest)
      : context_(context), longest_(longest), batch_(llama_batch_init(longest, 0, 1)) {}
  ~PassTimer() { llama_batch_free(batch_); }
  PassTimer(const PassTimer&) = delete;
  PassTimer& operator=(const PassTimer&) = delete;

  // Negative if llama.cpp refuses. The first pass on a context that is longer than the last one's
  // needs a prefill, which is not timed.
  double seconds(int rows, int context, bool every_row) {
    if (rows < 1 || context < 0 || rows + context > longest_ || !fill(context)) return -1;
    set_batch(rows, context, every_row);
    const auto start = std::chrono::steady_clock::now();
    if (llama_decode(context_, batch_) != 0) return -1;
    llama_synchronize(context_);
    const bool there = llama_get_logits_ith(context_, rows - 1) != nullptr;
    const auto end = std::chrono::steady_clock::now();
    truncate(context);
    return there ? std::chrono::duration<double>(end - start).count() : -1;
  }

 private:
  void set_batch(int rows, int from, bool every_row) {
    batch_.n_tokens = rows;
    for (int i = 0; i < rows; ++i) {
      batch_.token[i] = 100 + 37 * i % 5000;
      batch_.pos[i] = from + i;
      batch_.n_seq_id[i] = 1;
      batch_.seq_id[i][0] = 0;
      batch_.logits[i] = every_row || i == rows - 1;
    }
  }
  // A model with a recurrent state cannot go back a part of the way: it begins again.
  void truncate(int length) {
    if (llama_memory_seq_rm(llama_get_memory(context_), 0, length, -1)) {
      filled_ = length;
    } else {
      llama_memory_clear(llama_get_memory(context_), false);
      filled_ = 0;
    }
  }
  bool fill(int length) {
    if (length < filled_) truncate(length);
    if (length == filled_) return true;
    set_batch(length - filled_, filled_, false);
    if (llama_decode(context_, batch_) != 0) return false;
    llama_synchronize(context_);
    filled_ = length;
    return true;
  }

  llama_context* context_;
  int longest_;
  int filled_ = 0;
  llama_batch batch_;
};

void serve(PassTimer& timer) {
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string kind, head;
    int rows = 0, context = 0;
    if (!(words >> kind >> rows >> context >> head) || kind != "pass") continue;
    std::printf("%.9f\n", timer.seconds(rows, context, head == "all"));
    std::fflush(stdout);
  }
}

int run(const char* file, int threads, int longest) {
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  llama_model_params model_options = llama_model_default_params();
  model_options.n_gpu_layers = 0;
  const Model model(llama_model_load_from_file(file, model_options));
  if (!model) return fail(std::string(file) + ": not loaded");
  llama_context_params options = llama_context_default_params();
  options.n_ctx = static_cast<std::uint32_t>(longest);
  options.n_batch = options.n_ctx;
  options.n_threads = threads;
  options.n_threads_batch = threads;
  const Context context(llama_init_from_model(model.get(), options));
  if (!context) return fail(std::string(file) + ": no context");
  {
    PassTimer timer(context.get(), longest);
    std::printf("ready\n");
    std::fflush(stdout);
    serve(timer);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 4 ? std::atoi(argv[2]) : 0;
  const int longest = argc == 4 ? std::atoi(argv[3]) : 0;
  if (threads < 1 || longest < 1) {
    std::fprintf(stderr, "usage: llama_pass_timer MODEL THREADS LONGEST\n");
    return 2;
  }
  return run(argv[1], threads, longest);
}
