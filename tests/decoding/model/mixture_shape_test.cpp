// What the files of a mixture of experts may say, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "decoding/model/expert_roles.h"
#include "decoding/model/huggingface_config.h"
#include "decoding/model/huggingface_names.h"
#include "decoding/model/model_files.h"
#include "decoding/model/model_summary.h"
#include "decoding/model/transformer_shape.h"
#include "decoding/model/weight_plan.h"
#include "support/json/json_document.h"
#include "tests/decoding/model/tiny_folder.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

const TinyModel kTiny{.architecture = "qwen3moe"};

Result<TransformerShape> read(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  return read_shape(*file);
}

std::string error_of(const Result<TransformerShape>& shape) {
  return shape ? "(read)" : shape.error().message();
}

std::string error_with(const TinyModel& tiny) { return error_of(read(tiny.writer())); }

std::string error_with(const std::function<void(GgufWriter&)>& change) {
  GgufWriter writer = kTiny.writer();
  change(writer);
  return error_of(read(writer));
}

GgufWriter::Tensor& tensor(GgufWriter& writer, std::string_view name) {
  return *std::ranges::find(writer.tensors(), name, &GgufWriter::Tensor::name);
}

TEST(MixtureShape, IsReadFromAGgufFile) {
  const Result<TransformerShape> shape = read(kTiny.writer());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->architecture->name, "qwen3moe");
  EXPECT_TRUE(shape->architecture->query_key_norm);
  EXPECT_FALSE(shape->paired_rows);
  EXPECT_EQ(shape->experts, 8);
  EXPECT_EQ(shape->experts_used, 3);
  EXPECT_EQ(shape->feed_forward, kTiny.feed_forward);
  EXPECT_EQ(error_with({.architecture = "qwen3moe", .experts = 1, .experts_used = 1}), "(read)");
}

TEST(MixtureShape, CountsAreInRange) {
  const auto error = [](int experts, int used) {
    // The tensors of so many experts would take too long to write, and the counts come first.
    GgufWriter writer = kTiny.writer();
    GgufWriter changed;
    changed.text("general.architecture", "qwen3moe");
    for (const auto& [key, value] :
         std::initializer_list<std::pair<const char*, int>>{{"block_count", 2},
                                                            {"context_length", 512},
                                                            {"embedding_length", 64},
                                                            {"attention.head_count", 4},
                                                            {"expert_count", experts},
                                                            {"expert_used_count", used},
                                                            {"expert_feed_forward_length", 96}})
      changed.integer("qwen3moe." + std::string(key), static_cast<std::uint32_t>(value));
    changed.real("qwen3moe.attention.layer_norm_rms_epsilon", 1e-6F);
    changed.tensor(tensor(writer, "token_embd.weight"));
    return error_of(read(changed));
  };
  const std::string key = "m.gguf: key 'qwen3moe.expert_";
  EXPECT_EQ(error(8, 3), "m.gguf: tensor 'blk.0.ffn_gate_exps.weight': missing");
  EXPECT_EQ(error(0, 0), key + "count': a mixture has at least one");
  EXPECT_EQ(error(8, 0), key + "used_count': 0 is outside 1..8");
  EXPECT_EQ(error(8, 9), key + "used_count': 9 is outside 1..8");
  EXPECT_EQ(error(512, 65), key + "used_count': 65 is outside 1..64");
  EXPECT_EQ(error(1025, 8), key + "count': 1025 is outside 0..1024");
  EXPECT_THAT(error(-1, 1), HasSubstr(key + "count'"));
  EXPECT_THAT(error(8, -1), HasSubstr(key + "used_count'"));
}

TEST(MixtureShape, ManyLayersOfManyExpertsAreTooMany) {
  TransformerShape shape = *read(kTiny.writer());
  shape.layers = 64;
  shape.experts = 1024;
  EXPECT_FALSE(find_problem(shape));
  shape.layers = 65;
  const std::optional<ShapeProblem> problem = find_problem(shape);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->field, "expert_count");
  EXPECT_EQ(problem->reason, "the layers have too many together");
}

