#include "decoding/model/gguf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "tests/decoding/model/gguf_writer.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

GgufWriter small_file() {
  GgufWriter out;
  out.text("general.architecture", "qwen2");
  out.integer("a.count", 7);
  out.real("a.ratio", 0.5F);
  out.texts("a.names", {"one", "", "three"});
  out.integers("a.types", {1, -2, 3});
  out.tensor({"first", {32, 2}, WeightFormat::kQ8_0, std::vector<std::uint8_t>(68, 1)});
  out.tensor({"second", {3}, WeightFormat::kF32, std::vector<std::uint8_t>(12, 2)});
  return out;
}

Result<GgufFile> parse(const std::vector<std::uint8_t>& bytes) {
  return GgufFile::parse("m.gguf", bytes);
}

std::string parse_error(const std::vector<std::uint8_t>& bytes) {
  const Result<GgufFile> file = parse(bytes);
  return file ? "(parsed)" : file.error().message();
}

TEST(Gguf, ReadsMetadataAndTensors) {
  const std::vector<std::uint8_t> bytes = small_file().bytes();
  const Result<GgufFile> file = parse(bytes);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->version(), 3U);
  EXPECT_EQ(*file->text("general.architecture"), "qwen2");
  EXPECT_EQ(*file->integer("a.count", 0, 10), 7);
  EXPECT_EQ(*file->number("a.ratio"), 0.5);
  EXPECT_EQ(*file->number("a.count"), 7.0);
  EXPECT_EQ(*file->texts("a.names"), (std::vector<std::string>{"one", "", "three"}));
  EXPECT_EQ(*file->integers("a.types"), (std::vector<std::int32_t>{1, -2, 3}));
  ASSERT_EQ(file->tensors().size(), 2U);
  const StoredTensor* first = file->find_tensor("first");
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->columns(), 32);
  EXPECT_EQ(first->rows(), 2);
  EXPECT_EQ(first->data.size(), 68U);
  EXPECT_EQ(first->data[67], 1);
  EXPECT_EQ(file->find_tensor("second")->data[0], 2);
  EXPECT_EQ(file->find_tensor("third"), nullptr);
}

TEST(Gguf, ReadsVersionTwoAndOtherAlignments) {
  GgufWriter writer = small_file();
  writer.version = 2;
  writer.alignment = 256;
  writer.integer("general.alignment", 256);
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const Result<GgufFile> file = parse(bytes);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->find_tensor("second")->data[0], 2);
}

TEST(Gguf, LookUpsNameTheKeyAndTheReason) {
  const std::vector<std::uint8_t> bytes = small_file().bytes();
  const Result<GgufFile> file = parse(bytes);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->text("a.missing").error().message(), "m.gguf: key 'a.missing': missing");
  EXPECT_EQ(file->text("a.count").error().message(), "m.gguf: key 'a.count': is not text");
  EXPECT_EQ(file->integer("a.count", 8, 9).error().message(),
            "m.gguf: key 'a.count': 7 is outside 8..9");
  EXPECT_FALSE(file->integer("a.ratio", 0, 9));
  EXPECT_FALSE(file->number("a.names"));
  EXPECT_FALSE(file->texts("a.types"));
  EXPECT_FALSE(file->integers("a.names"));
  EXPECT_FALSE(file->boolean("a.count"));
}

TEST(Gguf, RefusesForeignAndFutureFiles) {
  EXPECT_EQ(parse_error({}), "m.gguf: not a GGUF file");
  EXPECT_EQ(parse_error({'G', 'G', 'U'}), "m.gguf: not a GGUF file");
  EXPECT_EQ(parse_error(std::vector<std::uint8_t>(100, 'x')), "m.gguf: not a GGUF file");
  GgufWriter writer = small_file();
  writer.version = 4;
  EXPECT_EQ(parse_error(writer.bytes()), "m.gguf: GGUF version 4; redraft reads 2 and 3");
}

TEST(Gguf, RefusesDuplicates) {
  GgufWriter keys = small_file();
  keys.integer("a.count", 8);
  EXPECT_EQ(parse_error(keys.bytes()), "m.gguf: key 'a.count': comes twice");
  GgufWriter tensors = small_file();
  tensors.tensor(tensors.tensors()[0]);
  EXPECT_EQ(parse_error(tensors.bytes()), "m.gguf: tensor 'first': comes twice");
}

TEST(Gguf, RefusesTensorsThatDoNotFit) {
  const auto error_with = [](auto change) {
    GgufWriter writer = small_file();
    change(writer.tensors()[1]);
    return parse_error(writer.bytes());
  };
  using Tensor = GgufWriter::Tensor;
  EXPECT_THAT(error_with([](Tensor& t) { t.offset_shift = 1 << 20; }),
              HasSubstr("'second': its data lies beyond"));
  EXPECT_THAT(error_with([](Tensor& t) { t.offset_shift = -32; }),
              HasSubstr("overlaps that of 'first'"));
  EXPECT_THAT(error_with([](Tensor& t) { t.offset_shift = 4; }), HasSubstr("misaligned"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape = {4}; }), HasSubstr("beyond the end"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape = {}; }), HasSubstr("0 dimensions"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape = {0}; }), HasSubstr("impossible dimension"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape = {-3}; }), HasSubstr("impossible dimension"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape.assign(4, INT64_MAX / 2); }),
              HasSubstr("impossible size"));
  EXPECT_THAT(error_with([](Tensor& t) { t.shape.assign(5, 1); }), HasSubstr("5 dimensions"));
  EXPECT_THAT(error_with([](Tensor& t) { t.format = static_cast<WeightFormat>(99); }),
              HasSubstr("format 99"));
  EXPECT_THAT(error_with([](Tensor& t) { t.format = WeightFormat::kQ4_K; }),
              HasSubstr("not whole"));
}

