#include "decoding/model/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/decoding/model/safetensors_writer.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

SafetensorsWriter two_tensors() {
  SafetensorsWriter writer;
  writer.floats("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  writer.tensor({"b", "BF16", {4}, {0, 1, 2, 3, 4, 5, 6, 7}});
  return writer;
}

std::string error_of(const std::vector<std::uint8_t>& bytes) {
  const Result<SafetensorsFile> file = SafetensorsFile::parse("m.safetensors", bytes);
  return file ? "(parsed)" : file.error().message();
}
std::string error_of(const SafetensorsWriter& writer) { return error_of(writer.bytes()); }

TEST(Safetensors, GivesTensorsWithTheirBytes) {
  const std::vector<std::uint8_t> bytes = two_tensors().bytes();
  const Result<SafetensorsFile> file = SafetensorsFile::parse("m.safetensors", bytes);
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->tensors().size(), 2U);
  const StoredTensor& a = file->tensors()[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.format, WeightFormat::kF32);
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{3, 2}));  // the fastest dimension first
  EXPECT_EQ(a.data.size(), 24U);
  EXPECT_EQ(a.data.data() + 24, file->tensors()[1].data.data());
  EXPECT_EQ(file->tensors()[1].format, WeightFormat::kBF16);
  EXPECT_EQ(file->tensors()[1].data.data() + 8, bytes.data() + bytes.size());
}

TEST(Safetensors, TakesAScalarAndAnEmptyFile) {
  SafetensorsWriter writer;
  EXPECT_EQ(error_of(writer), "(parsed)");
  writer.floats("s", {}, {1});
  EXPECT_EQ(error_of(writer), "(parsed)");
}

TEST(Safetensors, RefusesOtherTypesByName) {
  SafetensorsWriter writer = two_tensors();
  writer.tensors()[1].type = "I64";
  EXPECT_EQ(error_of(writer),
            "m.safetensors: tensor 'b': its type is 'I64'; redraft reads F32, F16 and BF16");
}

TEST(Safetensors, RefusesRangesThatAreNotTheirs) {
  const auto with = [](std::size_t tensor, std::int64_t begin, std::int64_t end) {
    SafetensorsWriter writer = two_tensors();
    writer.tensors()[tensor].begin_shift = begin;
    writer.tensors()[tensor].end_shift = end;
    return error_of(writer);
  };
  EXPECT_EQ(with(1, 4, 4),
            "m.safetensors: tensor 'b': its data lies beyond the end of the file (truncated?)");
  EXPECT_EQ(with(1, -4, -4), "m.safetensors: tensor 'b': its data overlaps that of 'a'");
  EXPECT_EQ(with(1, 0, -2),
            "m.safetensors: tensor 'b': has 6 bytes of data where its shape needs 8");
  EXPECT_EQ(with(0, -8, -8),
            "m.safetensors: header: a.data_offsets[0]: -8 is outside "
            "0..9223372036854775807");
  EXPECT_EQ(with(1, 10, 0), "m.safetensors: header: b.data_offsets: ends before it begins");
  EXPECT_THAT(with(1, 0, std::int64_t{1} << 62), HasSubstr("beyond the end of the file"));

  SafetensorsWriter gap = two_tensors();
  gap.tensors()[0].shape = {2, 2};
  gap.tensors()[0].end_shift = -8;
  EXPECT_EQ(error_of(gap), "m.safetensors: tensor 'b': its data begins after a gap");
  std::vector<std::uint8_t> longer = two_tensors().bytes();
  longer.resize(longer.size() + 5);
  EXPECT_EQ(error_of(longer), "m.safetensors: 5 bytes at its end belong to no tensor");
}

TEST(Safetensors, RefusesImpossibleShapes) {
  const auto with = [](std::vector<std::int64_t> shape) {
    SafetensorsWriter writer = two_tensors();
    writer.tensors()[0].shape = std::move(shape);
    return error_of(writer);
  };
  EXPECT_EQ(with({3, 3}),
            "m.safetensors: tensor 'a': has 24 bytes of data where its shape needs 36");
  EXPECT_THAT(with({-2, -3}), HasSubstr("header: a.shape[0]: -2 is outside"));
  EXPECT_THAT(with({2, 0}), HasSubstr("header: a.shape[1]: 0 is outside"));
  EXPECT_EQ(with({1LL << 32, 1LL << 32}), "m.safetensors: tensor 'a': an impossible size");
  EXPECT_THAT(with({1, 1, 1, 2, 3}), HasSubstr("5 dimensions; redraft takes up to 4"));
}

TEST(Safetensors, RefusesHeadersThatAreNone) {
  const SafetensorsWriter writer = two_tensors();
  EXPECT_EQ(error_of(std::vector<std::uint8_t>(5)), "m.safetensors: not a safetensors file");
  EXPECT_EQ(error_of(std::vector<std::uint8_t>(100, 0xFF)),
            "m.safetensors: claims a header of 18446744073709551615 bytes, more than it may have "
            "(truncated, or not a safetensors file)");
  std::vector<std::uint8_t> cut = writer.bytes();
  cut.resize(40);
  EXPECT_THAT(error_of(cut), HasSubstr("truncated"));
  EXPECT_EQ(error_of(writer.with_header("[1]")), "m.safetensors: header: expected an object");
  EXPECT_EQ(error_of(writer.with_header("{\"a\xff\": 1}")),
            "m.safetensors: header: not UTF-8 at byte 4");
  EXPECT_EQ(error_of(writer.with_header(R"({"a": {"dtype": "F32"}, "a": {}})")),
            "m.safetensors: header: a: appears twice");
  EXPECT_EQ(error_of(writer.with_header(R"({"a": {"dtype": 3}})")),
            "m.safetensors: header: a.dtype: expected a string");
  EXPECT_EQ(error_of(writer.with_header(R"({"a": {"dtype": "F32"}})")),
            "m.safetensors: header: a: has no shape");
  EXPECT_EQ(error_of(writer.with_header(R"({"a": {"dtype": "F32", "shape": 3}})")),
            "m.safetensors: header: a.shape: expected an array");
  EXPECT_EQ(error_of(writer.with_header(
                R"({"a": {"dtype": "F32", "shape": [6], "data_offsets": [0, 24, 32]}})")),
            "m.safetensors: header: a.data_offsets: expected a begin and an end");
  EXPECT_THAT(error_of(writer.with_header(std::string(1000, '['))),
              HasSubstr("nested deeper than"));
}

// Damaged files are refused, or give tensors whose bytes can all be read.
TEST(Safetensors, DamageNeverEscapes) {
  const std::vector<std::uint8_t> good = two_tensors().bytes();
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<std::uint8_t> bytes = good;
    bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    if (round % 2 == 0) bytes.resize(random() % bytes.size());
    const Result<SafetensorsFile> file = SafetensorsFile::parse("m.safetensors", bytes);
    refused += !file;
    if (!file) continue;
    for (const StoredTensor& tensor : file->tensors())
      EXPECT_GE(std::accumulate(tensor.data.begin(), tensor.data.end(), 0), 0);
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace redraft
