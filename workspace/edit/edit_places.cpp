#include "workspace/edit/edit_places.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "support/trace/trace.h"
#include "support/utf8/utf8.h"
#include "text/strings/trimmed.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

constexpr int kMaxShown = 40;  // parts in the list
constexpr int kMaxAnswerTokens = 24;
// More parts than these are not edited unless somebody adds them: the best by words, those that the
// model names, and those that have a name that is spelled out.
constexpr int kMaxByWords = 3;
constexpr int kMaxByModel = 6;
constexpr int kMaxNamed = 24;
// A part is chosen by its words if they are worth at least this much of the best one's.
constexpr double kScoreShare = 0.6;
constexpr std::size_t kMaxPlaceName = 100;  // bytes

constexpr const char* kOpening = "Parts to change:\n";

std::string head_of(const EditPart& part) {
  // A method's name says less than its class's with it.
  const bool qualified = part.whole && part.name.find('.') != std::string::npos;
  return qualified ? part.name + ": " + part.head : part.head;
}

std::string question(const FoundParts& found, const std::string& instruction) {
  std::string text = "A file has these parts:\n";
  for (std::size_t i = 0; i < found.shown.size(); ++i) {
    const EditPart& part = found.parts[static_cast<std::size_t>(found.shown[i])];
    text += std::to_string(i + 1) + ": " + head_of(part) + "\n";
  }
  text += "\nInstruction: " + std::string(trimmed(instruction)) +
          "\n\nWhich parts have to change? Answer with their numbers and nothing else.";
  return text;
}

// The best by their words, as many as fit the list.
void choose_shown(PromptSize size, FoundParts& found) {
  auto left = static_cast<std::ptrdiff_t>(kBytesPerToken * prompt_limits(size).part_list);
  for (const RankedPart& ranked : found.ranked) {
    const EditPart& part = found.parts[static_cast<std::size_t>(ranked.part)];
    left -= std::ssize(head_of(part)) + 5;
    if (left < 0 || std::ssize(found.shown) >= kMaxShown) break;
    found.shown.push_back(ranked.part);
  }
}

Result<void> ask_model(Engine& engine, const EditRegion& file, const std::string& instruction,
                       const FindOptions& options, const std::stop_token& stop, FoundParts& found) {
  const Span span("ask for parts", "parts", std::ssize(found.shown));
  Result<QuestionPrompt> prompt =
      make_question_prompt(engine.prompt_encoder(Purpose::kEdit), file.document(),
                           question(found, instruction), kOpening, options.overview_bytes);
  if (!prompt) return prompt.error();
  const int room = engine.context_length() - static_cast<int>(prompt->tokens.size());
  if (room <= 1) return {};       // too long an instruction
  if (prompt->thinks) return {};  // for longer than this question is worth
  std::string answer;
  const auto sink = [&](TokenId token) {
    answer += engine.tokenizer().bytes(token);
    return answer.find('\n') == std::string::npos;
  };
  const DecodeRequest decode{.prompt = std::move(prompt->tokens),
                             .stop_tokens = std::move(prompt->stop_tokens),
                             .max_new_tokens = std::min(kMaxAnswerTokens, room),
                             .on_progress = options.on_progress};
  const Result<DecodeResult> decoded =
      engine.decode(Purpose::kEdit, options.decoder, decode, sink, stop, Remembering::kNothing);
  if (!decoded) return decoded.error();
  found.statistics = decoded->statistics;
  found.cancelled = decoded->finish_reason == FinishReason::kCancelled;
  if (found.cancelled) return {};
  const std::optional<std::vector<int>> numbers =
      parse_numbers(answer, static_cast<int>(found.shown.size()));
  if (!numbers) return {};
  found.answer.emplace();
  for (const int number : *numbers)
    found.answer->push_back(found.shown[static_cast<std::size_t>(number)]);
  return {};
}

