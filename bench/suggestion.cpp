#include "bench/suggestion.h"

#include <algorithm>

#include "workspace/completion/shown_text.h"

namespace redraft {
namespace {

std::string shown_at(const Tokenizer& tokenizer, const ServerEnd& end, const PlaceOutput& output,
                     double min_probability) {
  ShownText shown(end.shape, end.suffix, min_probability);
  for (std::size_t i = 0; i < output.tokens.size(); ++i) {
    if (!shown.add(tokenizer.bytes(output.tokens[i]), output.log_probabilities[i]))
      return shown.text(false);
  }
  if (output.stopped) shown.finish();
  return shown.text(output.cut_off);
}

// What follows the last character that is no blank is not missed.
std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

}  // namespace

void SuggestionSums::add(const Suggestion& suggestion) {
  ++places;
  shown += suggestion.shown > 0;
  all_right += suggestion.all_right();
  whole += suggestion.whole;
  saved += suggestion.right;
  wrong += suggestion.shown - suggestion.right;
}

std::vector<Suggestion> suggestions(const Tokenizer& tokenizer, const ServerEnd& end,
                                    const PlaceOutput& output, const std::string& reference,
                                    std::span<const double> thresholds) {
  std::vector<Suggestion> all;
  for (const double threshold : thresholds) {
    const std::string shown = shown_at(tokenizer, end, output, threshold);
    const auto differ = std::ranges::mismatch(shown, reference);
    all.push_back(
        {.min_probability = threshold,
         .shown = static_cast<int>(shown.size()),
         .right = static_cast<int>(differ.in1 - shown.begin()),
         .whole = !shown.empty() && without_blank_end(shown) == without_blank_end(reference)});
  }
  return all;
}

}  // namespace redraft
