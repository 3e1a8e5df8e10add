#include "decoding/model/tokenizer_steps.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace redraft {
namespace {

Result<std::string_view> type_of(const JsonValue& step) {
  const Result<JsonValue> type = step.at("type");
  if (!type) return type.error();
  return type->text();
}

using Visit = std::function<Result<void>(const JsonValue& step, std::string_view type)>;

// Calls `visit` for the steps of a part of the file in order; the steps of a sequence (under the
// key `list`) one by one. The document's depth is bounded.
Result<void> for_each_step(const JsonValue& part, std::string_view list, const Visit& visit) {
  const Result<std::string_view> type = type_of(part);
  if (!type) return type.error();
  if (*type != "Sequence") return visit(part, *type);
  const Result<JsonValue> steps = part.at(list);
  if (!steps) return steps.error();
  const Result<JsonValue> array = steps->array();
  if (!array) return array.error();
  for (const JsonValue& step : *array) {
    if (auto visited = for_each_step(step, list, visit); !visited) return visited;
  }
  return {};
}

Result<bool> flag_or(const JsonValue& step, std::string_view key, bool fallback) {
  const std::optional<JsonValue> value = step.find(key);
  if (!value) return fallback;
  return value->boolean();
}

constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen35Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
    R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// The model's own file has the characters \r and \n in it where others have their escapes.
constexpr std::string_view kSeedCoderPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1})"
    R"(| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kSeedCoderUnescaped =
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}"
    "| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

constexpr std::string_view kGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kTekkenPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N})"
    R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

// A step as one word: "Digits", "ByteLevel", "ByteLevel with words" (GPT-2's pattern), or the
// pattern whose matches are split off.
constexpr std::string_view kDigits = "Digits";
constexpr std::string_view kBytes = "ByteLevel";
constexpr std::string_view kWords = "ByteLevel with words";

struct KnownSteps {
  std::string_view name;
  std::vector<std::string_view> steps;
};

