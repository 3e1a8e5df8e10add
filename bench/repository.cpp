#include "bench/repository.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "indexing/memory_datastore.h"
#include "support/json/json_document.h"

namespace redraft {
namespace {

constexpr JsonLimits kLineLimits{.bytes = std::size_t{64} << 20, .values = 1 << 12, .depth = 8};

Result<SourceFile> parse_source(const std::string& where, const std::string& line) {
  const Result<JsonDocument> document = JsonDocument::parse(where, line, kLineLimits);
  if (!document) return document.error();
  SourceFile source;
  for (const auto& [key, out] :
       {std::pair("path", &source.path), std::pair("content", &source.content)}) {
    const Result<JsonValue> value = document->root().at(key);
    if (!value) return value.error();
    const Result<std::string_view> text = value->text();
    if (!text) return text.error();
    *out = *text;
  }
  return source;
}

// The byte at which line `number` (from 1) begins; the text's end for the line after the last.
std::size_t start_of_line(const std::string& text, int number) {
  std::size_t at = 0;
  for (int line = 1; line < number; ++line) {
    at = text.find('\n', at);
    if (at == std::string::npos) return line + 1 == number ? text.size() : at;
    ++at;
  }
  return at;
}

}  // namespace

Result<std::vector<SourceFile>> read_sources(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error(file.string() + ": cannot be read");
  std::vector<SourceFile> sources;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<SourceFile> source = parse_source(file.string() + ":" + std::to_string(number), line);
    if (!source) return source.error();
    sources.push_back(std::move(*source));
  }
  return sources;
}

Result<std::shared_ptr<const Datastore>> store_of(const std::vector<std::filesystem::path>& files,
                                                  const Tokenizer& tokenizer) {
  std::vector<std::vector<TokenId>> texts;
  for (const std::filesystem::path& file : files) {
    const auto sources = read_sources(file);
    if (!sources) return sources.error();
    for (const SourceFile& source : *sources) texts.push_back(tokenizer.encode(source.content));
  }
  return std::shared_ptr<const Datastore>(std::make_shared<MemoryDatastore>(texts));
}

Result<void> Repositories::load(const std::filesystem::path& file) {
  if (file == file_) return {};
  Result<std::vector<SourceFile>> sources = read_sources(file);
  if (!sources) return sources.error();
  tokens_.clear();
  for (const SourceFile& source : *sources) tokens_.push_back(tokenizer_.encode(source.content));
  sources_ = std::move(*sources);
  file_ = file;
  return {};
}

Result<std::shared_ptr<const Datastore>> Repositories::without(const HiddenLines& hidden) {
  if (const Result<void> loaded = load(hidden.repository); !loaded) return loaded.error();
  const auto source = std::find_if(sources_.begin(), sources_.end(), [&](const SourceFile& each) {
    return each.path == hidden.path;
  });
  if (source == sources_.end())
    return Error(hidden.repository.string() + ": holds no file " + hidden.path);
  const std::string& text = source->content;
  const std::size_t begin = start_of_line(text, hidden.first);
  const std::size_t end = start_of_line(text, hidden.last + 1);
  if (end == std::string::npos || begin >= end) {
    return Error(hidden.repository.string() + ": " + hidden.path + " has no lines " +
                 std::to_string(hidden.first) + " to " + std::to_string(hidden.last));
  }
  std::vector<std::vector<TokenId>> texts = tokens_;
  texts[static_cast<std::size_t>(source - sources_.begin())] =
      tokenizer_.encode(std::string_view(text).substr(0, begin));
  texts.push_back(tokenizer_.encode(std::string_view(text).substr(end)));
  return std::shared_ptr<const Datastore>(std::make_shared<MemoryDatastore>(texts));
}

}  // namespace redraft
