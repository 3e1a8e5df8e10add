#include "decoding/decoder_name.h"

#include <gtest/gtest.h>

namespace redraft {
namespace {

TEST(DecoderName, ReadsNamesAndOptions) {
  const auto name =
      parse_decoder_name("efficientedit:entropy:k=5:gamma=3:key=2:floor:keep-correction");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->kind, DecoderName::Kind::kEfficientEdit);
  EXPECT_EQ(name->generate_policy.rule, AcceptancePolicy::Rule::kEntropy);
  EXPECT_EQ(name->generate_policy.k, 5);
  EXPECT_TRUE(name->generate_policy.floor_tau);
  EXPECT_FALSE(name->generate_policy.lossless());
  EXPECT_EQ(name->gamma, 3);
  EXPECT_EQ(name->key, 2);
  EXPECT_TRUE(name->keep_correction);
  EXPECT_TRUE(name->needs_draft_model());
  EXPECT_EQ(name->text, "efficientedit:entropy:k=5:gamma=3:key=2:floor:keep-correction");
}

TEST(DecoderName, DefaultsAreThePapers) {
  const auto name = parse_decoder_name("efficientedit");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->gamma, 7);
  EXPECT_EQ(name->key, 7);
  EXPECT_FALSE(name->keep_correction);
  EXPECT_TRUE(name->generate_policy.lossless());
}

TEST(DecoderName, OnlyEfficientEditNeedsADraftModel) {
  EXPECT_FALSE(parse_decoder_name("ar")->needs_draft_model());
  EXPECT_FALSE(parse_decoder_name("redraft")->needs_draft_model());
  EXPECT_FALSE(parse_decoder_name("efficientedit:reuse-only")->needs_draft_model());
}

TEST(DecoderName, SaysWhatIsWrongAndWhatThereIs) {
  const auto message = [](std::string_view text) {
    const auto name = parse_decoder_name(text);
    EXPECT_FALSE(name) << text;
    return name ? std::string() : name.error().message();
  };
  EXPECT_NE(message("fast").find("ar, efficientedit, redraft"), std::string::npos);
  EXPECT_NE(message("").find("unknown decoder ''"), std::string::npos);
  EXPECT_NE(message("efficientedit:reuse").find("reuse-only"), std::string::npos);
  EXPECT_NE(message("efficientedit:").find("unknown option ''"), std::string::npos);
  EXPECT_NE(message("ar:gamma=2").find("takes no options"), std::string::npos);
  for (const char* bad : {"efficientedit:gamma", "efficientedit:gamma=", "efficientedit:gamma=0",
                          "efficientedit:gamma=-1", "efficientedit:k=65", "efficientedit:key=7x",
                          "efficientedit:k=99999999999"}) {
    EXPECT_NE(message(bad).find("from 1 to 64"), std::string::npos) << bad;
  }
}

}  // namespace
}  // namespace redraft
