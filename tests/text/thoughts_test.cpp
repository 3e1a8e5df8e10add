#include "text/thoughts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/text/tokenizer_kit.h"

namespace redraft {
namespace {

struct Divided {
  std::string thought, text;
  bool thinks = false;
  std::optional<std::size_t> text_begin = {};
  friend bool operator==(const Divided&, const Divided&) = default;
};

// The pieces end after these numbers of bytes.
Divided divided(AnswerBeginning beginning, std::string_view answer, std::size_t max_piece,
                std::mt19937& random) {
  ThoughtSplitter splitter(beginning);
  Divided all;
  const auto take = [&](const ThoughtSplitter::Pieces& pieces) {
    EXPECT_TRUE(pieces.thought.empty() || all.text.empty()) << "the thought comes first";
    all.thought += pieces.thought;
    all.text += pieces.text;
  };
  while (!answer.empty()) {
    const std::size_t size =
        std::uniform_int_distribution<std::size_t>(1, std::min(max_piece, answer.size()))(random);
    take(splitter.add(answer.substr(0, size)));
    answer.remove_prefix(size);
  }
  take(splitter.end());
  all.thinks = splitter.thinking();
  all.text_begin = splitter.text_begin();
  return all;
}

Divided divided(AnswerBeginning beginning, std::string_view answer) {
  std::mt19937 random(1);
  Divided whole = divided(beginning, answer, answer.size() + 1, random);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(divided(beginning, answer, 1 + i % 7, random), whole)
        << "depends on how it is cut: " << answer;
  }
  return whole;
}

constexpr AnswerBeginning kMayThink = AnswerBeginning::kMayThink;
constexpr AnswerBeginning kThinks = AnswerBeginning::kThinks;

TEST(Thoughts, AreTakenOffTheBeginning) {
  EXPECT_EQ(divided(kMayThink, "<think>\nA loop.\n\n I see.\n</think>\n\n  for"),
            (Divided{"A loop.\n\n I see.", "  for", false, 35}));
  EXPECT_EQ(divided(kMayThink, "\n <think></think>x</think>"),
            (Divided{"", "x</think>", false, 17}));
  EXPECT_EQ(divided(kThinks, "so\n</think>\r\n\nx\n"), (Divided{"so", "x\n", false, 14}));
  EXPECT_EQ(divided(kThinks, "</think>"), (Divided{"", "", false, 8}));
}

TEST(Thoughts, HaveTheTagsOfEachFamily) {
  EXPECT_EQ(divided(kMayThink, "<|channel>thought\nA loop.\n<channel|>for"),
            (Divided{"A loop.", "for", false, 36}));
  EXPECT_EQ(divided(kMayThink, "<|channel>thought\n<channel|>```\n"),
            (Divided{"", "```\n", false, 28}));
  EXPECT_EQ(divided(kMayThink, "<seed:think>\na</think></seed:think>\nb"),
            (Divided{"a</think>", "b", false, 36}));
  EXPECT_EQ(divided(kMayThink, "[THINK]a[/THINK]b"), (Divided{"a", "b", false, 16}));
}

// gpt-oss thinks in a message of its own.
TEST(Thoughts, MayBeAMessageBeforeTheFinalOne) {
  const std::string analysis = "<|channel|>analysis<|message|>We need a loop.<|end|>";
  const std::string final_header = "<|start|>assistant<|channel|>final<|message|>";
  EXPECT_EQ(divided(kMayThink, analysis + final_header + "\nfor " + final_header),
            (Divided{"We need a loop.", "for " + final_header, false, 98}));
  EXPECT_EQ(divided(kMayThink, analysis + "for"), (Divided{"We need a loop.", "for", false, 52}));
  EXPECT_EQ(divided(kMayThink, analysis + "<|start|>user"),
            (Divided{"We need a loop.", "<|start|>user", false, 52}));
  EXPECT_EQ(divided(kMayThink, "<|channel|>analysis<|message|>We <|en"),
            (Divided{"We <|en", "", true, {}}));
  EXPECT_EQ(divided(kMayThink, "<|channel|>commentary"),
            (Divided{"", "<|channel|>commentary", false, 0}));
}

TEST(Thoughts, AreNotWhereTheAnswerBeginsOtherwise) {
  for (const std::string answer :
       {"", "  \n", "x = 1\n<think>\n</think>\n", "<thin", " <think", "< think>", "</think>x"})
    EXPECT_EQ(divided(kMayThink, answer), (Divided{"", answer, false, 0})) << answer;
  EXPECT_EQ(divided(AnswerBeginning::kNoThought, "<think>a</think>b"),
            (Divided{"", "<think>a</think>b", false, 0}));
}

TEST(Thoughts, MayNeverEnd) {
  EXPECT_EQ(divided(kMayThink, "<think> a </thin"), (Divided{"a </thin", "", true, {}}));
  EXPECT_EQ(divided(kThinks, " a </ think> \n"), (Divided{"a </ think>", "", true, {}}));
  EXPECT_EQ(divided(kMayThink, "<think>"), (Divided{"", "", true, {}}));
}

TEST(Thoughts, ArbitraryAnswersKeepTheirTextHoweverTheyAreCut) {
  std::mt19937 random(7);
  const std::vector<std::string> words = {"<|channel>thought",
                                          "<channel|>",
                                          "[THINK]",
                                          "[/THINK]",
                                          "<|channel|>analysis<|message|>",
                                          "<|end|>",
                                          "<|start|>assistant<|channel|>final<|message|>",
                                          "<think>",
                                          "</think>",
                                          "<",
                                          "/think>",
                                          "thin",
                                          "k>",
                                          "\n",
                                          " ",
                                          "a",
                                          "é"};
  for (int i = 0; i < 400; ++i) {
    std::string answer;
    for (auto n = random() % 9; n > 0; --n) answer += words[random() % words.size()];
    const Divided all = divided(i % 2 == 0 ? kMayThink : kThinks, answer);
    EXPECT_TRUE(answer.ends_with(all.text)) << answer;
    if (all.text_begin) {
      EXPECT_EQ(answer.substr(*all.text_begin), all.text);
    }
    EXPECT_NE(answer.find(all.thought), std::string::npos) << answer;
  }
}

TEST(Thoughts, AreMentionedByAnyOpeningTag) {
  for (const std::string tag : {"<think>", "<|channel>thought", "[THINK]", "<seed:think>",
                                "<|channel|>analysis<|message|>"}) {
    EXPECT_TRUE(begins_with_thought("\n " + tag));
    EXPECT_FALSE(begins_with_thought("x" + tag));
    EXPECT_TRUE(mentions_thought("x" + tag));
  }
  EXPECT_FALSE(mentions_thought("<|channel> [/THINK]"));
}

TEST(Thoughts, AreOpenedByThePromptsEndAlone) {
  const auto of = [](const std::vector<PromptPart>& parts) { return beginning_of_answer(parts); };
  EXPECT_EQ(of({{"<|im_start|>", true}, {"assistant\n", false}, {"<think>", true}, {"\n", false}}),
            kThinks);
  EXPECT_EQ(of({{"assistant\n<think>\n", false}}), kThinks);
  EXPECT_EQ(of({{"<think>", true}, {"\n\n", false}, {"</think>", true}, {"\n\n", false}}),
            kMayThink);
  EXPECT_EQ(of({{"<think>", false}, {"<|im_start|>", true}, {"assistant\n", false}}), kMayThink);
  EXPECT_EQ(of({}), kMayThink);
}

TEST(Thoughts, GoOnWhereAnAnswerIsContinued) {
  const auto rest = [](AnswerBeginning beginning, const char* begun) {
    return beginning_of_rest(beginning, begun);
  };
  EXPECT_EQ(rest(kThinks, "so"), kThinks);
  EXPECT_EQ(rest(kThinks, "so</think>"), AnswerBeginning::kNoThought);
  EXPECT_EQ(rest(kMayThink, "<think>so"), kThinks);
  EXPECT_EQ(rest(kMayThink, "x"), AnswerBeginning::kNoThought);
  EXPECT_EQ(rest(kMayThink, "\n"), kMayThink);
  EXPECT_EQ(rest(kThinks, "\n"), kThinks);
}

struct Begun {
  std::string text;  // control parts in braces
  AnswerBeginning beginning = kMayThink;
  friend bool operator==(const Begun&, const Begun&) = default;
};

Begun begun(const Tokenizer& tokenizer, std::vector<PromptPart> parts, std::string_view text) {
  Begun begun;
  begun.beginning = begin_answer(tokenizer, text, parts);
  for (const PromptPart& part : parts)
    begun.text += part.control ? "{" + part.text + "}" : part.text;
  return begun;
}

TEST(Thoughts, AClientsBeginningIsNoPartOfAThoughtThatTheTemplateOpened) {
  constexpr AnswerBeginning kNoThought = AnswerBeginning::kNoThought;
  TokenizerSpec spec = tiny_spec("qwen2");
  for (const char* tag : {"<think>", "</think>"}) {
    spec.tokens.emplace_back(tag);
    spec.types.push_back(3);
  }
  const auto tokenizer = *Tokenizer::make(std::move(spec));
  const std::vector<PromptPart> opened = {{"<think>", true}, {"\n", false}};
  const auto of = [&](std::string_view text) { return begun(*tokenizer, opened, text); };
  EXPECT_EQ(of("x = 1"), (Begun{"{<think>}\n{</think>}\n\nx = 1", kNoThought}));
  EXPECT_EQ(of("<think>\nso"), (Begun{"{<think>}\nso", kThinks}));
  EXPECT_EQ(of("\n<think>so</think>x"), (Begun{"{<think>}\nso</think>x", kNoThought}));
  EXPECT_EQ(of("so</think>x"), (Begun{"{<think>}\nso</think>x", kNoThought}));
  EXPECT_EQ(of("\n"), (Begun{"{<think>}\n\n", kThinks}));
  EXPECT_EQ(of(""), (Begun{"{<think>}\n", kThinks}));

  const std::vector<PromptPart> plain = {{"a\n", false}};
  EXPECT_EQ(begun(*tokenizer, plain, "x"), (Begun{"a\nx", kNoThought}));
  EXPECT_EQ(begun(*tokenizer, plain, "\n"), (Begun{"a\n\n", kMayThink}));
  EXPECT_EQ(begun(*tokenizer, plain, "<think>so"), (Begun{"a\n<think>so", kThinks}));
  const auto without_tags = *Tokenizer::make(tiny_spec("qwen2"));
  EXPECT_EQ(begun(*without_tags, {{"<think>\n", false}}, "x"),
            (Begun{"<think>\n</think>\n\nx", kNoThought}));
}

TEST(Thoughts, TagsThatAreControlTokensAreSpelled) {
  TokenizerSpec spec = tiny_spec("qwen2");
  const auto first = static_cast<TokenId>(spec.tokens.size());
  for (const char* tag : {"<think>", "</think>", "<|tool|>", "<|channel>"}) {
    spec.tokens.emplace_back(tag);
    spec.types.push_back(3);
  }
  const auto tokenizer = *Tokenizer::make(std::move(spec));
  EXPECT_EQ(tokenizer->bytes(first), "");
  EXPECT_EQ(answer_bytes(*tokenizer, first), "<think>");
  EXPECT_EQ(answer_bytes(*tokenizer, first + 1), "</think>");
  EXPECT_EQ(answer_bytes(*tokenizer, first + 2), "");
  EXPECT_EQ(answer_bytes(*tokenizer, first + 3), "<|channel>");
  EXPECT_EQ(answer_bytes(*tokenizer, -1), "");
}

}  // namespace
}  // namespace redraft
