// Measures how fast a read prompt is restored from the archive on disk, with a warm page cache.
//   kv_bench MODEL [TOKENS] [REPETITIONS]
// Prints the milliseconds to save, and for each restoration the time to find the entry, to make a
// cache and to load the rows, as an engine does it. MODEL is a known name or a path. The folder is
// a temporary one ($TMPDIR).
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "decoding/kernels/thread_pool.h"
#include "decoding/kv_archive.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

bool restore(const fs::path& folder, const LanguageModel& model,
             const std::vector<TokenId>& tokens) {
  const auto start = std::chrono::steady_clock::now();
  Result<KvArchive> archive = KvArchive::open(folder, {"model", "build"});
  if (!archive) return false;
  const KvArchive::Match match = archive->find(tokens);
  const double found = seconds_since(start);
  const std::unique_ptr<KvCache> cache = model.new_cache(model.context_length());
  const bool loaded = match.length == static_cast<int>(tokens.size()) &&
                      archive->load(match, tokens, *cache->storage());
  std::printf("found in %.2f ms, restored in %.1f ms\n", 1e3 * found, 1e3 * seconds_since(start));
  return loaded;
}

int run(const std::string& name, int length, int repetitions) {
  const Result<fs::path> file = find_model(name);
  ThreadPool pool(1);
  const Result<LoadedModel> model =
      file ? load_model(*file, pool) : Result<LoadedModel>(file.error());
  if (!model) {
    std::fprintf(stderr, "kv_bench: %s\n", model.error().message().c_str());
    return 1;
  }
  // Its rows have the size of real ones; what they contain costs nothing.
  const std::unique_ptr<KvCache> cache = model->model->filled_cache(length, length);
  const std::vector<TokenId> tokens(cache->tokens().begin(), cache->tokens().end());
  std::string folder = (fs::temp_directory_path() / "redraft-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  Result<KvArchive> archive = KvArchive::open(folder, {"model", "build"});
  const auto start = std::chrono::steady_clock::now();
  bool right = archive && archive->save(tokens, "", 0, [&] { return cache->storage(); });
  std::printf("%d tokens, %.1f MB, saved in %.0f ms\n", length,
              static_cast<double>(cache->storage()->bytes_per_slot()) * length / 1e6,
              1e3 * seconds_since(start));
  for (int i = 0; i < repetitions && right; ++i) right = restore(folder, *model->model, tokens);
  fs::remove_all(folder);
  if (!right) std::fprintf(stderr, "kv_bench: the folder cannot be used\n");
  return right ? 0 : 1;
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: kv_bench MODEL [TOKENS] [REPETITIONS]\n");
    return 2;
  }
  const int length = argc > 2 ? std::atoi(argv[2]) : 1300;
  const int repetitions = argc > 3 ? std::atoi(argv[3]) : 11;
  return redraft::run(argv[1], std::max(length, 1), std::max(repetitions, 1));
}