TEST(MixtureShape, TheExpertsOfARowAreNotTooWideTogether) {
  TransformerShape shape = *read(kTiny.writer());
  shape.experts = 64;
  shape.experts_used = 16;
  shape.feed_forward = 1 << 13;
  EXPECT_FALSE(find_problem(shape));
  shape.experts_used = 17;
  const std::optional<ShapeProblem> problem = find_problem(shape);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->field, "expert_used_count");
}

TEST(MixtureShape, EveryStackHasTheShapeOfItsExperts) {
  const auto shaped = [](const std::string& name, const std::vector<std::int64_t>& shape) {
    return error_with([&](GgufWriter& writer) { tensor(writer, name).shape = shape; });
  };
  const std::string stack = "m.gguf: tensor 'blk.1.ffn_up_exps.weight': ";
  EXPECT_EQ(shaped("blk.1.ffn_up_exps.weight", {64, 96 * 8}),
            stack + "its shape is [64, 768] where [64, 96, 8] is expected");
  EXPECT_EQ(shaped("blk.1.ffn_up_exps.weight", {64, 8, 96}),
            stack + "its shape is [64, 8, 96] where [64, 96, 8] is expected");
  EXPECT_EQ(shaped("blk.1.ffn_up_exps.weight", {64, 48, 16}),
            stack + "its shape is [64, 48, 16] where [64, 96, 8] is expected");
  EXPECT_EQ(shaped("blk.1.ffn_up_exps.weight", {64, 96, 4, 2}),
            stack + "its shape is [64, 96, 4, 2] where [64, 96, 8] is expected");
  EXPECT_EQ(shaped("blk.0.ffn_down_exps.weight", {64, 96, 8}),
            "m.gguf: tensor 'blk.0.ffn_down_exps.weight': its shape is [64, 96, 8] where [96, 64, "
            "8] is expected");
  EXPECT_EQ(error_with([](GgufWriter& writer) {
              std::erase_if(writer.tensors(),
                            [](auto& t) { return t.name == "blk.1.ffn_up_exps.weight"; });
            }),
            stack + "missing");
}

TEST(MixtureShape, OtherTensorsAreRefused) {
  for (const char* name :
       {"blk.0.ffn_gate.weight", "blk.0.ffn_gate.5.weight", "blk.0.ffn_up_exps.bias",
        "blk.2.ffn_up_exps.weight", "blk.00.ffn_up_exps.weight", "blk.0.ffn_gate_shexp.weight",
        "blk.0.exp_probs_b.bias", "blk.0.ffn_gate_inp.bias"}) {
    EXPECT_EQ(error_with([&](GgufWriter& writer) {
                writer.tensor({name, {1}, WeightFormat::kF32, std::vector<std::uint8_t>(4)});
              }),
              "m.gguf: tensor '" + std::string(name) +
                  "': has no part in a qwen3moe model as redraft computes it");
  }
  GgufWriter dense = TinyModel{.architecture = "qwen3"}.writer();
  dense.tensor({"blk.0.ffn_up_exps.weight", {1}, WeightFormat::kF32, {0, 0, 0, 0}});
  EXPECT_THAT(error_of(read(dense)), HasSubstr("has no part in a qwen3 model"));
}

TEST(MixtureShape, OtherMixturesAreRefusedByName) {
  const auto with = [](const char* key, std::uint32_t value) {
    return error_with([&](GgufWriter& w) { w.integer("qwen3moe." + std::string(key), value); });
  };
  EXPECT_EQ(with("expert_shared_count", 1),
            "m.gguf: key 'qwen3moe.expert_shared_count': asks for experts that every row goes to, "
            "which redraft does not compute");
  EXPECT_EQ(with("expert_shared_count", 0), "(read)");
  EXPECT_THAT(with("expert_gating_func", 2), HasSubstr("another function of the router's scores"));
  EXPECT_EQ(with("expert_gating_func", 1), "(read)");
  EXPECT_THAT(with("expert_group_count", 8), HasSubstr("asks for groups of experts"));
  EXPECT_THAT(with("leading_dense_block_count", 1), HasSubstr("asks for layers without experts"));
  EXPECT_THAT(with("expert_weights_norm", 0), HasSubstr("shares that add up to 1"));
}

