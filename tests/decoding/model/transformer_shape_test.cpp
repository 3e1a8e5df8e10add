#include "decoding/model/transformer_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numbers>

#include "decoding/model/huggingface_names.h"
#include "tests/decoding/model/tiny_model.h"

namespace redraft {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Result<TransformerShape> read(const GgufWriter& writer) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  Result<GgufFile> file = GgufFile::parse("m.gguf", bytes);
  if (!file) return file.error();
  return read_shape(*file);
}

// A tiny llama file with an addition to its metadata.
using Addition = std::function<void(GgufWriter&)>;

Result<TransformerShape> read_llama_with(const Addition& add) {
  GgufWriter writer = TinyModel{.architecture = "llama"}.writer();
  add(writer);
  return read(writer);
}

std::string error_with(const Addition& add) {
  const Result<TransformerShape> shape = read_llama_with(add);
  return shape ? "(read)" : shape.error().message();
}

TEST(TransformerShape, ArchitecturesDifferInTheirShapesAlone) {
  const auto qwen3 = read(TinyModel{.architecture = "qwen3", .head_dim = 32}.writer());
  ASSERT_TRUE(qwen3) << qwen3.error().message();
  EXPECT_TRUE(qwen3->architecture->query_key_norm);
  EXPECT_FALSE(qwen3->paired_rows);
  EXPECT_EQ(qwen3->head_dim, 32);
  EXPECT_EQ(qwen3->query_width(), 128);
  EXPECT_EQ(qwen3->kv_width(), 64);
  const auto llama = read_llama_with([](GgufWriter&) {});
  ASSERT_TRUE(llama) << llama.error().message();
  EXPECT_TRUE(llama->paired_rows);
  EXPECT_FALSE(llama->architecture->query_key_norm);
  EXPECT_EQ(llama->head_dim, 16);
}

TEST(TransformerShape, OtherArchitecturesAreRefusedByName) {
  for (const char* name : {"gemma3", "phi3", "mamba", "llama4", "qwen2moe", "lfm2moe", ""}) {
    EXPECT_EQ(find_architecture(name), nullptr);
    const std::string message = unsupported_architecture(name);
    EXPECT_THAT(message, StartsWith("architecture '" + std::string(name) +
                                    "' is not supported; redraft runs llama, "));
    EXPECT_THAT(message, EndsWith(" and " + std::string(architectures().back().name) + " models"));
    for (const Architecture& row : architectures()) EXPECT_THAT(message, HasSubstr(row.name));
  }
}

// Whatever a row lists is accepted in a file, in both formats' names, and nothing else is.
TEST(Architectures, ListTheTensorsOfTheirModels) {
  for (const Architecture& row : architectures()) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(find_architecture(row.name), &row);
    EXPECT_EQ(find_huggingface_architecture(row.huggingface), &row);
    const bool has_experts = row.is_mixture || row.may_have_experts;
    TransformerShape shape{.architecture = &row, .layers = 4, .experts = has_experts ? 6 : 0};
    if (row.is_hybrid()) shape.recurrent = {true, true, true, false};
    if (row.may_differ_by_layer) shape.layer_input = 16;
    for (const TensorName& tensor : row.tensors) {
      std::string role(tensor.role), huggingface(tensor.huggingface);
      if (tensor.place == TensorPlace::kExpert) {
        role += ".5";
        huggingface = "mlp.experts.5." + huggingface;
      }
      const bool of_model =
          tensor.place == TensorPlace::kModel || tensor.place == TensorPlace::kInputOfLayers;
      if (!of_model) {
        const std::string layer = tensor.place == TensorPlace::kRecurrent ? "2." : "3.";
        role = "blk." + layer + role;
        huggingface = "model.layers." + layer + huggingface;
      }
      for (const char* kind : {"", ".weight", ".bias", ".scale"}) {
        const auto is_whole = [&](const TensorName& each) {
          return each.is_complete && each.role == std::string(tensor.role) + kind;
        };
        const bool is_part =
            !tensor.is_complete && (kind == std::string_view(".weight") ||
                                    (kind == std::string_view(".bias") && tensor.may_have_bias));
        const bool is_listed = std::ranges::any_of(row.tensors, is_whole);
        EXPECT_EQ(has_role(role + kind, shape), is_part || is_listed) << role << kind;
        if (tensor.huggingface.empty()) continue;
        const bool known = tensor.is_complete ? is_listed : is_part;
        EXPECT_EQ(role_of_huggingface_tensor(huggingface + kind, row), known ? role + kind : "");
      }
    }
    EXPECT_FALSE(has_role("blk.4.attn_q.weight", shape)) << "a layer that is not there";
    EXPECT_EQ(has_role("blk.3.ffn_gate.weight", shape), !row.is_mixture);
    EXPECT_EQ(has_role("blk.3.attn_q_norm.weight", shape), row.query_key_norm);
    EXPECT_EQ(has_role("blk.3.post_attention_norm.weight", shape),
              row.feed_forward_norm == "post_attention_norm" || row.post_norms);
    EXPECT_EQ(has_role("blk.2.attn_q.weight", shape), !row.is_hybrid());
    EXPECT_EQ(has_role("blk.2.ssm_a", shape), row.has_delta_nets());
    EXPECT_FALSE(has_role("blk.3.ssm_a", shape));
    EXPECT_EQ(has_role("blk.2.shortconv.conv.weight", shape),
              row.recurrence == Recurrence::kShortConvolution);
    EXPECT_FALSE(has_role("blk.3.shortconv.conv.weight", shape));
  }
}

