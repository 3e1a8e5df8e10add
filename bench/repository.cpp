#include "bench/repository.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "indexing/store/memory_datastore.h"
#include "indexing/text_definitions.h"
#include "languages/languages.h"
#include "support/json/json_document.h"

namespace redraft {
namespace {

constexpr JsonLimits kLineLimits{.bytes = std::size_t{64} << 20, .values = 1 << 12, .depth = 8};

Result<StoredFile> parse_source(const std::string& where, const std::string& line) {
  const Result<JsonDocument> document = JsonDocument::parse(where, line, kLineLimits);
  if (!document) return document.error();
  StoredFile source;
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

Result<std::vector<StoredFile>> read_sources(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error(file.string() + ": cannot be read");
  std::vector<StoredFile> sources;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Result<StoredFile> source = parse_source(file.string() + ":" + std::to_string(number), line);
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
    for (const StoredFile& source : *sources) texts.push_back(tokenizer.encode(source.content));
  }
  return std::shared_ptr<const Datastore>(std::make_shared<MemoryDatastore>(texts));
}

Result<void> Repositories::load(const std::filesystem::path& file) {
  if (file == file_) return {};
  Result<std::vector<StoredFile>> sources = read_sources(file);
  if (!sources) return sources.error();
  texts_.clear();
  for (const StoredFile& source : *sources) {
    texts_.push_back({source.path,
                      {},
                      tokenizer_.encode(source.content),
                      stored_definitions(source.content, language_of(source.path))});
  }
  store_ = std::make_unique<TextStore>();
  store_->put(texts_);
  windows_.reset();
  sources_ = std::move(*sources);
  file_ = file;
  return {};
}

const RepositoryWindows& Repositories::windows() {
  if (!windows_) windows_.emplace(sources_, tokenizer_);
  return *windows_;
}

Result<RepositoryView> Repositories::without(const HiddenLines& hidden) {
  if (const Result<void> loaded = load(hidden.repository); !loaded) return loaded.error();
  const auto source = std::find_if(sources_.begin(), sources_.end(), [&](const StoredFile& each) {
    return each.path == hidden.path;
  });
  if (source == sources_.end())
    return Error(hidden.repository.string() + ": holds no file " + hidden.path);
  const std::string_view text = source->content;
  const std::size_t begin = start_of_line(source->content, hidden.first);
  const std::size_t end = start_of_line(source->content, hidden.last + 1);
  if (end == std::string::npos || begin >= end) {
    return Error(hidden.repository.string() + ": " + hidden.path + " has no lines " +
                 std::to_string(hidden.first) + " to " + std::to_string(hidden.last));
  }
  RepositoryView view;
  view.before = text.substr(0, begin);
  view.after = text.substr(end);
  view.other_files = store_->snapshot(hidden.path);
  const std::string rest = hidden.path + " (rest)";
  store_->put({{hidden.path, {}, tokenizer_.encode(text.substr(0, begin))},
               {rest, {}, tokenizer_.encode(text.substr(end))}});
  view.all = store_->snapshot();
  store_->erase(std::vector{rest});
  store_->put({texts_[static_cast<std::size_t>(source - sources_.begin())]});
  while (store_->merge()) {
  }
  return view;
}

}  // namespace redraft