// Each expert has a role of its own, whose matrix lies in the stack.
TEST(MixtureFiles, AnExpertIsAPartOfItsStack) {
  GgufWriter writer = kTiny.writer();
  const GgufWriter::Tensor& stack = tensor(writer, "blk.1.ffn_down_exps.weight");
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const auto files = gguf_model(*GgufFile::parse("m.gguf", bytes));
  const std::size_t size = stack.data.size() / 8;
  for (int i = 0; i < 8; ++i) {
    const std::string role = expert_role({1, ExpertMatrix::kDown, i});
    EXPECT_EQ(role, "blk.1.ffn_down." + std::to_string(i) + ".weight");
    const StoredTensor* found = files->find_tensor(role);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->shape, (std::vector<std::int64_t>{96, 64}));
    EXPECT_TRUE(std::ranges::equal(found->data, std::span(stack.data).subspan(i * size, size)));
  }
  EXPECT_FALSE(files->find_tensor("blk.1.ffn_down.8.weight"));
  EXPECT_FALSE(files->find_tensor("blk.2.ffn_down.0.weight"));
  EXPECT_EQ(files->tensor_error("blk.1.ffn_down.7.weight", "is bad").message(),
            "m.gguf: tensor 'blk.1.ffn_down_exps.weight': expert 7: is bad");
  const Result<WeightPlan> plan = WeightPlan::make(*files, *files->shape());
  ASSERT_TRUE(plan) << plan.error().message();
  ASSERT_EQ(plan->layers[1].experts.size(), 8U);
  EXPECT_EQ(plan->layers[1].experts[3].up.role, "blk.1.ffn_up.3.weight");
  EXPECT_EQ(plan->layers[1].router.n, 8);
}

TEST(MixtureFiles, ARouterOfAnotherShapeIsAnError) {
  GgufWriter writer = kTiny.writer();
  tensor(writer, "blk.1.ffn_gate_inp.weight").shape = {32, 16};
  const std::vector<std::uint8_t> bytes = writer.bytes();
  const auto files = gguf_model(*GgufFile::parse("m.gguf", bytes));
  const Result<WeightPlan> plan = WeightPlan::make(*files, *files->shape());
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message(),
            "m.gguf: tensor 'blk.1.ffn_gate_inp.weight': its shape is [32, 16] where [64, 8] is "
            "expected");
}

TEST(ExpertRoles, AreReadAsTheyAreWritten) {
  for (const ExpertMatrix matrix : kExpertMatrices) {
    const auto place = parse_expert_role(expert_role({12, matrix, 127}));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->layer, 12);
    EXPECT_EQ(place->matrix, matrix);
    EXPECT_EQ(place->expert, 127);
    const auto stacked = parse_stacked_experts_name(stacked_experts_name(12, matrix));
    ASSERT_TRUE(stacked);
    EXPECT_EQ(*stacked, 12);
  }
  for (const char* role :
       {"", "blk.", "blk.1.ffn_gate", "blk.1.ffn_gate.weight", "blk.1.ffn_gate.01.weight",
        "blk.1.ffn_gate.1.bias", "blk.-1.ffn_gate.1.weight", "blk.1.ffn_gate.99999999999.weight",
        "blk.1.ffn_gate.1.weight ", "blk.1.ffn_gate_exps.weight", "blk.1.attn_q.1.weight"})
    EXPECT_FALSE(parse_expert_role(role)) << role;
  EXPECT_FALSE(parse_stacked_experts_name("blk.1.ffn_gate_exps.weights"));
}

TEST(ExpertRoles, OfHuggingFacesNames) {
  const Architecture& mixture = *find_architecture("qwen3moe");
  EXPECT_EQ(role_of_huggingface_tensor("model.layers.3.mlp.experts.17.up_proj.weight", mixture),
            "blk.3.ffn_up.17.weight");
  EXPECT_EQ(role_of_huggingface_tensor("model.layers.3.mlp.gate.weight", mixture),
            "blk.3.ffn_gate_inp.weight");
  EXPECT_EQ(role_of_huggingface_tensor("model.layers.3.mlp.experts.gate_up_proj", mixture),
            joined_experts_name(3));
  EXPECT_EQ(parse_stacked_experts_name(joined_experts_name(3)), 3);
  for (const char* name :
       {"model.layers.3.mlp.experts.up_proj.weight", "model.layers.3.mlp.experts.01.up_proj.weight",
        "model.layers.3.mlp.experts.1.q_proj.weight",
        "model.layers.3.mlp.experts.gate_up_proj.weight",
        "model.layers.3.mlp.shared_expert.up_proj.weight"})
    EXPECT_EQ(role_of_huggingface_tensor(name, mixture), "") << name;
}

