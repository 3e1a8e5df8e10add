#include "tuning/data/excluded_texts.h"

#include <algorithm>

#include "support/json/json_document.h"
#include "support/utf8/utf8.h"
#include "text/strings/lines.h"
#include "tuning/data/other_pairs.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 30;
constexpr JsonLimits kLimits = {
    .bytes = std::size_t{256} << 20, .values = std::size_t{8} << 20, .depth = 64};

// The limits of JsonDocument bound the depth.
void add_values(const JsonValue& value, SimilarTexts& texts) {
  if (value.kind() == JsonValue::Kind::kText) {
    texts.add(*value.text());
  } else if (value.size() > 0) {
    for (const JsonValue each : value) add_values(each, texts);
  }
}

bool add_json(std::string_view text, SimilarTexts& texts) {
  const Result<JsonDocument> parsed = JsonDocument::parse("text", text, kLimits);
  if (parsed) add_values(parsed->root(), texts);
  return static_cast<bool>(parsed);
}

void add_file(const fs::path& file, std::string_view text, SimilarTexts& texts) {
  if (file.extension() == ".json" && add_json(text, texts)) return;
  if (file.extension() != ".jsonl") return texts.add(text);
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (!add_json(line, texts)) texts.add(line);
  }
}

}  // namespace

Result<ExcludedFolder> add_texts_of(const fs::path& folder, SimilarTexts& texts) {
  std::error_code problem;
  if (!fs::is_directory(folder, problem)) return Error(folder.string() + ": not a folder");
  ExcludedFolder out;
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (!entry->is_regular_file(problem)) continue;
    const Result<std::string> text = read_text_file(entry->path(), kMaxFileBytes);
    // Unreadable files cannot be excluded, so this is an error.
    if (!text) return text.error();
    if (!is_utf8(*text) || text->find('\0') != text->npos) {
      out.others.push_back(fs::relative(entry->path(), folder, problem).string());
      continue;
    }
    add_file(entry->path(), *text, texts);
    ++out.files;
  }
  if (problem) return Error(folder.string() + ": " + problem.message());
  return out;
}

}  // namespace redraft
