// Times single passes on request, for comparisons that take turns with another engine.
//   pass_timer MODEL THREADS LONGEST [KERNELS]
// MODEL is a known name or a path, LONGEST the most tokens of context and rows together,
// KERNELS an instruction set instead of the best. Reads one request per line from standard input,
// and answers each with a line:
//   pass ROWS CONTEXT all|last   seconds of one pass; predictions after all rows, or the last alone
//   probe                        int8 GMAC/s, GB/s (the best so far), and 1 if the machine is quiet
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/machine_peak.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"

namespace redraft {
namespace {

class PassTimer {
 public:
  PassTimer(LanguageModel& model, int longest) : model_(model), longest_(longest) {}

  // Negative: more than `longest` tokens, or no rows.
  double seconds(int rows, int context, bool every_row) {
    if (rows < 1 || context < 0 || rows + context > longest_) return -1;
    std::unique_ptr<KvCache>& cache = caches_[context];
    if (!cache) {
      cache = model_.filled_cache(longest_, context);
      cache->remember();  // every pass is cut off again
    }
    std::vector<TokenId> tokens(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) tokens[i] = (100 + 37 * i) % model_.vocabulary_size();
    const DraftTree draft =
        every_row ? DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther)
                  : DraftTree();
    const auto start = std::chrono::steady_clock::now();
    model_.forward(std::span(tokens).first(every_row ? 1 : tokens.size()), draft, *cache,
                   {.every_row = every_row});
    const auto end = std::chrono::steady_clock::now();
    cache->truncate(context);
    return std::chrono::duration<double>(end - start).count();
  }

 private:
  LanguageModel& model_;
  int longest_;
  std::map<int, std::unique_ptr<KvCache>> caches_;  // by context
};

// False if the request is not valid.
bool answer(const std::string& request, PassTimer& timer, kernels::PeakProbe& probe) {
  std::istringstream words(request);
  std::string kind, head;
  int rows = 0, context = 0;
  words >> kind;
  if (kind == "probe") {
    const bool quiet = probe.is_quiet();
    std::printf("%.3f %.3f %d\n", probe.peak().int8_gmacs[0], probe.peak().bandwidth_gbps, quiet);
  } else if (kind == "pass" && words >> rows >> context >> head) {
    std::printf("%.9f\n", timer.seconds(rows, context, head == "all"));
  } else {
    return false;
  }
  std::fflush(stdout);
  return true;
}

int fail(const std::string& message) {
  std::fprintf(stderr, "pass_timer: error: %s\n", message.c_str());
  return 1;
}

int run(const std::string& name, int threads, int longest) {
  const Result<std::filesystem::path> path = find_model(name);
  if (!path) return fail(path.error().message());
  ThreadPool pool(threads);
  const Result<LoadedModel> loaded = load_model(*path, pool);
  if (!loaded) return fail(loaded.error().message());
  if (longest > loaded->model->context_length())
    return fail("LONGEST exceeds the model's context of " +
                std::to_string(loaded->model->context_length()));
  kernels::PeakProbe probe(kernels::best_isa(), pool);
  PassTimer timer(*loaded->model, longest);
  std::printf("ready %s\n", kernels::to_string(kernels::best_isa()));
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    if (!answer(line, timer, probe)) return fail("not a request: " + line);
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  const bool counts = argc == 4 || argc == 5;
  const int threads = counts ? std::atoi(argv[2]) : 0;
  const int longest = counts ? std::atoi(argv[3]) : 0;
  if (threads < 1 || longest < 1) {
    std::fprintf(stderr, "usage: pass_timer MODEL THREADS LONGEST [KERNELS]\n");
    return 2;
  }
  if (argc == 5) {
    const auto isa = redraft::kernels::available_isa(argv[4]);
    if (!isa) return redraft::fail("this machine has no such kernels: " + std::string(argv[4]));
    redraft::kernels::set_best_isa(*isa);
  }
  return redraft::run(argv[1], threads, longest);
}
