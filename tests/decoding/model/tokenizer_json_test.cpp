// tokenizer.json as the `tokenizers` package writes it for each family, and everything else that a
// file with that name may contain.
#include "decoding/model/tokenizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "tests/text/tokenizer_kit.h"

namespace redraft {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

json published(const std::string& pre_tokenizer) {
  std::ifstream stream(std::string(REDRAFT_TEXT_DATA) + "/tiny_" + pre_tokenizer +
                       "_tokenizer.json");
  return json::parse(stream);
}

Result<TokenizerSpec> read(const std::string& text) {
  const Result<JsonDocument> file = JsonDocument::parse("t.json", text);
  if (!file) return file.error();
  return read_tokenizer_json(*file);
}

Result<std::shared_ptr<const Tokenizer>> make(const std::string& text) {
  Result<TokenizerSpec> spec = read(text);
  if (!spec) return spec.error();
  return Tokenizer::make(*std::move(spec));
}

TEST(TokenizerJson, EqualsThePackageThatWroteIt) {
  for (const std::string name : kBytePreTokenizers) {
    SCOPED_TRACE(name);
    const Result<TokenizerSpec> spec = read(published(name).dump());
    ASSERT_TRUE(spec) << spec.error().message();
    EXPECT_EQ(spec->pre_tokenizer, name);
    EXPECT_EQ(spec->ignore_merges, name == "llama-bpe" || name == "gpt-4o" || name == "tekken");
    EXPECT_EQ(spec->add_bos, name == "llama-bpe");
    const auto tokenizer = Tokenizer::make(*spec);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message();
    check_golden_ids(**tokenizer, "tiny_" + name + "_ids.json");
    EXPECT_EQ((*tokenizer)->special("<|im_start|>"), 597);
    EXPECT_EQ((*tokenizer)->bytes(597), "");
    EXPECT_EQ((*tokenizer)->special("<tool_call>"), 600);
    EXPECT_EQ((*tokenizer)->bytes(600), "<tool_call>");
    for (const TokenId id : (*tokenizer)->encode("a <tool_call> <|im_start|>")) {
      EXPECT_FALSE((*tokenizer)->is_special(id));
    }
  }
}

TEST(TokenizerJson, Gemma4EqualsThePackageThatWroteIt) {
  const Result<TokenizerSpec> spec = read(published("gemma4").dump());
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->pre_tokenizer, "gemma4");
  EXPECT_FALSE(spec->ignore_merges);
  EXPECT_TRUE(spec->add_bos);
  EXPECT_EQ(spec->tokens[static_cast<std::size_t>(spec->bos)], "<bos>");
  const auto tokenizer = Tokenizer::make(*spec);
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  check_golden_ids(**tokenizer, "tiny_gemma4_ids.json");
  EXPECT_EQ((*tokenizer)->special("<|turn>"), 4);
  EXPECT_EQ((*tokenizer)->bytes(4), "");
  EXPECT_EQ((*tokenizer)->special("<tool_call>"), 664);
  EXPECT_EQ((*tokenizer)->bytes(664), "<tool_call>");
  // Listed as added, but merges make them.
  EXPECT_EQ((*tokenizer)->special("\n\n"), -1);
  EXPECT_EQ((*tokenizer)->encode("a\n\nb").size(), 3u);
}

template <typename Change>
void expect_gemma4_error_after(const Change& change, const std::string& part) {
  json file = published("gemma4");
  change(file);
  const auto tokenizer = make(file.dump());
  ASSERT_FALSE(tokenizer) << part;
  EXPECT_THAT(tokenizer.error().message(), HasSubstr(part));
}

TEST(TokenizerJson, ByteFallbackIsReadWithTheStepsOfGemmaAlone) {
  const auto normalizer = [](const json& value) {
    return [=](json& file) { file["normalizer"] = value; };
  };
  const std::string more = "t.json: normalizer: a normalizer that does more than to write U+2581";
  expect_gemma4_error_after(normalizer({{"type", "NFC"}}), more);
  const json pattern = {{"String", " "}};
  expect_gemma4_error_after(
      normalizer({{"type", "Replace"}, {"pattern", pattern}, {"content", "_"}}), more);
  expect_gemma4_error_after(
      normalizer({{"type", "Sequence"},
                  {"normalizers",
                   {{{"type", "Prepend"}, {"prepend", "\u2581"}},
                    {{"type", "Replace"}, {"pattern", pattern}, {"content", "\u2581"}}}}}),
      "t.json: normalizer.normalizers[0]: a normalizer that does more");
  expect_gemma4_error_after([](json& file) { file.erase("normalizer"); }, "normalizer");
  expect_gemma4_error_after(
      [](json& file) {
        file["pre_tokenizer"]["pattern"] = {{"String", "a"}};
      },
      "t.json: pre_tokenizer: not the step of a pre-tokenizer that splits no text");
  expect_gemma4_error_after([](json& file) { file["decoder"]["decoders"].erase(1); },
                            "t.json: decoder");
  expect_gemma4_error_after([](json& file) { file["decoder"]["decoders"][0]["content"] = ""; },
                            "t.json: decoder.decoders[0]: a decoder that does more");
  expect_gemma4_error_after(
      [](json& file) {
        file["decoder"]["decoders"].push_back({{"type", "Strip"}});
      },
      "t.json: decoder.decoders[3]: a decoder that does more");
  expect_gemma4_error_after([](json& file) { file["model"]["vocab"].erase("<0x00>"); },
                            "model.unk_token: some bytes have no token");
}

