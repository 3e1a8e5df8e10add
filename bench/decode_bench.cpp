// Speed of the bare forward pass: plain decoding after a short prompt, and rows per second by rows
// per pass.
//   decode_bench MODEL [THREADS] [TOKENS]
// Prints one JSON object. MODEL is a known name or a path.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/gguf.h"
#include "decoding/model/model_store.h"
#include "decoding/model/transformer.h"

namespace redraft {
namespace {

constexpr int kRepetitions = 3;
constexpr int kPromptTokens = 32;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// MiB of this process that no file backs.
double anonymous_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (double kib = 0; word == "RssAnon:" && status >> kib) return kib / 1024;
  }
  return 0;
}

// Any tokens will do: a pass takes the same time whatever they are.
std::vector<TokenId> some_tokens(int count) {
  std::vector<TokenId> out;
  for (int i = 0; i < count; ++i) out.push_back(100 + 37 * i % 5000);
  return out;
}

double decode_seconds(LanguageModel& model, int tokens) {
  const std::unique_ptr<KvCache> cache = model.new_cache(kPromptTokens + tokens + 1);
  const std::vector<TokenId> prompt = some_tokens(kPromptTokens);
  TokenId next = model.forward(prompt, {}, *cache, {.every_row = false}).argmax[0];
  const double start = seconds_now();
  for (int i = 0; i < tokens; ++i) next = model.forward({&next, 1}, {}, *cache, {}).argmax[0];
  return seconds_now() - start;
}

// The fastest of a few verification passes of so many rows.
double pass_seconds(LanguageModel& model, KvCache& cache, int rows) {
  const std::vector<TokenId> tokens = some_tokens(rows);
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  const int length = cache.length();
  double best = 1e9;
  for (int i = 0; i < kRepetitions; ++i) {
    const double start = seconds_now();
    model.forward({tokens.data(), 1}, draft, cache, {});
    best = std::min(best, seconds_now() - start);
    cache.truncate(length);
  }
  return best;
}

int run(const std::string& name, int threads, int tokens) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "decode_bench: error: %s\n", error.message().c_str());
    return 1;
  };
  const Result<std::filesystem::path> path = find_model(name);
  if (!path) return fail(path.error());
  const double start = seconds_now();
  auto files = open_model_files(*path);
  if (!files) return fail(files.error());
  ThreadPool pool(threads);
  const auto model = load_transformer(std::move(*files), kernels::best_isa(), pool);
  if (!model) return fail(model.error());
  const double load = seconds_now() - start;
  std::vector<double> speeds;
  for (int i = 0; i < kRepetitions; ++i) speeds.push_back(tokens / decode_seconds(**model, tokens));
  std::sort(speeds.begin(), speeds.end());
  std::printf(
      "{\"model\": \"%s\", \"isa\": \"%s\", \"threads\": %d, \"load_seconds\": %.2f, "
      "\"decode_tokens_per_second\": %.2f",
      (*model)->name().c_str(), kernels::to_string(kernels::best_isa()), threads, load,
      speeds[speeds.size() / 2]);
  std::printf(", \"rows_per_second\": {");
  const std::unique_ptr<KvCache> cache = (*model)->new_cache(256);
  (*model)->forward(some_tokens(kPromptTokens), {}, *cache, {.every_row = false});
  for (const int rows : {1, 2, 4, 8, 16, 32, 64, 128}) {
    std::printf("%s\"%d\": %.2f", rows == 1 ? "" : ", ", rows,
                rows / pass_seconds(**model, *cache, rows));
  }
  std::printf("}, \"anonymous_mib\": %.0f}\n", anonymous_mib());
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: decode_bench MODEL [THREADS] [TOKENS]\n");
    return 2;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : 2;
  const int tokens = argc > 3 ? std::atoi(argv[3]) : 64;
  if (threads < 1 || tokens < 1) {
    std::fprintf(stderr, "decode_bench: THREADS and TOKENS are at least 1\n");
    return 2;
  }
  return redraft::run(argv[1], threads, tokens);
}