// Three rows of two blocks: the right number of bytes, one byte fewer, and half a block.
TEST(Gguf, ATensorHasTheBytesOfItsFormat) {
  for (std::uint32_t number = 0; number < 64; ++number) {
    const auto format = static_cast<WeightFormat>(number);
    const WeightFormatInfo* const info = weight_format_info(format);
    if (!info) continue;
    GgufWriter writer = small_file();
    const std::vector<std::uint8_t> data(static_cast<std::size_t>(6 * info->block_bytes), 3);
    writer.tensor({"third", {2 * info->block_size, 3}, format, data});
    const Result<GgufFile> file = parse(writer.bytes());
    ASSERT_TRUE(file) << info->name << ": " << file.error().message();
    EXPECT_EQ(file->tensors()[2].format, format);
    EXPECT_TRUE(std::ranges::equal(file->tensors()[2].data, data)) << info->name;
    writer.tensors()[2].data.pop_back();
    EXPECT_THAT(parse_error(writer.bytes()), HasSubstr("beyond the end")) << info->name;
    if (info->block_size == 1) continue;
    writer.tensors()[2].shape[0] -= info->block_size / 2;
    EXPECT_THAT(parse_error(writer.bytes()), HasSubstr(std::string("not whole ") + info->name));
  }
}

TEST(Gguf, RefusesBadAlignment) {
  for (const std::uint32_t alignment : {0U, 3U, 1U << 31}) {
    GgufWriter writer = small_file();
    writer.integer("general.alignment", alignment);
    EXPECT_THAT(parse_error(writer.bytes()), HasSubstr("general.alignment")) << alignment;
  }
}

TEST(Gguf, BelievesNoCount) {
  // Counts come after magic and version; an array's count comes after its key, its type and the
  // element type.
  for (const std::size_t position : {8U, 16U}) {
    std::vector<std::uint8_t> bytes = small_file().bytes();
    for (std::size_t i = 0; i < 8; ++i) bytes[position + i] = 0xFF;
    EXPECT_THAT(parse_error(bytes), HasSubstr("more than it has room for"));
  }
  for (const char* key : {"a.names", "a.types"}) {
    std::vector<std::uint8_t> bytes = small_file().bytes();
    const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t count = view.find(key) + 7 + 4 + 4;
    for (std::size_t i = 0; i < 7; ++i) bytes[count + i] = 0xFF;
    EXPECT_THAT(parse_error(bytes), HasSubstr(std::string("truncated in key '") + key)) << key;
  }
}

TEST(Gguf, KeepsHostileNamesOutOfTheTerminal) {
  GgufWriter writer;
  writer.tensor({"\x1b[2J" + std::string(500, 'n'), {3}, static_cast<WeightFormat>(99), {}});
  const std::string error = parse_error(writer.bytes());
  EXPECT_THAT(error, HasSubstr("'?[2Jnnn"));
  EXPECT_LT(error.size(), 200U);
}

TEST(Gguf, RefusesEveryTruncation) {
  const std::vector<std::uint8_t> whole = small_file().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of exactly that size, so that a sanitizer sees the first byte read beyond it.
    const std::vector<std::uint8_t> cut(whole.begin(),
                                        whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(parse(cut)) << size;
  }
}

// Reads everything that a parsed file offers, so that a wrong view is noticed.
std::uint64_t touch(const GgufFile& file) {
  std::uint64_t sum = 0;
  for (const StoredTensor& tensor : file.tensors()) {
    for (const std::uint8_t byte : tensor.data) sum += byte;
    sum += static_cast<std::uint64_t>(tensor.rows());
  }
  for (const char* key : {"general.architecture", "a.count", "a.ratio", "a.names", "a.types"}) {
    if (const auto text = file.text(key)) sum += text->size();
    if (const auto texts = file.texts(key)) sum += texts->size();
    if (const auto numbers = file.integers(key)) sum += numbers->size();
  }
  return sum;
}

TEST(Gguf, SurvivesEveryMutation) {
  const std::vector<std::uint8_t> whole = small_file().bytes();
  std::mt19937 random(7);
  int parsed = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> bytes = whole;
    for (std::uint32_t change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0:
          bytes[at] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          bytes[at] = 0xFF;
          break;
        case 2:
          bytes[at] ^= static_cast<std::uint8_t>(1U << random() % 8);
          break;
        default:
          bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
      }
    }
    bytes.shrink_to_fit();
    if (const Result<GgufFile> file = parse(bytes)) {
      ++parsed;
      touch(*file);
    }
  }
  EXPECT_GT(parsed, 100);  // the mutations get past the first check
}

TEST(Gguf, OpensAFileAndNamesWhatIsWrongWithIt) {
  const std::filesystem::path directory = ::testing::TempDir();
  const std::filesystem::path path = directory / "redraft_gguf_test.gguf";
  const std::vector<std::uint8_t> bytes = small_file().bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const Result<GgufFile> file = GgufFile::open(path);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_EQ(file->find_tensor("second")->data[0], 2);
  std::filesystem::resize_file(path, 0);
  EXPECT_EQ(GgufFile::open(path).error().message(), path.string() + ": the file is empty");
  std::filesystem::remove(path);
  EXPECT_EQ(GgufFile::open(path).error().message(), path.string() + ": No such file or directory");
  EXPECT_EQ(GgufFile::open(directory).error().message(),
            directory.string() + ": not a regular file");
}

}  // namespace
}  // namespace redraft
