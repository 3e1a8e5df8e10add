// The long version of lossless_property_test: every strict decoder with random options, request
// after request to the same models, with their memory kept or forgotten.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "decoding/decoder_definition.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/random_decoder.h"

namespace redraft {
namespace {

constexpr int kShards = 16;
constexpr int kCases = 2000;  // per shard
constexpr int kRequests = 4;  // per case, the last one sampled
constexpr int kMaxShown = 5;  // differences that are reported in full

class ScriptedSweep : public testing::TestWithParam<int> {
 protected:
  void run_case(std::uint32_t seed) {
    // Half of them are too long for the thousands of cases of the property test.
    LosslessCase::Sizes sizes;
    if (seed % 2) sizes = {.vocabulary = 600, .prompt = 300, .output = 600};
    LosslessCase c(seed, sizes);
    std::vector<std::string> names;
    for (const DecoderDefinition* definition : all_decoders().subspan(1))  // all but `ar`
      names.push_back(random_decoder(c.random, *definition));
    for (int request = 0; request < kRequests; ++request) {
      if (request > 0) c.ask_again();
      if (request == kRequests - 1) {
        const double temperature = between(c.random, 1, 20) / 10.0;
        c.choose({temperature, between(c.random, 5, 10) / 10.0, seed}, 1);
      }
      for (const std::string& name : names) run(c, seed, request, name);
    }
  }

  void run(LosslessCase& c, std::uint32_t seed, int request, const std::string& name) {
    if (between(c.random, 0, 3) == 0) c.memory.forget();
    if (between(c.random, 0, 3) == 0) c.target_cache->truncate(0);
    SCOPED_TRACE(testing::Message() << name << ", seed " << seed << ", request " << request);
    const std::string difference = c.difference(name);
    ++runs;
    tokens += static_cast<long>(c.plain.tokens.size());
    if (!difference.empty() && ++differences <= kMaxShown) ADD_FAILURE() << difference;
  }

  long runs = 0;
  long tokens = 0;
  long differences = 0;
};

TEST_P(ScriptedSweep, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  const auto first = static_cast<std::uint32_t>(1'000'000 + kCases * GetParam());
  for (std::uint32_t seed = first; seed < first + kCases; ++seed) run_case(seed);
  // tools/run_tests.py adds these up.
  std::cout << "sweep scripted: runs=" << runs << " tokens=" << tokens
            << " differences=" << differences << std::endl;
  EXPECT_EQ(differences, 0);
}

INSTANTIATE_TEST_SUITE_P(Shards, ScriptedSweep, testing::Range(0, kShards));

}  // namespace
}  // namespace redraft
