#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "support/result.h"
#include "tuning/data/edit_pair.h"
#include "tuning/data/example_maker.h"
#include "tuning/data/similar_texts.h"

namespace redraft {

// A pair is left out if a quarter of the shingles of its file or of its answer are in the excluded
// texts, and if four fifths of its answer's are in answers that were kept (SimilarTexts).
inline constexpr double kExcludedShare = 0.25;
inline constexpr double kRepeatedShare = 0.8;

struct DataReport {
  int seen = 0;  // pairs, in this run and those that it goes on with
  int kept = 0;
  std::map<LeftOutReason, int> skipped;
  double seconds = 0;  // of this run, in make()
  int asked = 0;       // of this run: pairs that the target was asked about
  int kept_now = 0;    // of this run
  bool interrupted = false;
};

struct DataRun {
  std::filesystem::path out;
  // What decides the examples (target, limits, sources): a file is not gone on with under others.
  std::string settings;
  int limit = 0;  // examples; 0: none
  std::function<Result<MadeExample>(const EditPair&, const std::stop_token&)> make;
  std::function<void(const DataReport&)> on_progress = {};
};

// Writes the examples of the sources, one source after the other, to `out`, and what became of each
// pair to `out`.progress. If both are there already, goes on where they end: a run that was
// interrupted, in whatever way, and then finished writes the file of one that was not. An interrupt
// loses no more than the example at hand.
Result<DataReport> run_data(const DataRun& run, std::vector<std::unique_ptr<PairSource>>& sources,
                            const SimilarTexts& excluded, const std::stop_token& stop);

}  // namespace redraft
