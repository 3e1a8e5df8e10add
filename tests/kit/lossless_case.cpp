#include "tests/kit/lossless_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "indexing/store/memory_datastore.h"

namespace redraft {
namespace {

std::vector<TokenId> random_tokens(Random& random, int count, int vocabulary) {
  std::vector<TokenId> tokens(count);
  for (TokenId& token : tokens) token = between(random, 1, vocabulary - 1);
  return tokens;
}

// The output with a few tokens replaced, inserted or removed: an original that nearly fits.
std::vector<TokenId> near_miss(Random& random, std::span<const TokenId> output, int vocabulary) {
  std::vector<TokenId> tokens;
  const int one_in = between(random, 3, 20);
  for (const TokenId token : output) {
    const int dice = between(random, 0, 3 * one_in);
    if (dice == 0) continue;
    if (dice <= 2) tokens.push_back(between(random, 1, vocabulary - 1));
    if (dice != 2) tokens.push_back(token);
  }
  return tokens;
}

// Some tokens end a line, some are blank.
std::shared_ptr<const LineTable> random_lines(int seed, int vocabulary) {
  return std::make_shared<LineTable>(vocabulary, [seed](TokenId token) {
    constexpr std::string_view kTexts[] = {"\n", "  ", "x", "}\n", "\n  "};
    return kTexts[std::min<TokenId>((token + seed) % 11, 4)];
  });
}

// Free rows, expensive rows, a CPU's, or random ones. The curve may claim to be measured on this
// machine.
CostCurve random_curve(Random& random) {
  switch (between(random, 0, 4)) {
    case 0:
      return CostCurve();
    case 1:
      return CostCurve({{1, 1}});
    case 2:
      return CostCurve({{1, 1}, {4, 1.15}, {8, 1.35}, {16, 2.5}, {32, 4.9}, {64, 9.7}});
    default:
      break;
  }
  std::vector<CostCurve::Point> points;
  double seconds = 1e-5;
  for (int rows = 1; rows <= 256; rows += between(random, 1, rows + 1)) {
    points.push_back({rows, seconds});
    seconds *= 1 + between(random, 0, 120) / 100.0;
  }
  return CostCurve(std::move(points), between(random, 0, 1) == 1);
}

}  // namespace

int between(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

DecodeResult decode(const std::string& name, ModelSlot target, ModelSlot draft,
                    const DecodeRequest& request, const CostCurve& cost, const TokenSink& sink,
                    std::stop_token stop, DecoderMemory* memory) {
  const auto parsed = parse_decoder_name(name);
  EXPECT_TRUE(parsed);
  auto decoder = Decoder::make(*parsed, target, draft, cost, memory);
  EXPECT_TRUE(decoder);
  auto result = (*decoder)->run(request, sink, std::move(stop));
  EXPECT_TRUE(result);
  return *std::move(result);
}

LosslessCase::LosslessCase(std::uint32_t seed) : LosslessCase(seed, Sizes()) {}

LosslessCase::LosslessCase(std::uint32_t seed, const Sizes& most) : random(seed), sizes(most) {
  ScriptedModel::RandomOptions options;
  options.vocabulary = between(random, 3, sizes.vocabulary);
  options.order = between(random, 1, 3);
  options.repetitiveness = between(random, 0, 100);
  target = std::make_unique<ScriptedModel>(ScriptedModel::random(seed, options));
  drafter =
      std::make_unique<ScriptedModel>(ScriptedModel::noisy(*target, seed, between(random, 0, 60)));
  target->set_skipping(
      4,
      [model = drafter.get()](std::span<const TokenId> sequence) { return model->next(sequence); },
      [seed](std::span<const TokenId> sequence) {
        const TokenId last = sequence.back();
        return static_cast<float>(hash_of(seed, {&last, 1}) % 100) /
               50;  // every second one is certain
      });
  target->set_head(
      1 + static_cast<int>(seed / 2 % 4),
      [model = drafter.get()](std::span<const TokenId> sequence) { return model->next(sequence); },
      [seed](std::span<const TokenId> sequence) {
        const TokenId last = sequence.back();
        return static_cast<float>(hash_of(seed + 1, {&last, 1}) % 101) / 100;
      });
  if (seed % 2 == 1) {  // both on a device
    target->set_on_device(1);
    drafter->set_on_device(between(random, 1, 9));
  }
  sizes.prompt = between(random, 1, most.prompt);
  const int max_room = sizes.output + 250;
  const int room = between(random, 0, 4) == 0 ? between(random, 1, 20) : max_room;
  target_cache = target->new_cache(sizes.prompt + room);
  draft_cache = drafter->new_cache(sizes.prompt + between(random, 1, max_room));
  memory = DecoderMemory(random_lines(static_cast<int>(seed), options.vocabulary));
  ask_again();
}

void LosslessCase::ask_again() {
  const int shared = between(random, 0, static_cast<int>(request.prompt.size()));
  request.prompt.resize(shared);
  for (const TokenId token :
       random_tokens(random, sizes.prompt - shared, target->vocabulary_size()))
    request.prompt.push_back(token);
  const int limits[] = {1, 2, 3, 7, sizes.output / 3, sizes.output};
  request.max_new_tokens = limits[between(random, 0, 5)];
  request.stop_tokens.clear();
  if (between(random, 0, 3) > 0) request.stop_tokens = {kStop};
  plain = decode("ar", target_slot(), {}, request);
  request.original = random_original();
  request.repository = random_datastore();
  request.common = random_datastore();
  cost = random_curve(random);
}

void LosslessCase::choose(const SamplingOptions& sampling, std::optional<int> log_probabilities) {
  request.sampling = sampling;
  request.log_probabilities = log_probabilities;
  plain = decode("ar", target_slot(), {}, request);
  request.original = random_original();
  request.repository = random_datastore();
  request.common = random_datastore();
}

std::vector<TokenId> LosslessCase::random_original() {
  const int vocabulary = target->vocabulary_size();
  switch (between(random, 0, 5)) {
    case 0:
      return {};
    case 1:
      return random_tokens(random, between(random, 1, 300), vocabulary);
    case 2: {  // too long: it fits, and then continues
      std::vector<TokenId> tokens = plain.tokens;
      for (const TokenId token : random_tokens(random, 700, vocabulary)) tokens.push_back(token);
      return tokens;
    }
    case 3: {  // with stop tokens inside
      std::vector<TokenId> tokens = near_miss(random, plain.tokens, vocabulary);
      tokens.insert(tokens.begin() + between(random, 0, static_cast<int>(tokens.size())), kStop);
      return tokens;
    }
    case 4: {  // halves swapped
      std::vector<TokenId> tokens = plain.tokens;
      std::rotate(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2),
                  tokens.end());
      return tokens;
    }
    default:
      return near_miss(random, plain.tokens, vocabulary);
  }
}

std::shared_ptr<const Datastore> LosslessCase::random_datastore() {
  const int count = between(random, 0, 3);
  if (count == 0) return nullptr;
  std::vector<std::vector<TokenId>> texts;
  for (int i = 0; i < count; ++i) {
    texts.push_back(random_original());
    texts.back().insert(texts.back().begin(), request.prompt.begin(), request.prompt.end());
  }
  return std::make_shared<MemoryDatastore>(texts);
}

DecodeResult LosslessCase::run(const std::string& name, const DecodeRequest& asked,
                               const TokenSink& sink, std::stop_token stop) {
  return decode(name, target_slot(), draft_slot(), asked, cost, sink, std::move(stop), &memory);
}

std::string LosslessCase::difference(const std::string& name) {
  std::vector<TokenId> seen;
  const auto sink = [&seen](TokenId token) {
    seen.push_back(token);
    return true;
  };
  const DecodeResult result = run(name, request, sink);
  expect_sums(result);
  if (result.tokens != plain.tokens) return "a different output";
  if (result.log_probabilities != plain.log_probabilities) return "different log probabilities";
  if (seen != plain.tokens) return "the sink saw a different output";
  if (result.finish_reason != plain.finish_reason) return "a different finish reason";
  // The cache must be a prefix of prompt and output, because the next request relies on it.
  std::vector<TokenId> said = request.prompt;
  said.insert(said.end(), result.tokens.begin(), result.tokens.end());
  const auto kept = target_cache->tokens();
  if (kept.size() > said.size() || !std::equal(kept.begin(), kept.end(), said.begin()))
    return "the cache has tokens that are not in the sequence";
  return "";
}

void expect_sums(const DecodeResult& result) {
  const DecodeStatistics& statistics = result.statistics;
  const auto sum = [](const auto& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  };
  EXPECT_EQ(statistics.new_tokens, static_cast<int>(result.tokens.size()));
  EXPECT_EQ(sum(statistics.accepted_by_origin) + statistics.bonus_tokens, statistics.new_tokens);
  // A pass in chunks has one row, and perhaps one token, per chunk.
  const auto chunks = statistics.rows - sum(statistics.drafted_by_origin);
  EXPECT_LE(statistics.passes, chunks);
  EXPECT_LE(statistics.bonus_tokens, chunks);
  EXPECT_LE(statistics.drafted_passes, statistics.passes);
  EXPECT_LE(statistics.drafted_pass_tokens, statistics.new_tokens);
  for (int origin = 0; origin < kDraftOriginCount; ++origin) {
    EXPECT_LE(statistics.accepted_by_origin[origin], statistics.drafted_by_origin[origin]);
    EXPECT_LE(statistics.passes_by_origin[origin], statistics.drafted_passes);
    EXPECT_EQ(statistics.passes_by_origin[origin] > 0, statistics.drafted_by_origin[origin] > 0);
  }
}

}  // namespace redraft
