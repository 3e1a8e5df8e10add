#include "bench/quality/suggestion.h"

#include <algorithm>

#include "support/utf8/utf8.h"
#include "workspace/completion/shown_text.h"

namespace redraft {
namespace {

std::string shown_at(const Tokenizer& tokenizer, const ServerEnd& end, const PlaceOutput& output,
                     double min_probability) {
  ShownText shown(end.shape, end.around(), min_probability);
  for (std::size_t i = 0; i < output.tokens.size(); ++i) {
    if (!shown.add(tokenizer.bytes(output.tokens[i]), output.log_probabilities[i]))
      return shown.text(false);
  }
  if (output.stopped) shown.finish();
  return shown.text(output.cut_off);
}

// A missing blank after the last other character does not count.
std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

int characters(std::string_view text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

// With how many characters of the reference the text begins.
int right_characters(std::string_view text, std::string_view reference) {
  auto right = static_cast<std::size_t>(std::ranges::mismatch(text, reference).in1 - text.begin());
  while (is_within_character(text, right) || is_within_character(reference, right)) --right;
  return characters(text.substr(0, right));
}

}  // namespace

std::vector<Suggestion> suggestions(const Tokenizer& tokenizer, const ServerEnd& end,
                                    const PlaceOutput& output, const std::string& reference,
                                    std::span<const double> thresholds) {
  std::vector<Suggestion> all;
  for (const double threshold : thresholds) {
    const std::string shown = shown_at(tokenizer, end, output, threshold);
    all.push_back(
        {.min_probability = threshold,
         .shown = characters(shown),
         .right = right_characters(shown, reference),
         .whole = !shown.empty() && without_blank_end(shown) == without_blank_end(reference)});
  }
  return all;
}

}  // namespace redraft
