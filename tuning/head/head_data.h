#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "decoding/model/model_files.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weight_plan.h"
#include "support/result.h"
#include "support/token.h"
#include "tuning/head/recorded_rows.h"
#include "tuning/trainable_head.h"

namespace redraft {

// The parts of a target that a draft head shares with it, as plain numbers, read row by row from
// its mapped files. Any thread.
class TargetRows {
 public:
  // `files` outlive this. Errors name the file, the tensor and the reason.
  static Result<TargetRows> open(const ModelFiles& files);

  const TransformerShape& shape() const { return shape_; }
  // For a token below shape().vocabulary: [hidden] each.
  void embedding(TokenId token, std::span<float> out) const;
  void head(TokenId token, std::span<float> out) const { read(plan_.head, token, out); }
  const std::vector<float>& output_norm() const { return plan_.output_norm; }

 private:
  TargetRows(TransformerShape shape, WeightPlan plan)
      : shape_(std::move(shape)), plan_(std::move(plan)) {}
  static void read(const PlannedMatrix& matrix, TokenId token, std::span<float> out);

  TransformerShape shape_;
  WeightPlan plan_;
};

// Recorded rows in the form that a head with this vocabulary reads. Refers to rows and target,
// which outlive it. Any thread.
class HeadData {
 public:
  // `vocabulary` is in ascending order.
  HeadData(const RecordedRows& rows, const TargetRows& target, std::vector<TokenId> vocabulary);

  const RecordedRows& rows() const { return rows_; }
  const std::vector<TokenId>& vocabulary() const { return vocabulary_; }
  // Whether a token of the row is in the vocabulary and learnt.
  bool teaches(std::size_t row) const;
  // Fails if a feature is not finite, or the target's file became shorter.
  Result<HeadBatch> batch(std::span<const std::size_t> rows) const;

 private:
  // The index in the vocabulary of the right token at `place` of the row; -1: it is not learnt.
  std::int32_t answer(const RowLabels& labels, int place) const;

  const RecordedRows& rows_;
  const TargetRows& target_;
  std::uint64_t lost_;  // lost pages of files when this was made
  std::vector<TokenId> vocabulary_;
  std::vector<std::int32_t> places_;  // [target's vocabulary]: in vocabulary_, or -1
};

// The `count` tokens that follow most often in `rows`, ascending. Ties go to lower ids, and missing
// tokens are replaced by the lowest ids. `count` is at most the size of the target's vocabulary.
std::vector<TokenId> frequent_tokens(const RecordedRows& recorded,
                                     std::span<const std::size_t> rows, int count);

// The rows to learn, and the held-out rows: those of each `share`th file or example, without rows
// whose newest token is not the target's own choice, because decoding never produces them. The
// split only depends on the folder, not on a run's options.
struct SplitRows {
  std::vector<std::size_t> learnt;
  std::vector<std::size_t> held_out;
};
SplitRows split_rows(const RecordedRows& rows, double share);
// At most `most` of `rows`, in ascending order. The choice is random but always the same.
std::vector<std::size_t> some_of(std::span<const std::size_t> rows, std::size_t most);

}  // namespace redraft