TEST(TransformerShape, ReadsScaling) {
  const auto linear = read_llama_with([](GgufWriter& w) {
    w.text("llama.rope.scaling.type", "linear");
    w.real("llama.rope.scaling.factor", 4);
  });
  ASSERT_TRUE(linear) << linear.error().message();
  EXPECT_EQ(linear->rope_scaling.kind, RopeScaling::Kind::kLinear);
  EXPECT_EQ(linear->rope_scaling.factor, 4);
  const auto yarn = read_llama_with([](GgufWriter& w) {
    w.text("llama.rope.scaling.type", "yarn");
    w.real("llama.rope.scaling.factor", 4);
    w.integer("llama.rope.scaling.original_context_length", 128);
    w.real("llama.rope.scaling.attn_factor", 0.5F);
  });
  ASSERT_TRUE(yarn) << yarn.error().message();
  EXPECT_EQ(yarn->rope_scaling.kind, RopeScaling::Kind::kYarn);
  EXPECT_EQ(yarn->rope_scaling.original_context, 128);
  EXPECT_NEAR(yarn->rope_scaling.attention_factor, 0.5 * (0.1 * std::numbers::ln2 * 2 + 1), 1e-7);
  const auto none = read_llama_with([](GgufWriter& w) {
    w.text("llama.rope.scaling.type", "none");
    w.real("llama.rope.scaling.factor", 4);
  });
  ASSERT_TRUE(none) << none.error().message();
  EXPECT_EQ(none->rope_scaling.kind, RopeScaling::Kind::kNone);
}

TEST(TransformerShape, RejectsUnsupportedPartsByName) {
  const auto with = [](const char* key, float value) {
    return error_with([&](GgufWriter& w) { w.real("llama." + std::string(key), value); });
  };
  EXPECT_EQ(
      error_with([](GgufWriter& w) { w.integer("llama.attention.sliding_window", 128); }),
      "m.gguf: key 'llama.attention.sliding_window': asks for a sliding window, which redraft "
      "does not compute");
  // A window wider than the context hides nothing.
  EXPECT_EQ(error_with([](GgufWriter& w) { w.integer("llama.attention.sliding_window", 512); }),
            "(read)");
  EXPECT_EQ(error_with([](GgufWriter& w) { w.integer("llama.expert_count", 8); }),
            "m.gguf: key 'llama.expert_count': asks for a mixture of experts, which redraft does "
            "not compute");
  EXPECT_EQ(error_with([](GgufWriter& w) { w.integer("llama.expert_count", 0); }), "(read)");
  EXPECT_THAT(with("final_logit_softcapping", 30), HasSubstr("asks for capped logits"));
  EXPECT_THAT(with("residual_scale", 0.5), HasSubstr("asks for scaled residuals"));
  EXPECT_EQ(with("residual_scale", 1), "(read)");
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integers("llama.rope.dimension_sections", {8}); }),
              HasSubstr("asks for rotation by sections"));
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integer("llama.rope.dimension_count", 8); }),
              HasSubstr("rotation of a part of a head is not supported"));
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integer("llama.attention.value_length", 32); }),
              HasSubstr("values of another width than keys are not supported"));
  EXPECT_THAT(error_with([](GgufWriter& w) { w.text("llama.rope.scaling.type", "longrope"); }),
              HasSubstr("'longrope' is not supported"));
}