TEST(TokenizerJson, MergesMayBeLinesOrPairs) {
  json file = published("qwen2");
  const std::vector<TokenId> ids = (*make(file.dump()))->encode("return self");
  for (json& merge : file["model"]["merges"]) {
    merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
  }
  EXPECT_EQ((*make(file.dump()))->encode("return self"), ids);
}

template <typename Change>
void expect_error_after(const Change& change, const std::string& part) {
  json file = published("qwen2");
  change(file);
  const auto tokenizer = make(file.dump());
  ASSERT_FALSE(tokenizer) << part;
  EXPECT_THAT(tokenizer.error().message(), HasSubstr(part));
}

TEST(TokenizerJson, RejectsWhatWouldChangeTheText) {
  expect_error_after(
      [](json& file) {
        file["normalizer"] = {{"type", "Lowercase"}};
      },
      "t.json: normalizer: a normalizer that would change the text");
  expect_error_after(
      [](json& file) {
        file["normalizer"] = {{"type", "Sequence"},
                              {"normalizers", {{{"type", "NFC"}}, {{"type", "NFKC"}}}}};
      },
      "t.json: normalizer.normalizers[1]: a normalizer that would change the text");
  expect_error_after(
      [](json& file) { file["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = true; },
      "add_prefix_space would change the text");
  expect_error_after(
      [](json& file) {
        file["decoder"] = {{"type", "Metaspace"}};
      },
      "t.json: decoder: a decoder that is not of byte-level tokens");
}

TEST(TokenizerJson, ModelsOfOtherKindsAreRefusedByName) {
  expect_error_after([](json& file) { file["model"]["type"] = "Unigram"; },
                     "t.json: model.type: this kind of tokenizer is not supported");
  expect_error_after([](json& file) { file["model"]["byte_fallback"] = true; }, "t.json: ");
  expect_error_after([](json& file) { file["model"]["dropout"] = 0.1; }, "chosen at random");
  expect_error_after([](json& file) { file["model"]["end_of_word_suffix"] = "</w>"; },
                     "model.end_of_word_suffix: is not supported");
  expect_error_after(
      [](json& file) {
        file["model"]["unk_token"] = "<|endoftext|>";
        file["model"]["vocab"].erase("\u0100");
      },
      "model.unk_token: some bytes have no token");
}

TEST(TokenizerJson, APreTokenizerIsKnownByAllOfItsSteps) {
  const std::string unknown =
      "its steps are not those of a pre-tokenizer that redraft knows: qwen2";
  expect_error_after([](json& file) { file["pre_tokenizer"]["pretokenizers"].erase(1); }, unknown);
  expect_error_after(
      [](json& file) { file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "\\p{N}"; },
      unknown);
  expect_error_after(
      [](json& file) { file["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "MergedWithNext"; },
      "pretokenizers[0].behavior: not how a pre-tokenizer that redraft knows");
  expect_error_after(
      [](json& file) {
        file["pre_tokenizer"] = {{"type", "Metaspace"}};
      },
      "not a step of a pre-tokenizer that redraft knows");
  expect_error_after([](json& file) { file["pre_tokenizer"] = nullptr; }, "pre_tokenizer");

  // Removes what is between the matches of a pattern that matches everything.
  json file = published("qwen2");
  file["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed";
  file["pre_tokenizer"]["pretokenizers"][0]["invert"] = true;
  EXPECT_TRUE(read(file.dump()));
}

TEST(TokenizerJson, TokensThatCannotBeAreErrors) {
  const auto set = [](const char* token, const json& id) {
    return [=](json& file) { file["model"]["vocab"][token] = id; };
  };
  expect_error_after(set("zz", 5), "is already that of another token");
  expect_error_after(set("zz", -1), "t.json: model.vocab.zz: ");
  expect_error_after(set("zz", 1'000'000'000), "t.json: model.vocab.zz: ");
  expect_error_after(set("zz", 1e300), "t.json: model.vocab.zz: ");
  expect_error_after(set("zz", "5"), "t.json: model.vocab.zz: ");
  expect_error_after([](json& file) { file["model"]["vocab"] = json::array(); }, "model.vocab");
  expect_error_after([](json& file) { file["model"].erase("vocab"); }, "model");
  expect_error_after([](json& file) { file["added_tokens"][0]["id"] = 7; },
                     "added_tokens[0]: id 7 is already that of another token");
  expect_error_after([](json& file) { file["added_tokens"][0]["content"] = ""; },
                     "added_tokens[0].content: a token cannot be empty");
  expect_error_after([](json& file) { file["added_tokens"][0]["special"] = 1; },
                     "added_tokens[0].special");
  expect_error_after([](json& file) { file["added_tokens"] = 3; }, "added_tokens");
}

TEST(TokenizerJson, MergesThatCannotBeAreErrors) {
  const auto merge = [](const json& value) {
    return [=](json& file) { file["model"]["merges"][3] = value; };
  };
  expect_error_after(merge(json::array({"a"})), "t.json: model.merges[3]: expected two tokens");
  expect_error_after(merge(json::array({"a", "b", "c"})), "model.merges[3]: expected two tokens");
  expect_error_after(merge(json::array({"a b", "c"})), "model.merges[3]");
  expect_error_after(merge(json::array({"a", 1})), "model.merges[3]");
  expect_error_after(merge(7), "model.merges[3]: expected two tokens");
  expect_error_after(merge("a"), "merge 3 \"a\": not two tokens");
  expect_error_after(merge("zqzq a"), "merge 3 \"zqzq a\": its left side is not an ordinary token");
  expect_error_after([](json& file) { file["model"].erase("merges"); }, "model");
}

// Merges cannot be cyclic, because the result of a merge is longer than its parts. A duplicate
// merge is allowed, as in the package: the later one counts.
TEST(TokenizerJson, AMergeMayComeTwice) {
  json file = published("qwen2");
  file["model"]["merges"].push_back(file["model"]["merges"][0]);
  EXPECT_TRUE(make(file.dump()));
}

TEST(TokenizerJson, GapsBetweenIdsAreUnusedTokens) {
  json file = published("qwen2");
  file["added_tokens"].push_back({{"id", 700}, {"content", "<far>"}, {"special", true}});
  const auto tokenizer = make(file.dump());
  ASSERT_TRUE(tokenizer) << tokenizer.error().message();
  EXPECT_EQ((*tokenizer)->vocabulary_size(), 701);
  EXPECT_EQ((*tokenizer)->special("<far>"), 700);
  EXPECT_FALSE((*tokenizer)->is_special(650));
  EXPECT_EQ((*tokenizer)->bytes(650), "");
}

TEST(TokenizerJson, APostProcessorPutsOneTokenBeforeTheText) {
  expect_error_after(
      [](json& file) {
        file["post_processor"] = {{"type", "BertProcessing"}};
      },
      "t.json: post_processor: a post-processor that is not supported");
  const json token = {{"SpecialToken", {{"id", "<|im_start|>"}, {"type_id", 0}}}};
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const auto with = [](const json& single) {
    return [=](json& file) {
      file["post_processor"] = {{"type", "TemplateProcessing"}, {"single", single}};
    };
  };
  expect_error_after(with({token, token, text}), "more than one token before the text");
  const json no_token = {{"SpecialToken", {{"id", "<none>"}, {"type_id", 0}}}};
  expect_error_after(with({no_token, text}), "SpecialToken.id: the vocabulary has no such token");

  json file = published("qwen2");
  with({token, text, token})(file);
  const Result<TokenizerSpec> spec = read(file.dump());
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_TRUE(spec->add_bos);
  EXPECT_EQ(spec->bos, 597);
}

TEST(TokenizerJson, TheConfigsSayWhatBeginsAndEnds) {
  TokenizerSpec spec = *read(published("qwen2").dump());
  const auto config = JsonDocument::parse(
      "c.json", R"({"bos_token": {"content": "<|im_start|>"}, "add_bos_token": true,
                    "eos_token": "<|im_end|>", "chat_template":
                    [{"name": "tools", "template": "t"}, {"name": "default", "template": "d"}]})");
  ASSERT_TRUE(add_tokenizer_config(*config, spec));
  EXPECT_TRUE(spec.add_bos);
  EXPECT_EQ(spec.bos, 597);
  EXPECT_EQ(spec.end_of_text, 598);
  EXPECT_EQ(spec.chat_template, "d");
  const auto generation = JsonDocument::parse("g.json", R"({"eos_token_id": [598, 596]})");
  ASSERT_TRUE(add_generation_config(*generation, spec));
  EXPECT_THAT(spec.end_tokens, ElementsAre(598, 596));
  EXPECT_EQ(spec.end_of_text, 598);

  const auto fails = [&](const char* text, auto add, const std::string& part) {
    const auto file = JsonDocument::parse("c.json", text);
    ASSERT_TRUE(file);
    const Result<void> added = add(*file, spec);
    ASSERT_FALSE(added) << text;
    EXPECT_THAT(added.error().message(), HasSubstr("c.json: " + part));
  };
  fails(R"({"bos_token": "<none>"})", add_tokenizer_config, "bos_token: the vocabulary has no");
  fails(R"({"eos_token": 3})", add_tokenizer_config, "eos_token: ");
  fails(R"({"add_bos_token": "yes"})", add_tokenizer_config, "add_bos_token: ");
  fails(R"({"chat_template": {}})", add_tokenizer_config, "chat_template: ");
  fails(R"({"eos_token_id": 99999})", add_generation_config, "eos_token_id: ");
  fails(R"({"eos_token_id": [1, "a"]})", add_generation_config, "eos_token_id[1]: ");
}

TEST(TokenizerJson, Gemma4AnswersAfterAThoughtUnlessItHasEmbeddingsPerLayer) {
  const auto answers_after_thought = [](const char* config) {
    TokenizerSpec spec;
    const auto file = JsonDocument::parse("config.json", config);
    const Result<void> added = add_gemma4_config(*file, spec);
    EXPECT_TRUE(added) << added.error().message();
    return spec.answers_after_thought;
  };
  EXPECT_TRUE(answers_after_thought(R"({"text_config": {"hidden_size_per_layer_input": 0}})"));
  EXPECT_TRUE(answers_after_thought(R"({"hidden_size_per_layer_input": null})"));
  EXPECT_TRUE(answers_after_thought(R"({"text_config": {"model_type": "gemma4_unified_text"}})"));
  EXPECT_FALSE(answers_after_thought(R"({"text_config": {"hidden_size_per_layer_input": 256}})"));
  EXPECT_FALSE(answers_after_thought(R"({"text_config": {"model_type": "gemma4_text"}})"));
  TokenizerSpec spec;
  const auto wrong = JsonDocument::parse("config.json", R"({"hidden_size_per_layer_input": ""})");
  EXPECT_THAT(add_gemma4_config(*wrong, spec).error().message(), HasSubstr("config.json: "));
}

TEST(TokenizerJson, AFolderIsReadAsAWhole) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "redraft_tokenizer_folder";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("tokenizer.json", published("smollm").dump());
  write("tokenizer_config.json", R"({"eos_token": "<|im_end|>", "chat_template": "old"})");
  write("generation_config.json", R"({"eos_token_id": 596})");
  write("chat_template.jinja", "new");
  const Result<TokenizerSpec> spec = read_tokenizer_folder(folder);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->pre_tokenizer, "smollm");
  EXPECT_THAT(spec->end_tokens, ElementsAre(598, 596));
  EXPECT_EQ(spec->chat_template, "new");
  write("generation_config.json", "{");
  EXPECT_THAT(read_tokenizer_folder(folder).error().message(), HasSubstr("generation_config.json"));
  std::filesystem::remove_all(folder);
  EXPECT_THAT(read_tokenizer_folder(folder).error().message(), HasSubstr("tokenizer.json"));
}

// Any value of the file replaced by another: the result is an error with the file's name, or a
// tokenizer that works.
TEST(TokenizerJson, ADamagedOneIsRefusedOrWorks) {
  const json whole = published("llama-bpe");
  const std::vector<json> strange = {nullptr,       true,           -1,  1e18,      "", "\u0120",
                                     json::array(), json::object(), 0.5, "Sequence"};
  const json flat = whole.flatten();
  std::vector<std::string> places;
  for (const auto& [place, value] : flat.items()) places.push_back(place);
  std::mt19937 random(9);
  int n_made = 0;
  for (int round = 0; round < 600; ++round) {
    json file = whole;
    json::json_pointer place(places[random() % places.size()]);
    for (auto n = random() % 3; n > 0 && !place.empty(); --n) place = place.parent_pointer();
    file[place] = strange[random() % strange.size()];
    const auto made = make(file.dump());
    if (!made) {
      EXPECT_FALSE(made.error().message().empty());
      continue;
    }
    ++n_made;
    const std::string text = "def f(x):\n    return x's <|im_end|> 12345";
    EXPECT_EQ((*made)->decode((*made)->encode(text)), text);
  }
  EXPECT_GT(n_made, 10);
  EXPECT_LT(n_made, 400);
}

}  // namespace
}  // namespace redraft
