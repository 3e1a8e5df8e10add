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
// texts, or if four fifths of its answer's are in answers that were kept (SimilarTexts).
inline constexpr double kExcludedShare = 0.25;
inline constexpr double kRepeatedShare = 0.8;

struct DataReport {
  int seen = 0;  // pairs, in this run and the runs that it continues
  int kept = 0;
  std::map<LeftOutReason, int> skipped;
  double seconds = 0;  // of this run, in make()
  int asked = 0;       // pairs of this run that the target was asked about
  int kept_now = 0;    // examples of this run
  bool interrupted = false;
};

struct DataRun {
  std::filesystem::path out;
  // The settings that determine the examples (target, limits, sources). A file is not continued
  // with other settings.
  std::string settings;
  int limit = 0;  // examples; 0: none
  std::function<Result<MadeExample>(const EditPair&, const std::stop_token&)> make;
  std::function<void(const DataReport&)> on_progress = {};
};

// Writes the examples of the sources, one source after the other, to `out`, and the result for each
// pair to `out`.progress. If both exist, continues where they end: an interrupted and then finished
// run writes the same file as an uninterrupted one. An interruption loses at most the current
// example.
Result<DataReport> run_data(const DataRun& run, std::vector<std::unique_ptr<PairSource>>& sources,
                            const SimilarTexts& excluded, const std::stop_token& stop);

}  // namespace redraft
