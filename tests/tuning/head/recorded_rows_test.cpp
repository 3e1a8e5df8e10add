#include "tuning/head/recorded_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/tuning/head/rows_kit.h"

namespace redraft {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

class Rows : public ::testing::Test {
 protected:
  std::string error() const {
    const Result<RecordedRows> rows = RecordedRows::open(folder_.path());
    return rows ? "" : rows.error().message();
  }
  // The error with `from` in the manifest replaced.
  std::string error_with(const std::string& from, const std::string& to) const {
    const auto file = folder_ / RecordedManifest::kName;
    const std::string whole = bytes_of(file);
    const std::size_t at = whole.find(from);
    EXPECT_NE(at, whole.npos) << from;
    std::string changed = whole;
    write(file, changed.replace(at, from.size(), to));
    std::string said = error();
    write(file, whole);
    return said;
  }

  TempFolder folder_;
  RecordedShape shape_ = tiny_rows_shape();
  std::filesystem::path labels_ = shard_file(folder_.path(), 0, ShardPart::kLabels);
  std::filesystem::path features_ = shard_file(folder_.path(), 0, ShardPart::kFeatures);
};

TEST_F(Rows, AreReadBack) {
  write_rows(folder_.path(), 3, 5);
  const Result<RecordedRows> rows = RecordedRows::open(folder_.path());
  ASSERT_TRUE(rows) << rows.error().message();
  EXPECT_EQ(rows->shape(), shape_);
  ASSERT_EQ(rows->size(), 15U);
  for (std::size_t i = 0; i < 15; ++i) {
    const TextRows text = random_rows(shape_, 5, static_cast<int>(i / 5), i / 5);
    const RowLabels& wanted = text.labels[i % 5];
    const RowLabels& labels = rows->labels(i);
    EXPECT_EQ(labels.newest, wanted.newest);
    EXPECT_EQ(labels.own, wanted.own);
    EXPECT_EQ(labels.source, wanted.source);
    EXPECT_EQ(labels.count, wanted.count);
    EXPECT_EQ(labels.next, wanted.next);
    const auto features = rows->features(i);
    ASSERT_EQ(features.size(), 128U);
    EXPECT_TRUE(std::equal(features.begin(), features.end(),
                           text.features.begin() + static_cast<std::ptrdiff_t>(i % 5 * 128)));
  }
}

TEST_F(Rows, AWriterGoesOn) {
  write_rows(folder_.path(), 4, 5);
  const std::string whole = bytes_of(labels_) + bytes_of(features_);
  const std::string manifest = bytes_of(folder_ / RecordedManifest::kName);
  const TempFolder parts;
  write_rows(parts.path(), 2, 5);
  {
    // Texts after the last save are lost if the process is killed: what is in the files stays
    // unseen, and the next writer drops it.
    std::ofstream(shard_file(parts.path(), 0, ShardPart::kLabels), std::ios::app) << "half a r";
    std::ofstream(shard_file(parts.path(), 0, ShardPart::kFeatures), std::ios::app) << "x";
    const Result<RecordedRows> rows = RecordedRows::open(parts.path());
    ASSERT_TRUE(rows) << rows.error().message();
    EXPECT_EQ(rows->size(), 10U);
  }
  Result<RowWriter> writer = RowWriter::open(parts.path(), shape_, "settings");
  ASSERT_TRUE(writer) << writer.error().message();
  EXPECT_EQ(writer->progress().texts, 2);
  EXPECT_EQ(writer->progress().tokens, 21);
  std::uint64_t digest = 0;
  for (const int i : {0, 1}) digest = digest_of_tokens(digest, some_tokens(10 + i, i));
  EXPECT_EQ(writer->progress().digest, digest);
  for (const int i : {2, 3})
    ASSERT_TRUE(writer->add(some_tokens(10 + i, i),
                            random_rows(shape_, 5, i, static_cast<std::uint64_t>(i))));
  ASSERT_TRUE(writer->save());
  EXPECT_EQ(bytes_of(shard_file(parts.path(), 0, ShardPart::kLabels)) +
                bytes_of(shard_file(parts.path(), 0, ShardPart::kFeatures)),
            whole);
  EXPECT_EQ(bytes_of(parts / RecordedManifest::kName), manifest);
}

TEST_F(Rows, AnotherWriterIsRefused) {
  write_rows(folder_.path(), 1, 5);
  const auto refusal = [&](const RecordedShape& shape, const char* settings) {
    const Result<RowWriter> writer = RowWriter::open(folder_.path(), shape, settings);
    return writer ? "" : writer.error().message();
  };
  EXPECT_NE(refusal(shape_, "others").find("was begun with other options (settings)"),
            std::string::npos);
  RecordedShape other = shape_;
  other.digest = "d2";
  EXPECT_NE(refusal(other, "settings").find("rows of another model"), std::string::npos);
  const Result<RowWriter> first = RowWriter::open(folder_.path(), shape_, "settings");
  ASSERT_TRUE(first);
  EXPECT_NE(refusal(shape_, "settings").find("another recording is writing to this folder"),
            std::string::npos);
}

TEST_F(Rows, ManifestsAreNotTrusted) {
  write_rows(folder_.path(), 1, 5);
  EXPECT_EQ(error(), "");
  for (const auto& [from, to, said] : std::vector<std::array<std::string, 3>>{
           {"redraft-recorded-rows", "other", "format: is not a recording of rows"},
           {"\"version\": 1", "\"version\": 2", "version: this redraft reads version 1"},
           {"\"hidden\": 64", "\"hidden\": 0", "hidden"},
           {"\"hidden\": 64", "\"hidden\": 65", "is not a shard of this recording"},
           {"\"target_layers\": 2", "\"target_layers\": 1", "layers[1]"},
           {"0,\n    1\n", "1,\n    1\n", "layers: layers must be in ascending order"},
           {"\n    0,\n    1\n  ", "", "layers: expected 1 to 8 layers"},
           {"\"tokens\": 3", "\"tokens\": 9", "tokens"},
           {"\"vocabulary\": 300", "\"vocabulary\": 30", "is not a shard of this recording"},
           {"\n    5\n", "\n    6\n", "is shorter than recorded.json says"},
           {"\n    5\n", "\n    5,\n    1\n", "rows-0001.labels"},
           {"\n    5\n", "\n    -5\n", "shards[0]"},
           {"texts_digest\": \"", "texts_digest\": \"z", "texts_digest: is not a number"},
           {"\"settings\": \"settings\",", "", "settings"}}) {
    EXPECT_NE(error_with(from, to).find(said), std::string::npos)
        << to << ": " << error_with(from, to);
  }
}

TEST_F(Rows, LabelsAreNotTrusted) {
  write_rows(folder_.path(), 1, 5);
  const std::string whole = bytes_of(labels_);
  struct Case {
    std::size_t number;
    std::int32_t value;
    bool good;
  };
  for (const Case& each :
       {Case{0, 299, true}, Case{0, 300, false}, Case{0, -1, false}, Case{1, 2, false},
        Case{1, 0, true}, Case{2, -1, false}, Case{3, 0, false}, Case{3, 4, false},
        Case{3, 3, true}, Case{4, -1, false}, Case{6, 300, false}, Case{6, 299, true}}) {
    std::string changed = whole;
    const std::size_t row = row_bytes(shape_, ShardPart::kLabels);
    std::memcpy(changed.data() + kShardHeaderBytes + row + each.number * 4, &each.value, 4);
    write(labels_, changed);
    EXPECT_EQ(error(), each.good ? "" : labels_.string() + ": row 1 has a number out of its range")
        << each.number << " " << each.value;
  }
}

// Whatever byte is damaged or missing: an error, or rows that are in their ranges.
TEST_F(Rows, DamageIsFoundOrHarmless) {
  write_rows(folder_.path(), 2, 2);
  const auto manifest = folder_ / RecordedManifest::kName;
  int refused = 0;
  for (const auto& file : {manifest, labels_}) {
    const std::string whole = bytes_of(file);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xFF}) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ flip);
        write(file, changed);
        const Result<RecordedRows> rows = RecordedRows::open(folder_.path());
        if (!rows) {
          ++refused;
          continue;
        }
        for (std::size_t i = 0; i < rows->size(); ++i) {
          EXPECT_LT(rows->labels(i).newest, 300);
          EXPECT_LE(rows->labels(i).count, 3);
          EXPECT_EQ(rows->features(i).size(), 128U);
        }
      }
      write(file, whole.substr(0, at));
      refused += RecordedRows::open(folder_.path()) ? 0 : 1;
    }
    write(file, whole);
  }
  EXPECT_GT(refused, 1000);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{63}, std::size_t{64 + 4 * 256 - 1}}) {
    std::filesystem::resize_file(features_, kept);
    EXPECT_NE(error(), "") << kept;
  }
}

}  // namespace
}  // namespace redraft
