// What a pass means for its sequence, as computed on a GPU. Runs on the emulated device, and on a
// real one if there is one.
#include "cuda/sequence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/cuda/acceptance_case.h"
#include "tests/cuda/device_model.h"
#include "tests/decoding/model/row_invariance.h"

namespace redraft::cuda {
namespace {

class CudaAcceptance : public DeviceModelTest {};

TEST_F(CudaAcceptance, IsThatOfTheRule) {
  DeviceQueue queue;
  PassMemory memory(*files_of(small_model().writer())->shape(), queue);
  std::mt19937 random(1);
  std::size_t longest = 0, partial = 0, moved = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const int nodes = static_cast<int>(random() % (turn < 280 ? 60 : 700));
    const int tokens = 1 + static_cast<int>(random() % 4);
    const DraftTree draft = random_draft(nodes, static_cast<int>(random() % 4), tokens, random);
    const std::vector<TokenId> context(1 + random() % 5, 2);
    const int own = static_cast<int>(context.size()) + nodes;
    const int padded = own <= kMaxRecordedRows && turn % 2 == 0 ? kMaxRecordedRows : 0;
    const AcceptanceCase result =
        run_acceptance(memory, queue, draft, context, tokens, padded, random);
    ASSERT_EQ(result.difference(), "") << "turn " << turn << ", " << nodes << " nodes";
    longest = std::max(longest, result.accepted.size());
    partial += result.accepted.size() < static_cast<std::size_t>(nodes) ? 1 : 0;
    moved += result.in_place < static_cast<int>(result.accepted.size()) ? 1 : 0;
  }
  EXPECT_GT(longest, 40U) << "paths longer than a warp stood";
  EXPECT_GT(partial, 100U);
  EXPECT_GT(moved, 20U);
}

class CudaVerification : public DeviceModelTest {
 protected:
  // The next token's row, to the last bit.
  static RowBits next_row(LanguageModel& model, KvCache& cache) {
    const TokenId next = 7;
    return prefill(model, cache, {&next, 1}, 1);
  }
};

// A draft in which some of the model's own tokens are at random places.
DraftTree draft_of(LanguageModel& model, std::span<const TokenId> context, int nodes,
                   std::mt19937& random) {
  const auto cache = model.new_cache(400);
  const std::vector<TokenId> written =
      model.LanguageModel::continue_greedily(context, nodes, *cache);
  DraftTree draft;
  int last = -1;
  for (const TokenId token : written) {
    for (auto wrong = random() % 3; wrong > 0; --wrong)
      draft.add(static_cast<TokenId>(random() % 200), last, DraftOrigin::kOther);
    last = draft.add(random() % 8 == 0 ? 1 : token, last, DraftOrigin::kOther);
  }
  return draft;
}

TEST_F(CudaVerification, OnTheDeviceIsThatOfTheHost) {
  const auto model = on_gpu(small_model());
  std::mt19937 random(3);
  int accepted = 0, moved = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const std::vector<TokenId> tokens =
        random_tokens(*model, 3 + 4 * turn, static_cast<std::uint32_t>(turn));
    const DraftTree draft = draft_of(*model, tokens, turn < 5 ? 7 : 70, random);
    const auto device = model->new_cache(400), host = model->new_cache(400);
    Predictions of_device, of_host;
    int calls = 0;
    const Acceptance ours = model->verify(
        tokens, draft, *device, [&calls] { ++calls; }, of_device);
    const Acceptance reference = model->LanguageModel::verify(tokens, draft, *host, {}, of_host);
    EXPECT_EQ(calls, 1) << "there is time for something else";
    EXPECT_EQ(ours.path, reference.path);
    EXPECT_EQ(ours.tokens, reference.tokens);
    EXPECT_EQ(of_device.argmax, of_host.argmax);
    EXPECT_TRUE(std::ranges::equal(device->tokens(), host->tokens()));
    EXPECT_TRUE(next_row(*model, *device) == next_row(*model, *host)) << "turn " << turn;
    accepted += static_cast<int>(ours.path.size());
    moved += !ours.path.empty() && ours.path.back() >= static_cast<int>(ours.path.size()) ? 1 : 0;
  }
  EXPECT_GT(accepted, 10);
  EXPECT_GT(moved, 2);
}

TEST_F(CudaVerification, WithoutADraftIsAPlainStep) {
  const auto model = on_gpu(small_model());
  const std::vector<TokenId> tokens = random_tokens(*model, 6, 4);
  const auto device = model->new_cache(40), host = model->new_cache(40);
  Predictions predictions;
  const Acceptance step = model->verify(tokens, {}, *device, {}, predictions);
  EXPECT_EQ(step.tokens, model->forward(tokens, {}, *host, {}).argmax);
  EXPECT_TRUE(step.path.empty());
  EXPECT_EQ(device->length(), 6);
}

TEST_F(CudaVerification, StepsInOneGoAreStepsOneByOne) {
  const auto model = on_gpu(small_model("qwen2", 5));
  ASSERT_GT(model->steps_at_once(), 1);
  const auto device = model->new_cache(300), host = model->new_cache(300);
  int written = 0;
  for (int turn = 0; written < 60; ++turn) {
    // Contexts of one row, of several, and of more than a recording has.
    const std::vector<TokenId> context =
        random_tokens(*model, turn == 3 ? 130 : 1 + turn % 3, static_cast<std::uint32_t>(turn));
    const int count = 1 + turn % model->steps_at_once();
    const std::vector<TokenId> ours = model->continue_greedily(context, count, *device);
    EXPECT_EQ(ours, model->LanguageModel::continue_greedily(context, count, *host));
    EXPECT_EQ(ours.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(std::ranges::equal(device->tokens(), host->tokens()));
    written += count;
  }
  EXPECT_TRUE(next_row(*model, *device) == next_row(*model, *host));
}

// The last token fits the cache, and nothing beyond it.
TEST_F(CudaVerification, StepsEndWithTheCache) {
  const auto model = on_gpu(small_model());
  const int steps = model->steps_at_once();
  const std::vector<TokenId> tokens = random_tokens(*model, 20, 6);
  const auto device = model->new_cache(20 + steps - 1), host = model->new_cache(40);
  EXPECT_EQ(model->continue_greedily(tokens, steps, *device),
            model->LanguageModel::continue_greedily(tokens, steps, *host));
  EXPECT_EQ(device->length(), device->capacity());
}

}  // namespace
}  // namespace redraft::cuda