std::vector<int> choose(const EditRegion& file, const FoundParts& found) {
  std::set<int> chosen;
  int by_words = 0, named = 0;
  // Where names are spelled out, other words only say what happens to them. With a syntax tree,
  // words of definitions' names are as good a hint.
  const bool has_named =
      file.document().syntax() == nullptr && std::ranges::any_of(found.ranked, &RankedPart::named);
  for (const RankedPart& ranked : found.ranked) {
    if (ranked.named && named++ < kMaxNamed) chosen.insert(ranked.part);
    if (has_named) continue;
    if (ranked.score <= 0 || ranked.score < kScoreShare * found.ranked.front().score) continue;
    if (by_words++ < kMaxByWords) chosen.insert(ranked.part);
  }
  int by_model = 0;
  for (const int part : found.answer.value_or(std::vector<int>())) {
    if (by_model++ < kMaxByModel) chosen.insert(part);
  }
  return {chosen.begin(), chosen.end()};
}

// Whether two parts that follow each other can be one place: it would begin or end a definition
// only if it has all of it, so that no bracket is open in it.
bool can_join(const EditPart& first, const EditPart& second) {
  return first.inside == second.inside && !first.begins_definition && !second.ends_definition;
}

}  // namespace

Result<FoundParts> find_parts(Engine& engine, const EditRegion& file,
                              const std::string& instruction, const FindOptions& options,
                              const std::stop_token& stop) {
  const Span span("find parts");
  FoundParts found;
  found.parts = divide_into_parts(file, edit_region_bytes(options.prompt_size));
  found.ranked = rank_parts(file, found.parts, instruction);
  found.chosen = choose(file, found);
  const bool asks = options.ask_model == AskModel::kAlways ||
                    (options.ask_model == AskModel::kIfWordsFindNothing && found.chosen.empty());
  if (!asks || found.parts.empty()) return found;
  choose_shown(options.prompt_size, found);
  const Result<void> asked = ask_model(engine, file, instruction, options, stop, found);
  if (!asked) return asked.error();
  found.chosen = choose(file, found);
  return found;
}

std::vector<EditPlace> places_of(const EditRegion& file, const std::vector<EditPart>& parts,
                                 const std::vector<int>& chosen, std::size_t max_bytes) {
  const LineIndex& index = file.document().lines();
  std::vector<EditPlace> places;
  int last_part = -2;
  for (const int i : chosen) {
    const EditPart& part = parts[static_cast<std::size_t>(i)];
    const ByteRange range{index.start(part.lines.first), index.start(part.lines.last)};
    const std::string& name = part.name.empty() ? part.head : part.name;
    const bool follows =
        i == last_part + 1 && can_join(parts[static_cast<std::size_t>(i - 1)], part);
    last_part = i;
    if (!follows || range.end - places.back().range.begin > max_bytes) {
      places.push_back({range, name});
      continue;
    }
    EditPlace& place = places.back();
    place.range.end = range.end;
    const bool is_same = place.name == name || place.name.ends_with(", " + name);
    if (!is_same && place.name.size() + name.size() < kMaxPlaceName) place.name += ", " + name;
  }
  return places;
}

std::string name_of_lines(const EditRegion& lines) {
  for (const std::string_view line : lines.lines()) {
    if (!trimmed(line).empty()) return shortened(trimmed(line), kMaxPlaceName);
  }
  return {};
}

std::optional<std::vector<int>> parse_numbers(std::string_view text, int count) {
  text = trimmed(text, " \t\r\n.");
  std::vector<int> numbers;
  std::size_t at = 0;
  while (at < text.size()) {
    int number = 0;
    const std::size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      number = 10 * number + (text[at] - '0');
      if (number > count) return std::nullopt;
    }
    if (at == begin || number == 0) return std::nullopt;
    if (std::ranges::find(numbers, number - 1) == numbers.end()) numbers.push_back(number - 1);
    const std::size_t separator = at;
    while (at < text.size() && (text[at] == ' ' || text[at] == ',')) ++at;
    if (at < text.size() && at == separator) return std::nullopt;
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

}  // namespace redraft
