// Where the time of a forward pass goes: milliseconds of each part, by rows and context length.
//   pass_bench MODEL [THREADS] [ROWS,…] [CONTEXTS,…] [REPETITIONS]
// Prints a table: for each number of rows and each context, the median of the passes, then the
// parts of their mean. MODEL is a known name or a path.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kernels/thread_pool.h"
#include "decoding/model/gguf.h"
#include "decoding/model/model_store.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "decoding/pass_profile.h"

namespace redraft {
namespace {

std::vector<int> numbers(const std::string& list) {
  std::vector<int> out;
  std::istringstream in(list);
  for (std::string item; std::getline(in, item, ',');) out.push_back(std::atoi(item.c_str()));
  return out;
}

// Any tokens will do: the time of a pass does not depend on them, except that different tokens use
// different experts of a mixture.
std::vector<TokenId> some_tokens(int count) {
  std::vector<TokenId> out;
  for (int i = 0; i < count; ++i) out.push_back(100 + 37 * i % 5000);
  return out;
}

void measure(LanguageModel& model, KvCache& cache, int rows, int repetitions) {
  const std::vector<TokenId> tokens = some_tokens(rows);
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  const int length = cache.length();
  PassProfile profile;
  std::vector<double> seconds;
  for (int i = 0; i < repetitions; ++i) {
    const double before = profile.total();
    model.measuring()->set_profile(&profile);
    model.forward({tokens.data(), 1}, draft, cache, {});
    model.measuring()->set_profile(nullptr);
    seconds.push_back(profile.total() - before);
    cache.truncate(length);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("%5d %5d %8.2f |", rows, length, 1e3 * seconds[seconds.size() / 2]);
  for (int part = 0; part < kPassParts; ++part) {
    std::printf(" %9.3f", 1e3 * profile.seconds(static_cast<PassPart>(part)) / repetitions);
  }
  std::printf("\n");
  std::fflush(stdout);
}

int run(const std::string& name, int threads, const std::vector<int>& rows,
        const std::vector<int>& contexts, int repetitions) {
  const auto fail = [](const Error& error) {
    std::fprintf(stderr, "pass_bench: error: %s\n", error.message().c_str());
    return 1;
  };
  const Result<std::filesystem::path> path = find_model(name);
  if (!path) return fail(path.error());
  Result<GgufFile> file = GgufFile::open(*path);
  if (!file) return fail(file.error());
  ThreadPool pool(threads);
  const auto model = load_transformer(gguf_model(std::move(*file)), kernels::best_isa(), pool);
  if (!model) return fail(model.error());
  std::printf(" rows  ctx       ms |");
  for (int part = 0; part < kPassParts; ++part) {
    std::printf(" %9s", to_string(static_cast<PassPart>(part)));
  }
  std::printf("\n");
  for (const int context : contexts) {
    const int most = *std::max_element(rows.begin(), rows.end());
    const auto cache = (*model)->filled_cache(context + most + 1, context);
    (*model)->forward(some_tokens(1), {}, *cache, {});  // warms up
    cache->truncate(context);
    for (const int count : rows) measure(**model, *cache, count, repetitions);
  }
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc < 2 || argc > 6) {
    std::fprintf(stderr,
                 "usage: pass_bench MODEL [THREADS] [ROWS,...] [CONTEXTS,...] [REPETITIONS]\n");
    return 2;
  }
  const auto or_else = [&](int i, const char* otherwise) {
    return std::string(i < argc ? argv[i] : otherwise);
  };
  const int threads = std::atoi(or_else(2, "2").c_str());
  const std::vector<int> rows = redraft::numbers(or_else(3, "1,4,16,64"));
  const std::vector<int> contexts = redraft::numbers(or_else(4, "0,1024,4096"));
  const int repetitions = std::atoi(or_else(5, "5").c_str());
  const bool sane = std::all_of(rows.begin(), rows.end(), [](int n) { return n >= 1; }) &&
                    std::all_of(contexts.begin(), contexts.end(), [](int n) { return n >= 0; });
  if (threads < 1 || repetitions < 1 || rows.empty() || contexts.empty() || !sane) {
    std::fprintf(stderr, "pass_bench: THREADS, ROWS and REPETITIONS are at least 1\n");
    return 2;
  }
  return redraft::run(argv[1], threads, rows, contexts, repetitions);
}
