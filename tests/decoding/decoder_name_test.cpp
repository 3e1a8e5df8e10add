#include "decoding/decoder_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "decoding/decoder_definition.h"

namespace redraft {
namespace {

using testing::HasSubstr;

TEST(DecoderName, ReadsNamesAndOptions) {
  const char* text = "efficientedit:entropy:k=5:gamma=3:key=2:floor:keep-correction";
  const auto name = parse_decoder_name(text);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->definition().name, "efficientedit");
  EXPECT_TRUE(name->options().has("entropy"));
  EXPECT_FALSE(name->options().has("top-k"));
  EXPECT_EQ(name->options().integer("k"), 5);
  EXPECT_EQ(name->options().integer("gamma"), 3);
  EXPECT_EQ(name->options().integer("key"), 2);
  EXPECT_FALSE(name->lossless());
  EXPECT_TRUE(name->needs_draft_model());
  EXPECT_EQ(name->text, text);
}

// "gamma=3 tokens=10", of the options that are numbers.
std::string defaults_of(const DecoderDefinition& decoder) {
  std::ostringstream text;
  for (const DecoderOption& option : decoder.options) {
    if (option.preset)
      text << (text.tellp() > 0 ? " " : "") << option.name << '=' << *option.preset;
  }
  return text.str();
}

// Without options a decoder is its paper's: none of its numbers changes unnoticed, and a new
// decoder has a row here, with the place where its paper says so.
TEST(DecoderName, DefaultsAreThePapers) {
  const std::string rest = "n=16 min-n=2 tokens=10 nodes=64 matches=5000";
  const std::map<std::string_view, std::string> papers = {
      {"ar", ""},
      {"sd", "gamma=3"},                             // CopySpec's tables 3 to 5
      {"pld", "n=3 tokens=10"},                      // as first published
      {"fastfixer", "key=5"},                        // its authors' code
      {"copyspec", "gamma=3 tokens=10"},             // the set-up of its experiments
      {"copyspec+sd", "gamma=3 tokens=10 draft=3"},  // tables 3 to 5; 5 and 5 are the others
      {"rest", rest},                                // its authors' code
      {"fastcoder", rest + " alpha=1 beta=1 l=50 every=20 p=0.5 seed=0"},  // its set-up
      {"efficientedit", "gamma=7 key=7 k=3"},  // its set-up, for Qwen; the key: its authors' code
      {"llma", "n=1 longest=5 k=20"},          // its authors' code
      {"lookahead", "window=15 n=5 guesses=15 seed=0"},                      // for a model of 7B
      {"ouroboros", "gamma=12 window=20 n=7 guesses=20 suffixes=3 seed=0"},  // its authors' code
      {"selfspec", "tokens=8 threshold=0.8 alpha=0.9 epsilon=0.01 beta1=0.5 beta2=0.9"},
      {"head", "tokens=3"},  // as many as the heads that redraft trains have places
      {"redraft", ""},
  };
  for (const DecoderDefinition* decoder : all_decoders()) {
    const auto paper = papers.find(decoder->name);
    ASSERT_NE(paper, papers.end()) << decoder->name << ": what are its paper's constants?";
    EXPECT_EQ(defaults_of(*decoder), paper->second) << decoder->name;
  }
}

TEST(DecoderName, IsRedraftUnlessSaidOtherwise) {
  const DecoderName name;
  EXPECT_EQ(name.text, "redraft");
  EXPECT_TRUE(name.lossless());
  EXPECT_EQ(name.options().maybe_integer("max-nodes"), std::nullopt);
  EXPECT_EQ(parse_decoder_name("redraft:max-nodes=64")->options().maybe_integer("max-nodes"), 64);
}

TEST(DecoderName, KnowsWhoNeedsADraftModel) {
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
  EXPECT_THAT(message("fast"), testing::AllOf(HasSubstr("unknown decoder 'fast'; there are: ar, "),
                                              HasSubstr("efficientedit, "), HasSubstr("redraft")));
  EXPECT_THAT(message(""), HasSubstr("unknown decoder ''"));
  EXPECT_THAT(message("efficientedit:reuse"), HasSubstr("reuse-only, gamma=N, key=N"));
  EXPECT_THAT(message("efficientedit:"), HasSubstr("unknown option ''"));
  EXPECT_THAT(message("ar:gamma=2"),
              HasSubstr("decoder 'ar:gamma=2': unknown option 'gamma=2'; there are none"));
  EXPECT_THAT(message("efficientedit:floor=1"), HasSubstr("'floor' takes no value"));
  EXPECT_THAT(message("efficientedit:k=2:k=3"), HasSubstr("'k' is written twice"));
  EXPECT_THAT(message("efficientedit:top-k:direct"), HasSubstr("choose one"));
  EXPECT_THAT(message("redraft:max-nodes=0"), HasSubstr("from 1 to 4096"));
  for (const char* bad : {"efficientedit:gamma", "efficientedit:gamma=", "efficientedit:gamma=0",
                          "efficientedit:gamma=-1", "efficientedit:k=65", "efficientedit:key=7x",
                          "efficientedit:k=2.5", "efficientedit:k=99999999999"}) {
    EXPECT_THAT(message(bad), HasSubstr("from 1 to 64")) << bad;
  }
}

TEST(DecoderOptions, ReadsRealNumbers) {
  const DecoderOption declared[] = {DecoderOption::real("p", 0.5, 0, 1, "")};
  const auto parse = [&](std::string_view text) {
    return DecoderOptions::parse(declared, std::span(&text, 1));
  };
  EXPECT_EQ(DecoderOptions(declared).real("p"), 0.5);
  EXPECT_EQ(parse("p=0.25")->real("p"), 0.25);
  EXPECT_EQ(parse("p=1")->real("p"), 1);
  for (const char* bad : {"p=1.01", "p=-0.5", "p=nan", "p=inf", "p=", "p=x"}) {
    const auto parsed = parse(bad);
    ASSERT_FALSE(parsed) << bad;
    EXPECT_THAT(parsed.error().message(), HasSubstr("from 0 to 1, as in p=0.5"));
  }
}

TEST(DecoderTable, HoldsTogether) {
  std::set<std::string_view> names;
  for (const DecoderDefinition* decoder : all_decoders()) {
    EXPECT_TRUE(names.insert(decoder->name).second) << decoder->name;
    EXPECT_TRUE(parse_decoder_name(decoder->name)) << decoder->name;
    EXPECT_TRUE(parse_decoder_name(decoder->name)->lossless()) << "a lossy rule is asked for";
    EXPECT_FALSE(decoder->summary.empty());
    std::set<std::string_view> options;
    for (const DecoderOption& option : decoder->options) {
      EXPECT_TRUE(options.insert(option.name).second) << decoder->name << ":" << option.name;
      EXPECT_FALSE(option.help.empty());
      if (option.preset) {
        EXPECT_GE(*option.preset, option.least) << option.name;
        EXPECT_LE(*option.preset, option.most) << option.name;
      }
    }
  }
  EXPECT_EQ(all_decoders().front()->name, "ar");
  EXPECT_EQ(all_decoders().back()->name, "redraft");
}

}  // namespace
}  // namespace redraft
