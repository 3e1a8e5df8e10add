#include "tuning/training_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

const RunIdentity kIdentity = {{"model", "m"}, {"batch", "32"}};

TrainingState some_state() {
  TrainingState state;
  state.steps = {{.loss = 1.25,
                  .accuracy = 0.5,
                  .rate = 1e-5,
                  .length = 3,
                  .tokens = 100,
                  .seconds = 2,
                  .held_out = {}},
                 {.loss = 0.1,
                  .accuracy = 1,
                  .rate = 2e-5,
                  .length = 0.3,
                  .tokens = 99,
                  .seconds = 3,
                  .held_out = 0.75}};
  state.place = 3;
  state.batch = {12.5, 4, 20};
  state.seconds = 1.5;
  state.parameters = {1, -2.5F, 3e-30F};
  state.gradients = {4, 5, 6};
  state.moments = {{7, 8, 9}, {10, 11, 12}};
  return state;
}

class Checkpoint : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(save_checkpoint(file_, kIdentity, some_state())); }

  std::string bytes() const {
    std::ifstream stream(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
  }
  std::string error_of(const RunIdentity& identity, std::size_t parameters) const {
    const Result<TrainingState> state = load_checkpoint(file_, identity, parameters);
    return state ? "" : state.error().message();
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "checkpoint";
};

TEST_F(Checkpoint, IsReadBack) {
  const Result<TrainingState> state = load_checkpoint(file_, kIdentity, 3);
  ASSERT_TRUE(state) << state.error().message();
  const TrainingState expected = some_state();
  EXPECT_EQ(state->place, 3);
  EXPECT_EQ(state->batch.sum, 12.5);
  EXPECT_EQ(state->batch.right, 4);
  EXPECT_EQ(state->batch.tokens, 20);
  EXPECT_EQ(state->seconds, 1.5);
  EXPECT_EQ(state->parameters, expected.parameters);
  EXPECT_EQ(state->gradients, expected.gradients);
  EXPECT_EQ(state->moments.mean, expected.moments.mean);
  EXPECT_EQ(state->moments.square, expected.moments.square);
  ASSERT_EQ(state->steps.size(), 2U);
  EXPECT_EQ(state->steps[1].loss, 0.1);
  EXPECT_EQ(state->steps[1].tokens, 99);
  EXPECT_EQ(state->steps[0].held_out, std::nullopt);
  EXPECT_EQ(state->steps[1].held_out, 0.75);
}

TEST_F(Checkpoint, BelongsToItsRun) {
  EXPECT_EQ(error_of({{"model", "m"}, {"batch", "16"}}, 3),
            folder_.path().string() +
                ": its run has batch 32, not 16; continue with the original "
                "options, or choose another --out");
  EXPECT_NE(error_of(kIdentity, 4), "");
}

TEST_F(Checkpoint, AnyDamageIsAnError) {
  const std::string good = bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
    write(bad);
    EXPECT_NE(error_of(kIdentity, 3), "") << i;
    write(good.substr(0, i));
    EXPECT_NE(error_of(kIdentity, 3), "") << i;
  }
  write(good + "x");
  EXPECT_NE(error_of(kIdentity, 3), "");
  write(good);
  EXPECT_EQ(error_of(kIdentity, 3), "");
}

}  // namespace
}  // namespace redraft
