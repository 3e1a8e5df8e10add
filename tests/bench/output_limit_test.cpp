#include "bench/output_limit.h"

#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

// What is kept of `output`, fed byte by byte until it is complete, and how much was read.
struct Kept {
  std::string text;
  std::size_t read = 0;
};
Kept keep(OutputEnd end, const std::string& output, const std::string& fence = "") {
  const auto tokenizer = byte_tokenizer();
  OutputLimit limit(*tokenizer, end, fence);
  Kept kept;
  for (const TokenId token : tokenizer->encode(output)) {
    ++kept.read;
    if (!limit.add(token)) break;
  }
  kept.text = limit.text();
  return kept;
}

TEST(OutputLimit, NothingEndsAnOpenOne) {
  EXPECT_EQ(keep(OutputEnd::kNone, "a\nb\nassert c").text, "a\nb\nassert c");
}

TEST(OutputLimit, AnEditEndsAtItsFence) {
  const Kept kept = keep(OutputEnd::kFence, "a = 1\n```\nmore", "```");
  EXPECT_EQ(kept.text, "a = 1\n");
  EXPECT_EQ(kept.read, 10U);
  EXPECT_EQ(keep(OutputEnd::kFence, "a = 1\n```", "```").text, "a = 1\n");
  EXPECT_EQ(keep(OutputEnd::kFence, "a = 1", "```").text, "a = 1\n");
}

TEST(OutputLimit, AFunctionEndsWhereALineBeginsAtTheMargin) {
  const Kept kept = keep(OutputEnd::kFunction, "    x = [\n1\n]");
  EXPECT_EQ(kept.text, "    x = [\n");
  EXPECT_EQ(keep(OutputEnd::kFunction, "    x = [\n    1\n]\n\n    return x\ndef next():").text,
            "    x = [\n    1\n]\n\n    return x\n");
  EXPECT_EQ(keep(OutputEnd::kFunction, "    return 1\n").text, "    return 1\n");
}

TEST(OutputLimit, AScriptEndsBeforeItsCalls) {
  EXPECT_EQ(keep(OutputEnd::kScript, "def f():\n    assert 1\n\nassert f()").text,
            "def f():\n    assert 1\n\n");
  EXPECT_EQ(keep(OutputEnd::kScript, "def f():\n    pass\nif __name__ == 1").text,
            "def f():\n    pass\n");
}

}  // namespace
}  // namespace redraft