std::string config_error(std::string_view from, std::string_view to) {
  std::string config = TinyFolder(kTiny).config();
  const std::size_t at = config.find(from);
  EXPECT_NE(at, config.npos) << from;
  const Result<JsonDocument> document =
      JsonDocument::parse("config.json", config.replace(at, from.size(), to));
  return document ? error_of(read_shape(document->root())) : document.error().message();
}

TEST(MixtureShape, IsReadFromAConfiguration) {
  const Result<JsonDocument> document =
      JsonDocument::parse("config.json", TinyFolder(kTiny).config());
  const Result<TransformerShape> shape = read_shape(document->root());
  ASSERT_TRUE(shape) << shape.error().message();
  EXPECT_EQ(shape->architecture->name, "qwen3moe");
  EXPECT_EQ(shape->experts, 8);
  EXPECT_EQ(shape->experts_used, 3);
  EXPECT_EQ(config_error(R"("num_experts": 8)", R"("num_experts": 2000)"),
            "config.json: num_experts: 2000 is outside 0..1024");
  EXPECT_EQ(config_error(R"("num_experts_per_tok": 3)", R"("num_experts_per_tok": 9)"),
            "config.json: num_experts_per_tok: 9 is outside 1..8");
  EXPECT_EQ(config_error(R"("num_experts": 8)", R"("num_experts": 0)"),
            "config.json: num_experts: a mixture has at least one");
  EXPECT_EQ(config_error(R"("moe_intermediate_size": 96)", R"("moe_intermediate_size": 0)"),
            "config.json: moe_intermediate_size: 0 is outside 1..131072");
  const std::string shares =
      "config.json: norm_topk_prob: redraft computes shares that add up to 1 (true)";
  EXPECT_EQ(config_error(R"("norm_topk_prob": true)", R"("norm_topk_prob": false)"), shares);
  EXPECT_EQ(config_error(R"("norm_topk_prob": true)", R"("other": true)"), shares);
  EXPECT_EQ(config_error(R"("decoder_sparse_step": 1)", R"("decoder_sparse_step": 2)"),
            "config.json: decoder_sparse_step: redraft computes no layers without experts");
  for (const char* layers : {"[1]", "3"}) {
    EXPECT_EQ(
        config_error(R"("mlp_only_layers": [])", R"("mlp_only_layers": )" + std::string(layers)),
        "config.json: mlp_only_layers: redraft computes no layers without experts");
  }
  EXPECT_THAT(config_error(R"("model_type": "qwen3_moe")", R"("model_type": "qwen2_moe")"),
              HasSubstr("architecture 'qwen2_moe' is not supported"));
}

// All experts are in memory, and a row reads those it asks.
TEST(MixtureSummary, CountsAllExpertsInMemoryAndTheUsedOnesInAPass) {
  const TempFolder folder;
  const auto file = folder.path() / "tiny.gguf";
  const TinyFolder tiny(kTiny);
  const std::vector<std::uint8_t> bytes = tiny.gguf();
  TinyFolder::write_text(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  tiny.write(folder.path() / "tiny");
  const std::uint64_t experts = 4ULL * 2 * 8 * 3 * 64 * 96;
  const ModelSummary gguf = summarise_model(file);
  const ModelSummary of_folder = summarise_model(folder.path() / "tiny");
  EXPECT_EQ(gguf.why_not, "");
  EXPECT_EQ(gguf.architecture, "qwen3moe");
  for (const ModelSummary& each : {gguf, of_folder}) {
    EXPECT_GT(each.weight_bytes, experts);
    const std::uint64_t left_out = experts * 5 / 8 + 4ULL * 300 * 64;  // and the embedding
    EXPECT_EQ(each.pass_bytes, each.weight_bytes - left_out) << each.architecture;
  }
  EXPECT_EQ(gguf.weight_bytes, of_folder.weight_bytes);
}

}  // namespace
}  // namespace redraft
