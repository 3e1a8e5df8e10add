#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/quality/half.h"
#include "bench/quality/quality_log.h"
#include "bench/quality/quality_record.h"

namespace redraft {

// The number-th id that lies in that half.
std::string id_in(Half half, int number);

QualityRecord edit_record(const std::string& id, EditQuality quality,
                          const std::string& set = "edits");
// An edit whose tests passed or did not.
QualityRecord judged(const std::string& id, bool passed);
QualityRecord completion_record(const std::string& id, std::vector<Suggestion> suggestions);
QualityRecord next_edit_record(const std::string& id, std::string_view question, Verdict verdict,
                               bool reverses = false);

std::vector<const QualityRecord*> pointers_to(const std::vector<QualityRecord>& records);
QualityFile file_of(std::vector<QualityRecord> records, nlohmann::ordered_json settings = {});

}  // namespace redraft
