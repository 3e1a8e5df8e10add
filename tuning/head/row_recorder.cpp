#include "tuning/head/row_recorder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "decoding/kernels/half.h"
#include "decoding/model_powers.h"

namespace redraft {
namespace {

constexpr std::size_t kChunkRows = 128;

// The nearest finite half-precision number.
std::uint16_t to_half(float value) {
  constexpr float kLargest = 65504;
  return kernels::float_to_half(std::clamp(value, -kLargest, kLargest));
}

struct RowsOfText {
  std::vector<TokenId> choices;         // [rows]
  std::vector<std::uint16_t> features;  // [rows, layers, hidden]
};

// Runs the model and returns all rows that predict a token from `first` on.
RowsOfText run(LanguageModel& model, std::span<const TokenId> text, std::size_t first) {
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(text.size()));
  const std::size_t last = text.size() - 1;  // its row is not needed
  std::size_t at = first - 1;
  if (at > 0) model.forward(text.first(at), DraftTree(), *cache, {.every_row = false});
  RowsOfText out;
  while (at < last) {
    const std::size_t rows = std::min(kChunkRows, last - at);
    const DraftTree rest = DraftTree::chain(text.subspan(at + 1, rows - 1), DraftOrigin::kOther);
    const Predictions predicted = model.forward(text.subspan(at, 1), rest, *cache, {});
    out.choices.insert(out.choices.end(), predicted.argmax.begin(), predicted.argmax.end());
    for (std::size_t row = 0; row < rows; ++row) {
      const std::span<const float> captured =
          model.layer_capture()->captured(static_cast<int>(row));
      std::transform(captured.begin(), captured.end(), std::back_inserter(out.features), to_half);
    }
    std::vector<int> path(rows - 1);
    std::iota(path.begin(), path.end(), 0);
    cache->keep(path);
    at += rows;
  }
  return out;
}

}  // namespace

TextRows record_rows(LanguageModel& model, std::span<const TokenId> text, int first, int tokens,
                     std::int32_t source) {
  assert(first >= 1 && first < static_cast<int>(text.size()));
  assert(tokens >= 1 && tokens <= kMaxHeadTokens);
  const RowsOfText rows = run(model, text, static_cast<std::size_t>(first));
  const std::span<const TokenId> written = text.subspan(static_cast<std::size_t>(first));
  const std::size_t width = rows.features.size() / rows.choices.size();
  TextRows out;
  for (std::size_t row = 0; row < written.size(); ++row) {
    RowLabels labels{.newest = written[row],
                     .own = rows.choices[row] == written[row],
                     .source = source,
                     .count = 0,
                     .next = {}};
    const std::size_t count = std::min(static_cast<std::size_t>(tokens), written.size() - row - 1);
    std::copy_n(written.begin() + static_cast<std::ptrdiff_t>(row) + 1, count, labels.next.begin());
    const auto right = [&](std::size_t i) { return rows.choices[row + 1 + i] == labels.next[i]; };
    while (static_cast<std::size_t>(labels.count) < count &&
           right(static_cast<std::size_t>(labels.count)))
      ++labels.count;
    if (labels.count == 0) continue;
    out.labels.push_back(labels);
    const auto begin = rows.features.begin() + static_cast<std::ptrdiff_t>(row * width);
    out.features.insert(out.features.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

}  // namespace redraft
