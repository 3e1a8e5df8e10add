#include "decoding/model/draft_head_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
using Tensors = std::vector<SafetensorsWriter::Tensor>;

std::string parse_error(const std::string& config_text, const std::vector<std::uint8_t>& bytes) {
  const Result<JsonDocument> config = JsonDocument::parse("c.json", config_text);
  if (!config) return config.error().message();
  Result<SafetensorsFile> weights =
      SafetensorsFile::parse("w", bytes, SafetensorsTypes::kFloatsAndIntegers);
  if (!weights) return weights.error().message();
  const Result<DraftHeadFiles> files = DraftHeadFiles::parse(*config, std::move(*weights));
  return files ? "(parsed)" : files.error().message();
}

// The error after a change of the configuration of a good head.
std::string error_with(std::string_view from, std::string_view to) {
  const TinyDraftHead head;
  std::string config = head.config();
  const std::size_t at = config.find(from);
  EXPECT_NE(at, config.npos) << from;
  return parse_error(config.replace(at, from.size(), to), head.weights().bytes());
}

// The error after a change of its tensors.
std::string error_with(const std::function<void(Tensors&)>& change) {
  const TinyDraftHead head;
  SafetensorsWriter weights = head.weights();
  change(weights.tensors());
  return parse_error(head.config(), weights.bytes());
}

SafetensorsWriter::Tensor& named(Tensors& tensors, const std::string& name) {
  return *std::ranges::find(tensors, name, &SafetensorsWriter::Tensor::name);
}

TransformerShape tiny_target() {
  TransformerShape shape;
  shape.layers = 2;
  shape.hidden = 64;
  shape.vocabulary = 300;
  return shape;
}

TEST(DraftHeadFiles, ReadsWhatIsWritten) {
  const TempFolder folder;
  TinyDraftHead head;
  head.shape.target = "a \"name\"\n";
  ASSERT_TRUE(head.write(folder.path()));
  const Result<DraftHeadFiles> files = DraftHeadFiles::open(folder.path());
  ASSERT_TRUE(files) << files.error().message();
  EXPECT_EQ(files->shape(), head.shape);
  EXPECT_EQ(files->vocabulary(), head.vocabulary);
  std::size_t at = 0;
  for (const DraftHeadTensor& tensor : draft_head_tensors(head.shape)) {
    const StoredTensor& stored = files->tensor(tensor.name);
    ASSERT_EQ(stored.format, WeightFormat::kF32);
    ASSERT_EQ(stored.data.size(), sizeof(float) * static_cast<std::size_t>(tensor.size()));
    EXPECT_EQ(std::memcmp(stored.data.data(), head.parameters.data() + at, stored.data.size()), 0)
        << tensor.name;
    at += static_cast<std::size_t>(tensor.size());
  }
  EXPECT_TRUE(files->check_fits(tiny_target(), "tiny"));
}

TEST(DraftHeadFiles, TakesHalfPrecisionAndNoName) {
  const TinyDraftHead head;
  EXPECT_EQ(parse_error(head.config(), head.weights("BF16").bytes()), "(parsed)");
  EXPECT_EQ(error_with(R"(, "target": "tiny")", ""), "(parsed)");
  EXPECT_EQ(error_with(R"("tiny")", "null"), "(parsed)");
}

