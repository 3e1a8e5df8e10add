#include "tuning/example.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/files/mapped_file.h"
#include "support/json/json_document.h"

namespace redraft {
namespace {

Result<std::string> text_of(const JsonValue& object, std::string_view key, bool may_be_empty) {
  const Result<JsonValue> value = object.at(key);
  if (!value) return value.error();
  const Result<std::string_view> text = value->text();
  if (!text) return text.error();
  if (text->empty() && !may_be_empty) return value->error("is empty");
  return std::string(*text);
}

Result<ByteRange> range_of(const JsonValue& value, std::size_t from, std::size_t size) {
  const Result<JsonValue> pair = value.array();
  if (!pair) return pair.error();
  if (pair->size() != 2) return value.error("expected a pair of byte offsets");
  std::size_t ends[2] = {};
  std::size_t count = 0;
  for (const JsonValue each : *pair) {
    const Result<std::int64_t> offset = each.integer(0, static_cast<std::int64_t>(size));
    if (!offset) return offset.error();
    ends[count++] = static_cast<std::size_t>(*offset);
  }
  if (ends[0] >= ends[1]) return value.error("is empty or ends before it begins");
  if (ends[0] < from) return value.error("begins before the range in front of it ends");
  return ByteRange{ends[0], ends[1]};
}

}  // namespace

std::string to_json_line(const TuningExample& example) {
  nlohmann::ordered_json learn = nlohmann::ordered_json::array();
  for (const ByteRange& range : example.learn) learn.push_back({range.begin, range.end});
  const nlohmann::ordered_json json = {{"prompt", example.prompt},
                                       {"target", example.target},
                                       {"learn", std::move(learn)},
                                       {"source", example.source},
                                       {"licence", example.licence}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<TuningExample> parse_example(const std::string& name, std::string_view line) {
  const Result<JsonDocument> document = JsonDocument::parse(name, line);
  if (!document) return document.error();
  const Result<JsonValue> root = document->root().object();
  if (!root) return root.error();
  TuningExample example;
  for (const auto& [key, to] :
       {std::pair{"prompt", &example.prompt}, std::pair{"target", &example.target},
        std::pair{"source", &example.source}}) {
    Result<std::string> text = text_of(*root, key, to == &example.source);
    if (!text) return text.error();
    *to = std::move(*text);
  }
  if (root->find("licence")) {
    Result<std::string> licence = text_of(*root, "licence", true);
    if (!licence) return licence.error();
    example.licence = std::move(*licence);
  }
  const Result<JsonValue> learn = root->at("learn");
  if (!learn) return learn.error();
  const Result<JsonValue> ranges = learn->array();
  if (!ranges) return ranges.error();
  std::size_t from = 0;
  for (const JsonValue each : *ranges) {
    const Result<ByteRange> range = range_of(each, from, example.target.size());
    if (!range) return range.error();
    example.learn.push_back(*range);
    from = range->end;
  }
  if (example.learn.empty()) return learn->error("has no range: there is nothing to learn");
  return example;
}

Result<std::vector<TuningExample>> read_examples(const std::filesystem::path& file) {
  const Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  const std::string_view text(reinterpret_cast<const char*>(map->bytes().data()),
                              map->bytes().size());
  std::vector<TuningExample> examples;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    Result<TuningExample> example =
        parse_example(file.string() + ":" + std::to_string(number), line);
    if (!example) return example.error();
    examples.push_back(std::move(*example));
  }
  if (examples.empty()) return Error(file.string() + ": has no examples");
  return examples;
}

}  // namespace redraft
