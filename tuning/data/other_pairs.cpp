#include "tuning/data/other_pairs.h"

#include <algorithm>
#include <set>

#include "indexing/files/file_scan.h"
#include "support/files/mapped_file.h"
#include "support/utf8/utf8.h"
#include "tuning/data/git_pairs.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxLicenceBytes = 64 << 10;
constexpr std::size_t kMaxJsonlBytes = std::size_t{4} << 30;
constexpr JsonLimits kLineLimits = {.bytes = std::size_t{16} << 20, .values = 4096, .depth = 8};

// The string value of a member; nullopt if it is missing or not a string.
std::optional<std::string> member(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> value = object.find(key);
  if (!value) return std::nullopt;
  const Result<std::string_view> text = value->text();
  return text ? std::optional(std::string(*text)) : std::nullopt;
}

}  // namespace

std::set<std::string> sources_to_learn(const fs::path& folder) {
  std::set<std::string> out;
  const std::vector<fs::path> roots = {folder};
  ScanSink sink;
  sink.on_file = [&](const SourceFile& file) {
    if (is_source_to_learn(file.path) && file.size <= kMaxLearntFileBytes) out.insert(file.path);
    return true;
  };
  scan_roots(roots, {}, sink);
  return out;
}

Result<std::string> read_text_file(const fs::path& file, std::size_t max_bytes) {
  std::error_code problem;
  if (!fs::is_regular_file(file, problem)) return Error(file.string() + ": not a regular file");
  if (fs::file_size(file, problem) > max_bytes || problem)
    return Error(file.string() + ": larger than " + std::to_string(max_bytes) + " bytes");
  if (fs::file_size(file, problem) == 0) return std::string();
  const Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  const auto bytes = map->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Result<std::vector<NamedText>> licence_files_of(const fs::path& folder) {
  std::vector<NamedText> out;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (!is_licence_file(name) && !is_package_metadata(name)) continue;
    // A file that is too large counts as an unknown licence.
    Result<std::string> text = read_text_file(entry->path(), kMaxLicenceBytes);
    out.push_back({name, text ? *std::move(text) : std::string()});
  }
  if (problem) return Error(folder.string() + ": " + problem.message());
  std::sort(out.begin(), out.end(),
            [](const NamedText& a, const NamedText& b) { return a.name < b.name; });
  return out;
}

Result<ReleasePairs> ReleasePairs::open(const fs::path& before, const fs::path& after,
                                        std::string instruction, std::string licence) {
  for (const fs::path& folder : {before, after}) {
    std::error_code problem;
    if (!fs::is_directory(folder, problem)) return Error(folder.string() + ": not a folder");
  }
  ReleasePairs pairs;
  pairs.before_ = before;
  pairs.after_ = after;
  pairs.instruction_ = std::move(instruction);
  pairs.licence_ = std::move(licence);
  const fs::path plain = fs::absolute(after).lexically_normal();
  pairs.name_ = (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  const std::set<std::string> old = sources_to_learn(before);
  for (const std::string& path : sources_to_learn(after))
    if (old.contains(path)) pairs.paths_.push_back(path);
  return pairs;
}

Result<std::optional<EditPair>> ReleasePairs::next() {
  while (at_ < paths_.size()) {
    const std::string& path = paths_[at_++];
    Result<std::string> before = read_source(before_, path, kMaxLearntFileBytes);
    Result<std::string> after = read_source(after_, path, kMaxLearntFileBytes);
    if (!before || !after) {
      ++skipped["files that are no text"];
      continue;
    }
    if (*before == *after) {
      ++skipped["files that did not change"];
      continue;
    }
    return std::optional(EditPair{.instruction = instruction_,
                                  .path = path,
                                  .before = *std::move(before),
                                  .after = *std::move(after),
                                  .source = name_ + " release " + path,
                                  .licence = licence_});
  }
  return std::optional<EditPair>();
}

Result<JsonlPairs> JsonlPairs::open(const fs::path& file, std::optional<std::string> licence) {
  Result<std::string> text = read_text_file(file, kMaxJsonlBytes);
  if (!text) return text.error();
  JsonlPairs pairs;
  pairs.name_ = file.filename().string();
  pairs.text_ = *std::move(text);
  pairs.licence_ = std::move(licence);
  return pairs;
}

Result<std::optional<EditPair>> JsonlPairs::next() {
  while (at_ < text_.size()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = std::string_view(text_).substr(at_, end - at_);
    at_ = end + 1;
    const std::string where = name_ + " line " + std::to_string(++line_);
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const Result<JsonDocument> parsed = JsonDocument::parse(where, line, kLineLimits);
    if (!parsed) {
      ++skipped["lines that are no JSON"];
      continue;
    }
    const JsonValue object = parsed->root();
    std::optional<std::string> instruction = member(object, "instruction");
    std::optional<std::string> before = member(object, "before");
    std::optional<std::string> after = member(object, "after");
    if (!instruction || !before || !after) {
      ++skipped["lines without instruction, before and after"];
      continue;
    }
    const std::optional<std::string> stated = member(object, "licence");
    if (stated ? !is_permissive(*stated) : !licence_) {
      ++skipped[stated ? "licence " + shortened(*stated, 60) : "no licence stated"];
      continue;
    }
    return std::optional(EditPair{.instruction = *std::move(instruction),
                                  .path = member(object, "path").value_or("code.py"),
                                  .before = *std::move(before),
                                  .after = *std::move(after),
                                  .source = where,
                                  .licence = stated ? *stated : *licence_});
  }
  return std::optional<EditPair>();
}

}  // namespace redraft