TEST(DraftHeadFiles, RefusesNumbersOutsideTheirRange) {
  const auto with = [](std::string_view key, std::string_view from, std::string_view to) {
    const std::string quote = "\"" + std::string(key) + "\": ";
    return error_with(quote + std::string(from), quote + std::string(to));
  };
  EXPECT_EQ(with("hidden", "64", "16"), "c.json: hidden: 16 is outside 32..65536");
  EXPECT_EQ(with("hidden", "64", "72"), "c.json: hidden: is no multiple of 32");
  EXPECT_EQ(with("target_layers", "2", "0"), "c.json: target_layers: 0 is outside 1..4096");
  EXPECT_EQ(with("target_vocabulary", "300", "0"),
            "c.json: target_vocabulary: 0 is outside 1..2147483647");
  EXPECT_EQ(with("layers", "[0, 1]", "[]"), "c.json: layers: expected 1 to 8 layers");
  EXPECT_EQ(with("layers", "[0, 1]", "[0, 1, 2, 3, 4, 5, 6, 7, 8]"),
            "c.json: layers: expected 1 to 8 layers");
  EXPECT_EQ(with("layers", "[0, 1]", "[0, 2]"), "c.json: layers[1]: 2 is outside 0..1");
  EXPECT_EQ(with("layers", "[0, 1]", "[-1, 1]"), "c.json: layers[0]: -1 is outside 0..1");
  EXPECT_EQ(with("layers", "[0, 1]", "[1, 1]"), "c.json: layers[1]: layers have to ascend");
  EXPECT_EQ(with("layers", "[0, 1]", "1"), "c.json: layers: expected an array");
  EXPECT_EQ(with("tokens", "3", "0"), "c.json: tokens: 0 is outside 1..8");
  EXPECT_EQ(with("tokens", "3", "9"), "c.json: tokens: 9 is outside 1..8");
  EXPECT_EQ(with("width", "96", "97"), "c.json: width: is no multiple of 32");
  EXPECT_EQ(with("width", "96", "0"), "c.json: width: 0 is outside 32..1048576");
  EXPECT_EQ(with("vocabulary", "70", "0"), "c.json: vocabulary: 0 is outside 1..300");
  EXPECT_EQ(with("vocabulary", "70", "301"), "c.json: vocabulary: 301 is outside 1..300");
  EXPECT_EQ(with("width", "96", "\"96\""), "c.json: width: expected a whole number");
}

TEST(DraftHeadFiles, RefusesOtherFormatsAndKeys) {
  EXPECT_EQ(error_with("redraft-draft-head", "medusa"),
            "c.json: format: 'medusa' is no draft head");
  EXPECT_EQ(error_with(R"("version": 1)", R"("version": 2)"),
            "c.json: version: this redraft reads version 1");
  EXPECT_EQ(error_with(R"("target":)", R"("attention":)"),
            "c.json: attention: is not known to this version of redraft");
  EXPECT_EQ(error_with(R"("tiny")", "7"), "c.json: target: expected a string");
  for (const char* key :
       {"\"format\"", "\"version\"", "\"hidden\"", "\"target_layers\"", "\"target_vocabulary\"",
        "\"layers\"", "\"tokens\"", "\"width\"", "\"vocabulary\""}) {
    const std::string name = std::string(key).substr(1, std::string(key).size() - 2);
    EXPECT_THAT(error_with(key, "\"target_name\""), HasSubstr("is not known")) << name;
    std::string config = TinyDraftHead().config();
    const std::size_t begin = config.find(key);
    const std::size_t list = config.find(name == "layers" ? "], " : ", ", begin);
    config.erase(begin, list + (name == "layers" ? 3 : 2) - begin);
    EXPECT_EQ(parse_error(config, TinyDraftHead().weights().bytes()), "c.json: has no " + name);
  }
  EXPECT_EQ(parse_error("[]", TinyDraftHead().weights().bytes()), "c.json: expected an object");
}

TEST(DraftHeadFiles, RefusesTensorsThatDoNotFit) {
  EXPECT_EQ(error_with([](Tensors& t) {
              named(t, "input.weight").shape = {192, 64};
            }),
            "w: tensor 'input.weight': its shape is [192, 64] where [64, 192] is expected");
  EXPECT_EQ(error_with([](Tensors& t) {
              named(t, "mlp_norm").shape = {64, 1};
            }),
            "w: tensor 'mlp_norm': its shape is [64, 1] where [64] is expected");
  EXPECT_EQ(error_with(R"("tokens": 3)", R"("tokens": 2)"),
            "w: tensor 'place.2.weight': is no part of this draft head");
  EXPECT_EQ(error_with(R"("tokens": 3)", R"("tokens": 4)"),
            "w: tensor 'place.3.weight': is missing");
  for (const DraftHeadTensor& tensor : draft_head_tensors(TinyDraftHead().shape)) {
    EXPECT_EQ(error_with([&](Tensors& t) { named(t, tensor.name).name = "x"; }),
              "w: tensor 'x': is no part of this draft head");
    EXPECT_EQ(error_with([&](Tensors& t) {
                std::erase_if(t, [&](const auto& each) { return each.name == tensor.name; });
              }),
              "w: tensor '" + tensor.name + "': is missing");
    EXPECT_EQ(error_with([&](Tensors& t) { named(t, tensor.name).type = "I32"; }),
              "w: tensor '" + tensor.name + "': is missing");
    for (const float value : {NAN, INFINITY, -INFINITY}) {
      EXPECT_EQ(error_with([&](Tensors& t) {
                  std::memcpy(named(t, tensor.name).data.data() + 4, &value, sizeof value);
                }),
                "w: tensor '" + tensor.name + "': holds a number that is not finite");
    }
  }
}

