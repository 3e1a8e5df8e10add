#include "decoding/decode_clock.h"

#include <gtest/gtest.h>

#include <vector>

namespace redraft {
namespace {

// Time passes where a test says so, and nowhere else.
DecodeClock::Time now;
DecodeClock::Time read_time() { return now; }
void pass(int seconds) { now += std::chrono::seconds(seconds); }

DraftTree chain(std::vector<DraftOrigin> origins) {
  DraftTree draft;
  for (int i = 0; i < static_cast<int>(origins.size()); ++i) draft.add(7, i - 1, origins[i]);
  return draft;
}

const DecodeClock::Listener kNobody;

std::int64_t of(const CountsByOrigin& counts, DraftOrigin origin) {
  return counts[static_cast<std::size_t>(origin)];
}

TEST(DecodeClock, ReadingThePromptIsPrefill) {
  DecodeClock clock(kNobody, read_time);
  clock.found_in_cache(100, 30);
  clock.begin_chunk();
  pass(4);
  EXPECT_EQ(clock.end_chunk(50), 4);
  pass(100);
  clock.begin_decoding();
  clock.begin_chunk();
  pass(2);
  EXPECT_EQ(clock.end_chunk(9), 2);
  pass(1);
  clock.end_pass();
  const DecodeStatistics& statistics = clock.statistics();
  EXPECT_EQ(statistics.prompt_tokens, 100);
  EXPECT_EQ(statistics.cached_prompt_tokens, 30);
  EXPECT_EQ(statistics.prefilled_tokens, 59);
  EXPECT_EQ(statistics.prefill_seconds, 6);
  EXPECT_EQ(statistics.decode_seconds, 1);
}

TEST(DecodeClock, APassThatReadsThePromptIsSharedByItsRows) {
  DecodeClock clock(kNobody, read_time);
  clock.begin_decoding();
  clock.begin_pass();
  pass(10);
  clock.verified(chain({DraftOrigin::kReuse}), 5, 3, false);
  clock.end_pass();
  const DecodeStatistics& statistics = clock.statistics();
  EXPECT_EQ(statistics.prefilled_tokens, 3);
  EXPECT_EQ(statistics.rows, 2);
  EXPECT_EQ(clock.rows_of_pass(), 2);
  EXPECT_DOUBLE_EQ(statistics.prefill_seconds, 6);
  EXPECT_DOUBLE_EQ(statistics.decode_seconds, 4);
}

TEST(DecodeClock, DoesNotChargeTheListenersTime) {
  std::vector<DecodeStatistics> told;
  const DecodeClock::Listener listener = [&](const DecodeStatistics& statistics) {
    told.push_back(statistics);
    pass(1000);
  };
  DecodeClock clock(listener, read_time);
  clock.begin_chunk();
  pass(1);
  EXPECT_EQ(clock.end_chunk(5), 1);
  clock.begin_decoding();
  for (int i = 0; i < 3; ++i) {
    clock.begin_draft();
    pass(2);
    clock.end_draft();
    clock.begin_pass();
    pass(3);
    clock.verified({}, 1, 0, false);
    clock.emitted({});
    clock.end_pass();
  }
  ASSERT_EQ(told.size(), 4U);
  EXPECT_EQ(told[0].passes, 0);
  EXPECT_EQ(told[1].passes, 1);
  EXPECT_EQ(told[1].new_tokens, 1);
  EXPECT_EQ(told[1].decode_seconds, 5);
  EXPECT_EQ(told[3].decode_seconds, 15);
  EXPECT_EQ(told[3], clock.statistics());
  EXPECT_EQ(clock.statistics().draft_seconds, 6);
  EXPECT_EQ(clock.statistics().prefill_seconds, 1);
}

TEST(DecodeClock, CountsTokensByWhoGuessedThem) {
  DecodeClock clock(kNobody, read_time);
  clock.begin_pass();
  clock.verified(chain({DraftOrigin::kReuse, DraftOrigin::kReuse, DraftOrigin::kCopy}), 4, 0,
                 false);
  clock.emitted(DraftOrigin::kReuse);
  clock.emitted(DraftOrigin::kReuse);
  clock.emitted({});
  clock.begin_pass();
  clock.verified({}, 1, 0, false);
  clock.emitted({});
  const DecodeStatistics& statistics = clock.statistics();
  EXPECT_EQ(statistics.passes, 2);
  EXPECT_EQ(statistics.rows, 5);
  EXPECT_EQ(statistics.new_tokens, 4);
  EXPECT_EQ(statistics.bonus_tokens, 2);
  EXPECT_EQ(statistics.drafted_passes, 1);
  EXPECT_EQ(statistics.drafted_pass_tokens, 3);
  EXPECT_EQ(of(statistics.drafted_by_origin, DraftOrigin::kReuse), 2);
  EXPECT_EQ(of(statistics.accepted_by_origin, DraftOrigin::kReuse), 2);
  EXPECT_EQ(of(statistics.passes_by_origin, DraftOrigin::kReuse), 1);
  EXPECT_EQ(of(statistics.drafted_by_origin, DraftOrigin::kCopy), 1);
  EXPECT_EQ(of(statistics.accepted_by_origin, DraftOrigin::kCopy), 0);
  EXPECT_EQ(of(statistics.passes_by_origin, DraftOrigin::kCopy), 1);
  EXPECT_EQ(of(statistics.passes_by_origin, DraftOrigin::kModel), 0);
}

// A long draft in chunks: its rows and tokens are added, the pass is one.
TEST(DecodeClock, CountsAContinuedPassOnce) {
  DecodeClock clock(kNobody, read_time);
  for (const bool continues : {false, true, true}) {
    clock.begin_pass();
    clock.verified(chain({DraftOrigin::kReuse}), 2, 0, continues);
    clock.emitted(DraftOrigin::kReuse);
  }
  const DecodeStatistics& statistics = clock.statistics();
  EXPECT_EQ(statistics.passes, 1);
  EXPECT_EQ(statistics.forwards, 3);
  EXPECT_EQ(statistics.tokens_per_pass(), 3);
  EXPECT_EQ(statistics.tokens_per_forward(), 1);
  EXPECT_EQ(statistics.drafted_passes, 1);
  EXPECT_EQ(of(statistics.passes_by_origin, DraftOrigin::kReuse), 1);
  EXPECT_EQ(statistics.rows, 6);
  EXPECT_EQ(statistics.drafted_pass_tokens, 3);
}

}  // namespace
}  // namespace redraft
