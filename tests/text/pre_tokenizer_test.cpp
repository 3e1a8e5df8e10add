#include "text/pre_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace redraft {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> words_of(PreTokenizer pre_tokenizer, std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = word_end(pre_tokenizer, text, begin);
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

// `marked` has a | between the words into which the `tokenizers` package splits the text.
void check(PreTokenizer pre_tokenizer, const std::string& marked) {
  std::vector<std::string> expected(1);
  std::string text;
  for (const char c : marked) {
    if (c == '|') {
      expected.emplace_back();
    } else {
      expected.back() += c;
      text += c;
    }
  }
  EXPECT_EQ(words_of(pre_tokenizer, text), expected);
}

TEST(PreTokenizer, Qwen2CutsCodeAndText) {
  const auto check_qwen2 = [](const std::string& marked) { check(PreTokenizer::kQwen2, marked); };
  check_qwen2("def| main|(argv|):\n|   | return| |1|2|3|\n");
  check_qwen2("I|'m| sure|'LL| they|'Ve| it|'\u017F|'Re|'x|'lx");
  check_qwen2("a|     | b|\t\t|\tc");
  check_qwen2("a|  \n  \n| | b");
  check_qwen2("a|\r\n\r\n|b|\r|\tc");
  check_qwen2("x| !=| y|;\n\n|z");
  check_qwen2("\u00A0\u4F60\u597D|\uFF0C\u4E16\u754C|\u3000|\u3000|\uFF01");
  check_qwen2("cafe|\u0301s| \U0001F600\u200D|\u0664|\u0665");
  check_qwen2("tail|   ");
}

TEST(PreTokenizer, Qwen35JoinsMarksToLetters) {
  const auto check_qwen35 = [](const std::string& marked) { check(PreTokenizer::kQwen35, marked); };
  check_qwen35("def| main|(argv|):\n|   | return| |1|2|3|\n");
  check_qwen35("I|'m|'S|'\u017F|'Re|'x|'lx");
  check_qwen35("cafe\u0301s|,\u0301|.\u0301x| \u0301");
  check_qwen35("\u0928\u092E\u0938\u094D\u0924\u0947| \u0939\u0948\u0902|\u0967|\u0902");
  check_qwen35("\u2764\uFE0F|\U0001F469\u200D\U0001F4BB|\uFE0F|1|\uFE0F\u20E3|2|\u20E3\u20E3a");
  check_qwen35("!?|\u0301a|\n|\u0301|\r\n|\u0301|  | \u0301|  \n|\t\u0301");
  check_qwen35("--|\u0301|\u200D\n\n|a\u0301|'s|'\u0301s");
}

TEST(PreTokenizer, Llama3KeepsUpToThreeDigitsTogether) {
  const auto check_llama = [](const std::string& marked) { check(PreTokenizer::kLlama3, marked); };
  check_llama("x| =| |123|456|7|;\n|  | y|'LL|\n\n| |12|a|  ");
  check_llama("\u0664\u0665\u0966|\u0967|.|1|'s");
}

TEST(PreTokenizer, SeedCoderSplitsLineEndsOffWhatStandsBeforeThem) {
  const auto check_seed = [](const std::string& marked) {
    check(PreTokenizer::kSeedCoder, marked);
  };
  check_seed("x| !=| y|;|\n\n|z");
  check_seed("def| main|():|\n|   | return| |1|2|3|\n");
  check_seed("}|\r\n| | }| ;|  \n\n|'LL|.foo| .|\n");
  check_seed("\u00A0\u4F60|\uFF0C|\n|tail|;|   ");
}

TEST(PreTokenizer, Gpt4oSplitsWhereTheCaseChanges) {
  const auto check_gpt4o = [](const std::string& marked) { check(PreTokenizer::kGpt4o, marked); };
  check_gpt4o("get|Http|Response| HTTPServer| x|Yz| XML|2|Json");
  check_gpt4o("I'm| sure'LL| they've|'Ve't|is| it'\u017F| it|'x'Re| O'D|'Neill");
  check_gpt4o("\u65E5\u672C|ABC|\n|\u65E5\u672CABCd\u65E5\u672Cgo| \u01C5x|\u01C5|;");
  check_gpt4o("\u0301|ABC| \u0301ABCd\u0301\u0301a|A\u0301|BC|.\u0301|!!\u0301|A");
  check_gpt4o("x| =| |123|456|7|*/\n/|**\r\n\r\n|\t|\treturn|//\n");
  check_gpt4o("Def| main|():\n|   | return|  \n|tail|   ");
}

