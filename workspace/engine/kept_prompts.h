#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/kv_archive.h"
#include "decoding/language_model.h"
#include "decoding/prefix_pool.h"
#include "support/token.h"

namespace redraft {

// What was read, across restarts: copies between the pool of caches in memory and the archive on
// disk, where that is faster than reading again. On the decode thread.
class KeptPrompts {
 public:
  // All of them outlive this object. The model's caches must offer their rows: see offers_rows().
  KeptPrompts(KvArchive archive, PrefixPool& pool, const LanguageModel& model)
      : archive_(std::move(archive)), pool_(pool), model_(model) {}

  // Whether the rows of the model's caches, and any state beside them, can leave its device.
  static bool offers_rows(const LanguageModel& model);

  // Puts a cache with the beginning of `tokens` into the pool if the archive has more of it than
  // the pool, and that saves more time than it takes. Stops between two blocks of a file.
  void restore(std::span<const TokenId> tokens, const CostCurve& cost, const std::stop_token& stop);

  // A prompt that was read. The last few are remembered, until they are taken to be saved.
  void add_read(std::vector<TokenId> prompt);
  std::vector<std::vector<TokenId>> take_read() { return std::exchange(read_, {}); }

  // Saves as much of `tokens` as the pool has, if reading it takes long enough and the archive has
  // it not. `go_on` is asked before each block of a few milliseconds; it may run other jobs.
  Result<void> save(std::span<const TokenId> tokens, const std::string& source,
                    const CostCurve& cost, const std::function<bool()>& go_on);

 private:
  KvArchive archive_;
  PrefixPool& pool_;
  const LanguageModel& model_;
  std::vector<std::vector<TokenId>> read_;
};

}  // namespace redraft
