#include "tests/bench/quality/quality_kit.h"

#include <utility>

namespace redraft {

std::string id_in(Half half, int number) {
  for (int i = 0;; ++i) {
    std::string id = "task/" + std::to_string(i);
    if (half_of(id) == half && number-- == 0) return id;
  }
}

QualityRecord edit_record(const std::string& id, EditQuality quality, const std::string& set) {
  return {.key = {Measure::kEdits, id, ""}, .set = set, .result = std::move(quality)};
}

QualityRecord judged(const std::string& id, bool passed) {
  EditQuality quality;
  quality.expected_hunks = 1;
  quality.passed = passed;
  return edit_record(id, quality);
}

QualityRecord completion_record(const std::string& id, std::vector<Suggestion> suggestions) {
  CompletionQuality quality;
  quality.suggestions = std::move(suggestions);
  return {.key = {Measure::kCompletion, id, ""}, .set = "places", .result = std::move(quality)};
}

QualityRecord next_edit_record(const std::string& id, std::string_view question, Verdict verdict,
                               bool reverses) {
  NextEditQuality quality;
  quality.verdict = verdict;
  quality.reverses = reverses;
  return {.key = {Measure::kNextEdits, id, std::string(question)},
          .set = "commits",
          .result = std::move(quality)};
}

std::vector<const QualityRecord*> pointers_to(const std::vector<QualityRecord>& records) {
  std::vector<const QualityRecord*> pointers;
  for (const QualityRecord& record : records) pointers.push_back(&record);
  return pointers;
}

QualityFile file_of(std::vector<QualityRecord> records, nlohmann::ordered_json settings) {
  QualityFile file{.settings = std::move(settings), .records = {}};
  for (QualityRecord& record : records) {
    const QualityKey key = record.key;
    file.records.insert_or_assign(key, std::move(record));
  }
  return file;
}

}  // namespace redraft
