#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decoding/kernels/half.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/temp_folder.h"
#include "tuning/head/head_data.h"
#include "tuning/head/row_writer.h"
#include "tuning/random_stream.h"

namespace redraft {

// Rows as they could be of a TinyModel.
inline RecordedShape tiny_rows_shape() {
  return {.target = "tiny",
          .digest = "d1",
          .hidden = 64,
          .target_layers = 2,
          .vocabulary = 300,
          .layers = {0, 1},
          .tokens = 3};
}

// `count` rows of one text: random features, and tokens below `tokens` that follow from the newest
// one, so that a head can learn them.
inline TextRows random_rows(const RecordedShape& shape, int count, std::int32_t source,
                            std::uint64_t seed, int tokens = 40) {
  const RandomStream random(seed, 7);
  TextRows out;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const auto newest = static_cast<TokenId>(random.bits(index) % static_cast<unsigned>(tokens));
    RowLabels labels{.newest = newest,
                     .own = i % 4 != 3,
                     .source = source,
                     .count = i % shape.tokens + 1,
                     .next = {}};
    for (int place = 0; place < shape.tokens; ++place)
      labels.next[static_cast<std::size_t>(place)] = (newest * (place + 3) + place) % tokens;
    out.labels.push_back(labels);
    for (std::size_t j = 0; j < shape.feature_count(); ++j)
      out.features.push_back(kernels::float_to_half(
          static_cast<float>(4 * random.unit(1000 + index * shape.feature_count() + j) - 2)));
  }
  return out;
}

inline std::vector<TokenId> some_tokens(int count, TokenId first) {
  std::vector<TokenId> out;
  for (int i = 0; i < count; ++i) out.push_back((first + i) % 300);
  return out;
}

// A folder of such rows: text i has `rows` of them and 10 + i tokens.
inline void write_rows(const std::filesystem::path& folder, int texts, int rows,
                       const RecordedShape& shape = tiny_rows_shape()) {
  Result<RowWriter> writer = RowWriter::open(folder, shape, "settings");
  ASSERT_TRUE(writer) << writer.error().message();
  for (int i = 0; i < texts; ++i)
    ASSERT_TRUE(writer->add(some_tokens(10 + i, i),
                            random_rows(shape, rows, i, static_cast<std::uint64_t>(i))));
  ASSERT_TRUE(writer->save());
}

// The parts of a tiny target that a head shares with it.
class TinyTarget {
 public:
  explicit TinyTarget(const TinyModel& tiny = {}) : bytes_(tiny.writer().bytes()) {
    files_ = gguf_model(*GgufFile::parse("tiny.gguf", bytes_));
    Result<TargetRows> rows = TargetRows::open(*files_);
    EXPECT_TRUE(rows) << rows.error().message();
    rows_ = std::make_unique<TargetRows>(std::move(*rows));
  }
  const TargetRows& rows() const { return *rows_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::unique_ptr<const ModelFiles> files_;
  std::unique_ptr<TargetRows> rows_;
};

}  // namespace redraft