TEST(DraftHeadFiles, RefusesAWrongVocabulary) {
  const auto with = [](std::size_t idx, TokenId token) {
    return error_with([&](Tensors& t) {
      std::memcpy(t.back().data.data() + idx * sizeof token, &token, sizeof token);
    });
  };
  EXPECT_EQ(with(0, -1), "w: tensor 'vocabulary.tokens': holds a token outside 0..299");
  EXPECT_EQ(with(69, 300), "w: tensor 'vocabulary.tokens': holds a token outside 0..299");
  EXPECT_EQ(with(1, 0), "w: tensor 'vocabulary.tokens': its tokens do not ascend");
  EXPECT_EQ(error_with([](Tensors& t) { t.pop_back(); }),
            "w: tensor 'vocabulary.tokens': is missing");
  EXPECT_EQ(error_with([](Tensors& t) {
              t.back().shape = {35, 2};
            }),
            "w: tensor 'vocabulary.tokens': its shape is [35, 2] where [70] is expected");
  EXPECT_EQ(error_with([](Tensors& t) { t.back().type = "F32"; }),
            "w: tensor 'vocabulary.tokens': its type has to be I32");
  EXPECT_EQ(error_with([](Tensors& t) { t.back().type = "I64"; }),
            "w: tensor 'vocabulary.tokens': its type is 'I64'; redraft reads F32, F16 and BF16");
  EXPECT_EQ(error_with([](Tensors& t) {
              t.push_back({"more", "I32", {1}, {0, 0, 0, 0}});
            }),
            "w: tensor 'more': is no part of this draft head");
}

TEST(DraftHeadFiles, RefusesAnotherTarget) {
  const TempFolder folder;
  ASSERT_TRUE(TinyDraftHead().write(folder.path()));
  const Result<DraftHeadFiles> files = DraftHeadFiles::open(folder.path());
  ASSERT_TRUE(files);
  const std::string begin = (folder / "draft_head.json").string() + ": ";
  const auto error = [&](const TransformerShape& target) {
    const Result<void> fits = files->check_fits(target, "m.gguf");
    return fits ? "(fits)" : fits.error().message();
  };
  TransformerShape target = tiny_target();
  EXPECT_EQ(error(target), "(fits)");
  target.hidden = 96;
  EXPECT_EQ(error(target), begin +
                               "hidden: the head is for a target with 64 (it was trained for "
                               "'tiny'), and m.gguf has 96");
  target = tiny_target();
  target.layers = 3;
  EXPECT_THAT(error(target), HasSubstr("target_layers: the head is for a target with 2 "));
  target = tiny_target();
  target.vocabulary = 301;
  EXPECT_THAT(error(target), HasSubstr("target_vocabulary: the head is for a target with 300 "));
}

TEST(DraftHeadFiles, RefusesMissingAndBrokenFiles) {
  const TempFolder folder;
  const auto error = [&] {
    const Result<DraftHeadFiles> files = DraftHeadFiles::open(folder.path());
    return files ? "(opened)" : files.error().message();
  };
  EXPECT_THAT(error(), HasSubstr((folder / "draft_head.json").string()));
  folder.write("draft_head.json", TinyDraftHead().config());
  EXPECT_THAT(error(), HasSubstr((folder / "draft_head.safetensors").string()));
  folder.write("draft_head.safetensors", "short");
  EXPECT_THAT(error(), HasSubstr("not a safetensors file"));
  ASSERT_TRUE(TinyDraftHead().write(folder.path()));
  EXPECT_EQ(error(), "(opened)");
  folder.write("draft_head.json", TinyDraftHead().config() + std::string(2 << 20, ' '));
  EXPECT_THAT(error(), HasSubstr("draft_head.json"));
  const TinyDraftHead head;
  EXPECT_FALSE(write_draft_head(folder / "none", head.shape, head.parameters, head.vocabulary));
}

TEST(DraftHeadFiles, TheSeedOfTheFuzzerIsAccepted) {
  const TinyDraftHead seed = draft_head_seed();
  EXPECT_EQ(parse_error(seed.config(), seed.weights("BF16").bytes()), "(parsed)");
}

}  // namespace
}  // namespace redraft
