// The speed of searches in an index, and of updating one changed file in it.
//   index_bench MODEL FOLDER [FILE]
// MODEL is a known name or a path, for its tokenizer; FOLDER was indexed by `redraft index FOLDER`;
// FILE (in the folder) is treated as changed.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "bench/programs/stopwatch.h"
#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"
#include "indexing/workspace_index.h"

namespace redraft {
namespace {

constexpr int kQueries = 4000;
constexpr int kChanges = 40;

// Memory that belongs to this process alone, in megabytes.
double own_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) / 1e3;
  }
  return 0;
}

// Ends of contexts as they occur in decoding: some tokens of a text, often followed by one that is
// new there.
std::vector<std::vector<TokenId>> contexts_from(const IndexSnapshot& snapshot) {
  std::mt19937 random(1);
  std::vector<std::vector<TokenId>> contexts;
  while (contexts.size() < kQueries) {
    const auto& part = snapshot.parts()[random() % snapshot.parts().size()];
    const auto text = part.segment->text(random() % part.segment->text_count());
    if (text.size() < 32) continue;
    const auto at = text.subspan(random() % (text.size() - 16), 16);
    std::vector<TokenId> context(at.begin(), at.end());
    if (random() % 2) context[random() % 16] = static_cast<TokenId>(random() % 50000);
    contexts.push_back(std::move(context));
  }
  return contexts;
}

void measure_queries(const IndexSnapshot& snapshot, int most) {
  const auto contexts = contexts_from(snapshot);
  std::size_t found = 0;
  std::vector<double> times;
  for (const bool warm : {false, true}) {
    times.clear();
    found = 0;
    for (const auto& context : contexts) {
      times.push_back(
          seconds([&] { found += snapshot.continuations(context, {.most = most}).tokens.size(); }));
    }
    std::printf("at most %4d continuations, %s: median %.1f us, 99 %% %.1f us (%.1f found)\n", most,
                warm ? "warm" : "cold", quantile(times, 0.5) * 1e6, quantile(times, 0.99) * 1e6,
                static_cast<double>(found) / kQueries);
  }
}

void measure_change(WorkspaceIndex& index, const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::vector<double> times;
  for (int i = 0; i < kChanges; ++i) {
    text.insert(text.size() / 2, "x");
    times.push_back(seconds([&] { index.set_buffer(file, text); }));
  }
  std::printf("%s, %zu bytes, changed: searchable after %.1f ms, 99 %% %.1f ms\n", file.c_str(),
              text.size(), quantile(times, 0.5) * 1e3, quantile(times, 0.99) * 1e3);
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: index_bench MODEL FOLDER [FILE]\n");
    return 2;
  }
  const Result<std::filesystem::path> model = find_model(argv[1]);
  if (!model) return std::fprintf(stderr, "%s\n", model.error().message().c_str()), 1;
  const auto tokenizer = load_tokenizer(*model);
  if (!tokenizer) return std::fprintf(stderr, "%s\n", tokenizer.error().message().c_str()), 1;
  const double before = own_memory();
  std::string message;
  std::unique_ptr<WorkspaceIndex> index;
  const std::vector<std::filesystem::path> roots = {argv[2]};
  const double opening = seconds([&] { index = open_index(roots, *tokenizer, {}, message); });
  const TextStore::Statistics statistics = index->store().statistics();
  std::printf("%zu texts, %zu tokens in %zu segments, opened in %.1f ms %s\n", statistics.texts,
              statistics.tokens, statistics.segments, opening * 1e3, message.c_str());
  if (statistics.tokens == 0) return 1;
  const auto snapshot = index->snapshot();
  for (const int most : {64, 5000}) measure_queries(*snapshot, most);
  std::printf("memory of its own: %.1f MB\n", own_memory() - before);
  if (argc > 3) measure_change(*index, argv[3]);
  return 0;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) { return redraft::run(argc, argv); }
