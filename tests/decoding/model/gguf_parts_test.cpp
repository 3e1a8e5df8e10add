#include "decoding/model/gguf_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "decoding/model/gguf.h"
#include "decoding/model/model_stamp.h"
#include "decoding/model/model_summary.h"
#include "tests/decoding/model/gguf_split.h"
#include "tests/decoding/model/gguf_writer.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

TEST(GgufPartName, IsReadFromTheFilesName) {
  const auto name = gguf_part_name("m.v1-Q4_K_M-00002-of-00003.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->model, "m.v1-Q4_K_M");
  EXPECT_EQ(name->number, 2);
  EXPECT_EQ(name->count, 3);
  EXPECT_EQ(name->other(1), "m.v1-Q4_K_M-00001-of-00003.gguf");
  for (const char* other :
       {"m.gguf", "m-00002-of-00001.gguf", "m-00000-of-00002.gguf", "m-2-of-3.gguf",
        "m-00001-of-99999.gguf", "00001-of-00002.gguf", "m-00001_of-00002.gguf", ".gguf", "",
        "m-00001-of-00002.bin", "m-0000x-of-00002.gguf"})
    EXPECT_FALSE(gguf_part_name(other)) << other;
}

TEST(GgufPartName, NamesTheFilesOfAModel) {
  EXPECT_THAT(gguf_files("/a/m-00001-of-00003.gguf"),
              ElementsAre("/a/m-00001-of-00003.gguf", "/a/m-00002-of-00003.gguf",
                          "/a/m-00003-of-00003.gguf"));
  EXPECT_THAT(gguf_files("/a/m-00002-of-00003.gguf"), ElementsAre("/a/m-00002-of-00003.gguf"));
  EXPECT_THAT(gguf_files("m.gguf"), ElementsAre("m.gguf"));
}

class GgufParts : public testing::Test {
 protected:
  // Replaces a file by these bytes.
  void write(const std::string& name, const std::vector<std::uint8_t>& bytes) const {
    std::ofstream(folder_.path() / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  std::string opening_error(const std::filesystem::path& file) const {
    const Result<GgufFile> opened = GgufFile::open(file);
    return opened ? "(opened)" : opened.error().message();
  }
  std::filesystem::path write_model(std::size_t count, std::uint32_t seed = 1) const {
    return write_parts(folder_.path(), "m", split_gguf(TinyModel{.seed = seed}.writer(), count));
  }
  std::string name(int part) const { return GgufPartName{"m", part, 3}.other(part); }

  TempFolder folder_;
};

TEST_F(GgufParts, TogetherAreTheModel) {
  const GgufWriter model = TinyModel().writer();
  const std::vector<std::uint8_t> bytes = model.bytes();
  const Result<GgufFile> whole = GgufFile::parse("whole", bytes);
  ASSERT_TRUE(whole);
  for (const std::size_t count : {2, 3, 7}) {
    const std::filesystem::path first = write_parts(folder_.path(), "m", split_gguf(model, count));
    const Result<GgufFile> joined = GgufFile::open(first);
    ASSERT_TRUE(joined) << joined.error().message();
    EXPECT_EQ(*joined->text("general.name"), *whole->text("general.name"));
    ASSERT_EQ(joined->tensors().size(), whole->tensors().size());
    for (const StoredTensor& tensor : whole->tensors()) {
      const StoredTensor* const found = joined->find_tensor(tensor.name);
      ASSERT_NE(found, nullptr) << tensor.name;
      EXPECT_EQ(found->shape, tensor.shape);
      EXPECT_TRUE(std::ranges::equal(found->data, tensor.data)) << tensor.name;
    }
    joined->release_pages();
    EXPECT_EQ(joined->tensors().back().data.back(), whole->tensors().back().data.back());
  }
}

TEST_F(GgufParts, RunLikeTheModel) {
  const std::filesystem::path first = write_model(3);
  const ModelSummary parts = summarise_model(first);
  EXPECT_EQ(parts.why_not, "");
  write("whole.gguf", TinyModel().writer().bytes());
  const ModelSummary whole = summarise_model(folder_.path() / "whole.gguf");
  EXPECT_EQ(parts.weight_bytes, whole.weight_bytes);
  EXPECT_EQ(parts.parameters, whole.parameters);
}

TEST_F(GgufParts, AnErrorOfATensorNamesItsPart) {
  const Result<GgufFile> joined = GgufFile::open(write_model(3));
  ASSERT_TRUE(joined) << joined.error().message();
  const std::string_view first = joined->tensors().front().name;
  const std::string_view last = joined->tensors().back().name;
  EXPECT_THAT(joined->tensor_error(first, "x").message(), HasSubstr(name(1) + ": tensor"));
  EXPECT_THAT(joined->tensor_error(last, "x").message(), HasSubstr(name(3) + ": tensor"));
  EXPECT_THAT(joined->tensor_error("none", "x").message(), HasSubstr(name(1) + ": tensor"));
}

TEST_F(GgufParts, AMissingOneIsNamed) {
  const std::filesystem::path first = write_model(3);
  std::filesystem::remove(folder_.path() / name(2));
  const std::string error = opening_error(first);
  EXPECT_THAT(error, HasSubstr("is part 1 of 3 of a model, and " + name(2) + " is missing"));
  EXPECT_THAT(error, HasSubstr("llama-gguf-split --merge"));
  EXPECT_THAT(error, HasSubstr("redraft models pull"));
}

TEST_F(GgufParts, TheFirstOneNamesTheModel) {
  write_model(3);
  const std::string error = opening_error(folder_.path() / name(2));
  EXPECT_THAT(error, HasSubstr("is part 2 of 3"));
  EXPECT_THAT(error, EndsWith("name the first part, " + name(1)));
  std::filesystem::rename(folder_.path() / name(1), folder_.path() / "renamed.gguf");
  EXPECT_THAT(opening_error(folder_.path() / "renamed.gguf"),
              EndsWith("rename it to renamed-00001-of-00003.gguf"));
  std::filesystem::copy(folder_.path() / "renamed.gguf", folder_.path() / "m-00001-of-00002.gguf");
  EXPECT_THAT(opening_error(folder_.path() / "m-00001-of-00002.gguf"), HasSubstr(name(1)));
}

TEST_F(GgufParts, OfAnotherModelAreRefused) {
  const std::filesystem::path first = write_model(3);
  const std::vector<GgufWriter> right = split_gguf(TinyModel().writer(), 3);
  const auto error_with = [&](const GgufWriter& second) {
    write(name(2), second.bytes());
    return opening_error(first);
  };
  EXPECT_THAT(error_with(right[2]), HasSubstr(name(2) + ": is part 3 of 3, where part 2 of 3"));
  EXPECT_THAT(error_with(split_gguf(TinyModel().writer(), 4)[1]), HasSubstr("is part 2 of 4"));
  EXPECT_THAT(error_with(TinyModel().writer()), HasSubstr("is no part of a model"));
  EXPECT_THAT(error_with(split_gguf(TinyModel{.layers = 3}.writer(), 3)[1]),
              HasSubstr("a model with other tensors"));
  GgufWriter other = right[1];
  other.text("general.architecture", "llama");
  EXPECT_THAT(error_with(other), HasSubstr("is of the architecture 'llama'"));
  other = right[1];
  other.tensors().pop_back();
  EXPECT_THAT(error_with(other), HasSubstr("tensors where"));
  other.tensor(split_gguf(TinyModel().writer(), 3)[0].tensors().front());
  EXPECT_THAT(error_with(other), HasSubstr("is in another part of the model too"));
  EXPECT_EQ(error_with(right[1]), "(opened)");
}

TEST_F(GgufParts, ClaimThatAreImpossibleAreRefused) {
  for (const auto& [number, count] : std::vector<std::pair<int, int>>{{3, 3}, {0, 0}, {0, 60000}}) {
    GgufWriter first = TinyModel().writer();
    first.short_integer("split.no", static_cast<std::uint16_t>(number));
    first.short_integer("split.count", static_cast<std::uint16_t>(count));
    write(name(1), first.bytes());
    EXPECT_THAT(opening_error(folder_.path() / name(1)), HasSubstr("is outside")) << count;
  }
  GgufWriter first = TinyModel().writer();
  first.text("split.count", "3");
  write(name(1), first.bytes());
  EXPECT_THAT(opening_error(folder_.path() / name(1)), HasSubstr("is not a whole number"));
}

TEST_F(GgufParts, AModelInOnePartIsAFile) {
  const std::filesystem::path first = write_model(1);
  EXPECT_EQ(opening_error(first), "(opened)");
}

TEST_F(GgufParts, AllAreInTheStamp) {
  const std::filesystem::path first = write_model(3);
  const ModelStamp before = ModelStamp::settled(first);
  EXPECT_TRUE(before.complete());
  std::filesystem::resize_file(folder_.path() / name(3), 100);
  EXPECT_NE(ModelStamp::of(first).weights(), before.weights());
  std::filesystem::remove(folder_.path() / name(3));
  EXPECT_FALSE(ModelStamp::of(first).complete());
}

// Whatever the parts hold, they are joined or refused, and what is joined can be read.
TEST_F(GgufParts, OfArbitraryBytesAreJoinedOrRefused) {
  std::mt19937 random(3);
  GgufWriter small;
  small.text("general.architecture", "qwen2");
  for (const char* tensor : {"a", "b", "c", "d"})
    small.tensor({tensor, {3}, WeightFormat::kF32, std::vector<std::uint8_t>(12, 2)});
  int n_joined = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::size_t count = 1 + random() % 4;
    std::vector<std::vector<std::uint8_t>> bytes;
    for (const GgufWriter& part : split_gguf(small, count)) bytes.push_back(part.bytes());
    if (round % 5 == 0) std::ranges::shuffle(bytes, random);
    for (auto n = random() % 3; n > 0; --n) {
      std::vector<std::uint8_t>& part = bytes[random() % count];
      part[random() % part.size()] = static_cast<std::uint8_t>(random());
    }
    std::vector<GgufFile> parts;
    for (std::vector<std::uint8_t>& part : bytes) {
      part.shrink_to_fit();
      if (Result<GgufFile> parsed = GgufFile::parse("part", part))
        parts.push_back(std::move(*parsed));
    }
    if (parts.empty()) continue;
    const Result<GgufFile> joined = GgufFile::join(std::move(parts));
    if (!joined) continue;
    ++n_joined;
    std::size_t sum = 0;
    for (const StoredTensor& tensor : joined->tensors())
      for (const std::uint8_t byte : joined->find_tensor(tensor.name)->data) sum += byte;
    EXPECT_GT(sum, 0);
  }
  EXPECT_GT(n_joined, 1000);
}

}  // namespace
}  // namespace redraft