TEST(PreTokenizer, TekkenKeepsContractionsAndDigitsApart) {
  const auto check_tekken = [](const std::string& marked) { check(PreTokenizer::kTekken, marked); };
  check_tekken("get|Http|Response| HTTPServer|1|2|3| I|'m|'LL|'Ves");
  check_tekken("\u65E5\u672C|ABC|'s|}\n//|x|/\r\n|  | y");
}

TEST(PreTokenizer, Gemma4SplitsOnlyAtLineEnds) {
  const auto check_gemma4 = [](const std::string& marked) { check(PreTokenizer::kGemma4, marked); };
  check_gemma4("def f(x):|\n|    return x's 12  \t|\n\n\n|\r|\n|tail ");
  check_gemma4("\n\n|\u4F60\u597D \r");
}

TEST(PreTokenizer, Gpt2KeepsNumbersAndLineEndsWithTheRest) {
  const auto check_gpt2 = [](const std::string& marked) { check(PreTokenizer::kGpt2, marked); };
  check_gpt2("def| main|(|argv|):|\n   | return| 1234|\n");
  check_gpt2("I|'m|'|LL| 12|a| \n");
  check_gpt2("x|\r\n\r|\n|y| | \u4F60|\U00011DE0");
}

TEST(PreTokenizer, DeepSeekCoderCutsOneThingAfterAnother) {
  const auto check_deepseek = [](const std::string& marked) {
    check(PreTokenizer::kDeepSeekCoder, marked);
  };
  check_deepseek("if| (|x| == |1|2|)|\r|\n|\n|   | y| +=| z|;");
  check_deepseek("a|\t\t|\tb|\t.| ,|$ |3");
  check_deepseek("abc|\u4F60\u597D|x| |\u4F60|\u3000\u4F60|,\uFF0C|\u3002|=|\u2192|=");
  check_deepseek("\u0915|\u0967|\u0915| |\U00011DE0|x|'|s");
}

TEST(PreTokenizer, SmolLmCutsDigitsOutFirst) {
  const auto check_smollm = [](const std::string& marked) { check(PreTokenizer::kSmolLm, marked); };
  check_smollm("def| main|(|argv|):|\n   | return|  |1|2|3|\n");
  check_smollm("I|'m| sure|'|LL| x|'s|5|'s|\n\n|\n|b");
  check_smollm("a|  |1| | b|\u00A0|\u4F60");
  check_smollm("a|\u3000\u3000|2|\u3000|\u3000|b");
  check_smollm("a| |\U00011DE0|-|\U00016FF4|  |\U00011DE9");  // numbers since Unicode 17
}

TEST(PreTokenizer, WordsOfAnyBytesMakeUpTheText) {
  const std::string alphabet =
      "a\xC3\xA9 \n\r\t'sS/\xC5\xBF"
      "1\xE2\x80\x83-\xF0\x9F\x98\x80\xFF.\xE4\xBD\xA0\xCC\x81";
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string text(random() % 40, '\0');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    for (const PreTokenizer pre_tokenizer :
         {PreTokenizer::kQwen2, PreTokenizer::kQwen35, PreTokenizer::kLlama3,
          PreTokenizer::kSeedCoder, PreTokenizer::kGpt4o, PreTokenizer::kTekken,
          PreTokenizer::kGpt2, PreTokenizer::kSmolLm, PreTokenizer::kDeepSeekCoder,
          PreTokenizer::kGemma4}) {
      std::string together;
      for (const std::string& word : words_of(pre_tokenizer, text)) {
        ASSERT_FALSE(word.empty());
        together += word;
      }
      ASSERT_EQ(together, text);
    }
  }
}

TEST(PreTokenizer, AnUnknownNameIsAnErrorThatListsTheKnownOnes) {
  const auto found = find_pre_tokenizer("laguna");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), HasSubstr("\"laguna\" is not supported"));
  EXPECT_THAT(found.error().message(),
              HasSubstr("supported are: qwen2, deepseek-r1-qwen, qwen35, llama-bpe"));
}

}  // namespace
}  // namespace redraft