TEST(TransformerShape, HostileNumbersAreRefusedByName) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const float factor : {-1.0F, kNan, kInfinity}) {
    EXPECT_EQ(error_with([&](GgufWriter& w) { w.real("llama.rope.scaling.factor", factor); }),
              "m.gguf: key 'llama.rope.scaling.factor': is not positive");
  }
  const auto yarn_with = [](const char* key, float value) {
    return error_with([&](GgufWriter& w) {
      w.text("llama.rope.scaling.type", "yarn");
      w.real("llama.rope.scaling.factor", 4);
      w.real("llama.rope.scaling." + std::string(key), value);
    });
  };
  EXPECT_THAT(yarn_with("attn_factor", kNan), HasSubstr("attn_factor': is not positive"));
  EXPECT_THAT(yarn_with("yarn_beta_slow", 64), HasSubstr("is not above yarn_beta_slow"));
  EXPECT_EQ(error_with([](GgufWriter& w) { w.integer("llama.attention.key_length", 0); }),
            "m.gguf: key 'llama.attention.key_length': 0 is outside 1..1024");
  EXPECT_THAT(error_with([](GgufWriter& w) { w.integer("llama.attention.key_length", 1 << 30); }),
              HasSubstr("is outside 1..1024"));
  const auto divisors = [](std::vector<float> values) {
    return error_with([&](GgufWriter& w) {
      std::vector<std::uint8_t> data(4 * values.size());
      std::memcpy(data.data(), values.data(), data.size());
      w.tensor({"rope_freqs.weight",
                {static_cast<std::int64_t>(values.size())},
                WeightFormat::kF32,
                std::move(data)});
    });
  };
  EXPECT_EQ(divisors(std::vector<float>(8, 1)), "(read)");
  EXPECT_EQ(divisors(std::vector<float>(7, 1)),
            "m.gguf: tensor 'rope_freqs.weight': does not have a number for each pair of a head");
  EXPECT_EQ(divisors({1, 1, 1, 0, 1, 1, 1, 1}),
            "m.gguf: tensor 'rope_freqs.weight': is not a positive number for each pair");
  EXPECT_EQ(divisors({1, 1, 1, kNan, 1, 1, 1, 1}),
            "m.gguf: tensor 'rope_freqs.weight': is not a positive number for each pair");
}

TEST(RopeFrequencies, AreStretchedAsTheKindSays) {
  const std::vector<double> plain = rope_frequencies(16, 10000, {}, {});
  ASSERT_EQ(plain.size(), 8U);
  EXPECT_EQ(plain[0], 1);
  EXPECT_NEAR(plain[4], 0.01, 1e-15);
  RopeScaling scaling{.kind = RopeScaling::Kind::kLinear, .factor = 4};
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(rope_frequencies(16, 10000, scaling, {})[i], plain[i] / 4);
  // Fast pairs are kept, slow ones are divided, and those between stay within the range.
  for (const auto kind : {RopeScaling::Kind::kLlama3, RopeScaling::Kind::kYarn}) {
    scaling = {.kind = kind, .factor = 4, .original_context = 256};
    const std::vector<double> stretched = rope_frequencies(16, 10000, scaling, {});
    EXPECT_EQ(stretched.front(), plain.front());
    EXPECT_EQ(stretched.back(), plain.back() / 4);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_LE(stretched[i], plain[i]);
      EXPECT_GE(stretched[i], plain[i] / 4);
    }
  }
  const std::vector<float> divisors = {1, 2, 1, 1, 1, 1, 1, 8};
  EXPECT_EQ(rope_frequencies(16, 10000, {}, divisors)[7], plain[7] / 8);
  EXPECT_EQ(yarn_attention_factor(1), 1);
  EXPECT_EQ(yarn_attention_factor(16, 0.7, 0.7), 1);
}

}  // namespace
}  // namespace redraft
