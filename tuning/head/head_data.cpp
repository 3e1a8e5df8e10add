#include "tuning/head/head_data.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <string>
#include <utility>

#include "decoding/kernels/finite_weights.h"
#include "decoding/model/model_stamp.h"
#include "support/files/guarded_pages.h"
#include "tuning/random_stream.h"

namespace redraft {
namespace {

constexpr std::uint64_t kSplitSeed = 1;
enum class SplitStream : std::uint64_t { kHeldOut, kSample };

RandomStream stream(SplitStream which) { return {kSplitSeed, static_cast<std::uint64_t>(which)}; }

bool is_finite_half(std::uint16_t half) { return (half & 0x7C00) != 0x7C00; }

}  // namespace

Result<TargetRows> TargetRows::open(const ModelFiles& files) {
  Result<TransformerShape> shape = files.shape();
  if (!shape) return shape.error();
  Result<WeightPlan> plan = WeightPlan::make(files, *shape);
  if (!plan) return plan.error();
  for (const PlannedMatrix* matrix : {&plan->embedding, &plan->head}) {
    if (!are_finite(matrix->source->format, matrix->source->data))
      return not_finite(files, matrix->role);
  }
  return TargetRows(std::move(*shape), std::move(*plan));
}

void TargetRows::embedding(TokenId token, std::span<float> out) const {
  read(plan_.embedding, token, out);
  if (shape_.embedding_scale == 1) return;
  for (float& value : out) value *= static_cast<float>(shape_.embedding_scale);
}

void TargetRows::read(const PlannedMatrix& matrix, TokenId token, std::span<float> out) {
  assert(token >= 0 && token < matrix.n && static_cast<int>(out.size()) == matrix.k);
  const StoredTensor& source = *matrix.source;
  const std::size_t bytes = weight_bytes(source.format, 1, matrix.k);
  dequantize_row(source.format, source.data.data() + bytes * static_cast<std::size_t>(token),
                 matrix.k, out.data());
}

HeadData::HeadData(const RecordedRows& rows, const TargetRows& target,
                   std::vector<TokenId> vocabulary)
    : rows_(rows),
      target_(target),
      lost_(lost_pages()),
      vocabulary_(std::move(vocabulary)),
      places_(static_cast<std::size_t>(rows.shape().vocabulary), -1) {
  for (std::size_t i = 0; i < vocabulary_.size(); ++i)
    places_[static_cast<std::size_t>(vocabulary_[i])] = static_cast<std::int32_t>(i);
}

std::int32_t HeadData::answer(const RowLabels& labels, int place) const {
  if (place >= labels.count) return -1;
  return places_[static_cast<std::size_t>(labels.next[static_cast<std::size_t>(place)])];
}

bool HeadData::teaches(std::size_t row) const {
  const RowLabels& labels = rows_.labels(row);
  for (int place = 0; place < labels.count; ++place)
    if (answer(labels, place) >= 0) return true;
  return false;
}

Result<HeadBatch> HeadData::batch(std::span<const std::size_t> rows) const {
  const RecordedShape& shape = rows_.shape();
  const auto hidden = static_cast<std::size_t>(shape.hidden);
  HeadBatch out;
  out.features.reserve(rows.size() * shape.feature_count());
  out.embeddings.resize(rows.size() * hidden);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span<const std::uint16_t> features = rows_.features(rows[i]);
    if (!std::ranges::all_of(features, is_finite_half))
      return Error(rows_.folder().string() + ": row " + std::to_string(rows[i]) +
                   " has a number that is not finite");
    out.features.insert(out.features.end(), features.begin(), features.end());
    const RowLabels& labels = rows_.labels(rows[i]);
    target_.embedding(labels.newest, std::span(out.embeddings).subspan(i * hidden, hidden));
    for (int place = 0; place < shape.tokens; ++place) out.answers.push_back(answer(labels, place));
  }
  if (const Result<void> read = check_no_page_lost("the target's file", lost_); !read)
    return read.error();
  return out;
}

std::vector<TokenId> frequent_tokens(const RecordedRows& recorded,
                                     std::span<const std::size_t> rows, int count) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(recorded.shape().vocabulary));
  for (const std::size_t row : rows) {
    const RowLabels& labels = recorded.labels(row);
    for (int place = 0; place < labels.count; ++place)
      ++counts[static_cast<std::size_t>(labels.next[static_cast<std::size_t>(place)])];
  }
  std::vector<TokenId> tokens(counts.size());
  std::iota(tokens.begin(), tokens.end(), 0);
  std::ranges::stable_sort(tokens, [&](TokenId a, TokenId b) {
    return counts[static_cast<std::size_t>(a)] > counts[static_cast<std::size_t>(b)];
  });
  tokens.resize(static_cast<std::size_t>(count));
  std::ranges::sort(tokens);
  return tokens;
}

SplitRows split_rows(const RecordedRows& rows, double share) {
  const RandomStream random = stream(SplitStream::kHeldOut);
  SplitRows out;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const RowLabels& labels = rows.labels(row);
    if (random.unit(static_cast<std::uint64_t>(labels.source)) >= share)
      out.learnt.push_back(row);
    else if (labels.own)
      out.held_out.push_back(row);
  }
  return out;
}

std::vector<std::size_t> some_of(std::span<const std::size_t> rows, std::size_t most) {
  std::vector<std::size_t> out;
  for (const std::size_t i : stream(SplitStream::kSample).permutation(rows.size())) {
    if (out.size() == most) break;
    out.push_back(rows[i]);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace redraft
