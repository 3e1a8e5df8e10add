#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "decoding/decoder.h"
#include "tests/kit/lossless_case.h"

namespace redraft {
namespace {

// What on_emitted reports is what the statistics count, token by token.
void check(LosslessCase& lossless, const std::string& decoder) {
  std::vector<EmittedToken> emitted;
  DecodeRequest request = lossless.request;
  request.on_emitted = [&](const EmittedToken& token) { emitted.push_back(token); };
  const DecodeResult result = lossless.run(decoder, request);
  EXPECT_EQ(result.tokens, lossless.plain.tokens);
  ASSERT_EQ(emitted.size(), result.tokens.size());
  std::array<std::int64_t, kDraftOriginCount> by_origin{};
  int own = 0;
  int pass = 0;
  for (std::size_t i = 0; i < emitted.size(); ++i) {
    EXPECT_EQ(emitted[i].token, result.tokens[i]);
    EXPECT_GE(emitted[i].pass, std::max(pass, 1));
    EXPECT_GE(emitted[i].rows, 1);
    pass = emitted[i].pass;
    if (emitted[i].origin) {
      ++by_origin[static_cast<std::size_t>(*emitted[i].origin)];
    } else {
      ++own;
    }
  }
  EXPECT_LE(pass, result.statistics.passes);
  EXPECT_EQ(by_origin, result.statistics.accepted_by_origin);
  EXPECT_EQ(own, result.statistics.bonus_tokens);
}

TEST(EmittedTokens, AreThoseThatStatisticsCount) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    LosslessCase lossless(seed);
    for (const char* decoder : {"ar", "efficientedit", "fastfixer", "fastcoder", "redraft"})
      check(lossless, decoder);
  }
}

std::vector<std::string> phases(const std::string& decoder) {
  std::vector<std::string> seen;
  for (std::uint32_t seed = 0; seed < 30; ++seed) {
    LosslessCase lossless(seed);
    DecodeRequest request = lossless.request;
    request.on_emitted = [&](const EmittedToken& token) {
      if (std::ranges::find(seen, token.phase) == seen.end()) seen.emplace_back(token.phase);
    };
    (void)lossless.run(decoder, request);
  }
  std::ranges::sort(seen);
  return seen;
}

TEST(EmittedTokens, NameTheirPhase) {
  EXPECT_EQ(phases("ar"), (std::vector<std::string>{"plain"}));
  EXPECT_EQ(phases("redraft"), (std::vector<std::string>{"draft"}));
  EXPECT_EQ(phases("efficientedit"), (std::vector<std::string>{"generate", "reuse"}));
  EXPECT_EQ(phases("fastfixer"), (std::vector<std::string>{"generate", "reuse"}));
}

}  // namespace
}  // namespace redraft