const std::array<KnownSteps, 11>& known_steps() {
  constexpr std::string_view kEastAsian = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
  static const std::array<KnownSteps, 11> known{{
      {"qwen2", {kQwen2Pattern, kBytes}},
      {"qwen35", {kQwen35Pattern, kBytes}},
      {"llama-bpe", {kLlama3Pattern, kBytes}},
      {"seed-coder", {kSeedCoderPattern, kBytes}},
      {"seed-coder", {kSeedCoderUnescaped, kBytes}},
      {"gpt-4o", {kGpt4oPattern, kBytes}},
      {"tekken", {kTekkenPattern, kBytes}},
      {"smollm", {kDigits, kWords}},
      {"deepseek-coder", {"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kEastAsian, kDigits, kBytes}},
      {"deepseek-coder",
       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", kEastAsian, kDigits, kBytes}},
      {"default", {kWords}},
  }};
  return known;
}

Result<std::string> split_in_a_word(const JsonValue& step) {
  const Result<JsonValue> pattern = step.at("pattern");
  if (!pattern) return pattern.error();
  const Result<JsonValue> regex_value = pattern->at("Regex");
  if (!regex_value) return regex_value.error();
  const Result<std::string_view> regex = regex_value->text();
  if (!regex) return regex.error();
  const Result<JsonValue> behavior_value = step.at("behavior");
  if (!behavior_value) return behavior_value.error();
  const Result<std::string_view> behavior = behavior_value->text();
  if (!behavior) return behavior.error();
  const Result<bool> invert = flag_or(step, "invert", false);
  if (!invert) return invert.error();
  // Patterns that match the whole of any text: removing what is between their matches changes
  // nothing.
  constexpr std::array kMatchAll{kQwen2Pattern,     kQwen35Pattern,      kLlama3Pattern,
                                 kSeedCoderPattern, kSeedCoderUnescaped, kGpt4oPattern,
                                 kTekkenPattern};
  const bool matches_all = std::ranges::find(kMatchAll, *regex) != kMatchAll.end();
  if ((*behavior == "Isolated" && !*invert) || (*behavior == "Removed" && *invert && matches_all)) {
    return std::string(*regex);
  }
  return behavior_value->error("not how a pre-tokenizer that redraft knows uses its pattern");
}

Result<std::string> in_a_word(const JsonValue& step, std::string_view type) {
  if (type == "Split") return split_in_a_word(step);
  if (type == "Digits") {
    const Result<bool> individual = flag_or(step, "individual_digits", false);
    if (!individual) return individual.error();
    if (*individual) return std::string(kDigits);
  }
  if (type == "ByteLevel") {
    const Result<bool> add_space = flag_or(step, "add_prefix_space", true);
    if (!add_space) return add_space.error();
    if (*add_space) return step.error("add_prefix_space would change the text");
    const Result<bool> words = flag_or(step, "use_regex", true);
    if (!words) return words.error();
    return std::string(*words ? kWords : kBytes);
  }
  return step.error("not a step of a pre-tokenizer that redraft knows");
}

}  // namespace

Result<void> check_text_stays(const JsonValue& root) {
  if (const std::optional<JsonValue> normalizer = root.find("normalizer")) {
    const auto check = [](const JsonValue& step, std::string_view type) -> Result<void> {
      if (type == "NFC") return {};
      return step.error("a normalizer that would change the text (only NFC may be left out)");
    };
    if (auto checked = for_each_step(*normalizer, "normalizers", check); !checked) return checked;
  }
  if (const std::optional<JsonValue> decoder = root.find("decoder")) {
    const auto check = [](const JsonValue& step, std::string_view type) -> Result<void> {
      if (type == "ByteLevel") return {};
      return step.error("a decoder that is not of byte-level tokens (\"ByteLevel\")");
    };
    if (auto checked = for_each_step(*decoder, "decoders", check); !checked) return checked;
  }
  return {};
}

namespace {

constexpr std::string_view kMarkedSpace = "\u2581";

// Whether `step` has these texts, each under its key: {"String": " "} counts as " ".
Result<bool> has_texts(const JsonValue& step,
                       std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  for (const auto& [key, expected] : texts) {
    std::optional<JsonValue> value = step.find(key);
    if (value && value->kind() == JsonValue::Kind::kObject) value = value->find("String");
    if (!value) return false;
    const Result<std::string_view> text = value->text();
    if (!text) return text.error();
    if (*text != expected) return false;
  }
  return true;
}

Result<void> check_marks_spaces(const JsonValue& step, std::string_view type) {
  const Result<bool> marks = has_texts(step, {{"pattern", " "}, {"content", kMarkedSpace}});
  if (!marks) return marks.error();
  if (type == "Replace" && *marks) return {};
  return step.error("a normalizer that does more than to write U+2581 for a space");
}

// Split at spaces, of which the normalizer leaves none.
Result<void> check_finds_no_words(const JsonValue& step, std::string_view type) {
  const Result<bool> spaces = has_texts(step, {{"pattern", " "}});
  if (!spaces) return spaces.error();
  if (type == "Split" && *spaces) return {};
  return step.error("not the step of a pre-tokenizer that splits no text");
}

}  // namespace

Result<void> check_marked_spaces(const JsonValue& root) {
  const Result<JsonValue> normalizer = root.at("normalizer");
  if (!normalizer) return normalizer.error();
  if (auto checked = for_each_step(*normalizer, "normalizers", check_marks_spaces); !checked)
    return checked;
  if (const std::optional<JsonValue> part = root.find("pre_tokenizer")) {
    if (auto checked = for_each_step(*part, "pretokenizers", check_finds_no_words); !checked)
      return checked;
  }
  const Result<JsonValue> decoder = root.at("decoder");
  if (!decoder) return decoder.error();
  constexpr std::array<std::string_view, 3> kDecoders{"Replace", "ByteFallback", "Fuse"};
  std::size_t n_decoders = 0;
  const auto check = [&](const JsonValue& step, std::string_view type) -> Result<void> {
    const bool expected = n_decoders < kDecoders.size() && type == kDecoders[n_decoders++];
    const bool replaces = expected && type == "Replace";
    const Result<bool> spaces =
        replaces ? has_texts(step, {{"pattern", kMarkedSpace}, {"content", " "}}) : expected;
    if (!spaces) return spaces.error();
    if (*spaces) return {};
    return step.error("a decoder that does more than to write a space for U+2581 and join bytes");
  };
  if (auto checked = for_each_step(*decoder, "decoders", check); !checked) return checked;
  if (n_decoders == kDecoders.size()) return {};
  return decoder->error("a decoder that does not write a space for U+2581 and join bytes");
}

Result<std::string> read_pre_tokenizer(const JsonValue& root) {
  const Result<JsonValue> part = root.at("pre_tokenizer");
  if (!part) return part.error();
  std::vector<std::string> steps;
  const auto add = [&](const JsonValue& step, std::string_view type) -> Result<void> {
    Result<std::string> word = in_a_word(step, type);
    if (!word) return word.error();
    steps.push_back(std::move(*word));
    return {};
  };
  if (auto added = for_each_step(*part, "pretokenizers", add); !added) return added.error();
  std::string names;
  for (const KnownSteps& known : known_steps()) {
    if (std::equal(steps.begin(), steps.end(), known.steps.begin(), known.steps.end())) {
      return std::string(known.name);
    }
    if (names.ends_with(known.name)) continue;
    names += (names.empty() ? "" : ", ") + std::string(known.name);
  }
  return part->error("its steps are not those of a pre-tokenizer that redraft knows: " + names);
}

Result<std::optional<JsonValue>> read_first_token(const JsonValue& root) {
  std::optional<JsonValue> first;
  const std::optional<JsonValue> part = root.find("post_processor");
  if (!part) return first;
  const auto look = [&](const JsonValue& step, std::string_view type) -> Result<void> {
    if (type == "ByteLevel") return {};
    if (type != "TemplateProcessing") return step.error("a post-processor that is not supported");
    const Result<JsonValue> single = step.at("single");
    if (!single) return single.error();
    const Result<JsonValue> pieces = single->array();
    if (!pieces) return pieces.error();
    for (const JsonValue& piece : *pieces) {
      const std::optional<JsonValue> special = piece.find("SpecialToken");
      if (!special) break;  // the text; what comes after it does not belong in a prompt
      if (first) return piece.error("more than one token before the text is not supported");
      const Result<JsonValue> id = special->at("id");
      if (!id) return id.error();
      first = *id;
    }
    return {};
  };
  if (auto looked = for_each_step(*part, "processors", look); !looked) return looked.error();
  return first;
}

}  // namespace redraft
