// The drafter is told what an engine is told to tell it. The engine here writes what a script says,
// verifies chains as such engines do, and moves rows about as they do.
#include "serving/batch_drafter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr double kStep = 0.05;

// One request: what it asks, and what the engine's model writes.
struct Request {
  std::vector<TokenId> prompt, answer;
};

class Engine {
 public:
  explicit Engine(BatchDrafter::Options options) : drafter_(with_clock(std::move(options))) {}

  void begin(const Request& request) {
    rows_.push_back({.request = &request, .tokens = request.prompt, .draft = {}});
  }
  // Rows change places when another one ends.
  void shuffle(std::mt19937& random) { std::shuffle(rows_.begin(), rows_.end(), random); }

  // All rows verify their drafts and write a token of their own; those that are done leave.
  void step() {
    std::vector<std::size_t> written;
    for (Row& row : rows_) {
      std::size_t count = 0;
      const auto next = [&row] {
        return row.request->answer[row.tokens.size() - row.request->prompt.size()];
      };
      for (const TokenId guess : row.draft) {
        if (row.left() == 1 || guess != next()) break;
        row.tokens.push_back(guess);
        ++count;
      }
      row.tokens.push_back(next());
      written.push_back(count + 1);
      rows += 1 + row.draft.size();
      now_ += kStep * (1 + 0.01 * static_cast<double>(row.draft.size()));
    }
    ++steps;
    std::vector<BatchRow> batch;
    for (std::size_t i = 0; i < rows_.size(); ++i) batch.push_back({rows_[i].tokens, written[i]});
    const auto drafts = drafter_.propose(batch);
    ASSERT_THAT(drafts, SizeIs(rows_.size()));
    for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i].draft = drafts[i];
    std::erase_if(rows_, [](const Row& row) { return row.left() == 0; });
  }
  void run() {
    while (!rows_.empty()) step();
  }

  std::size_t steps = 0, rows = 0;
  BatchDrafter& drafter() { return drafter_; }

 private:
  struct Row {
    const Request* request;
    std::vector<TokenId> tokens, draft;
    std::size_t left() const {
      return request->prompt.size() + request->answer.size() - tokens.size();
    }
  };
  BatchDrafter::Options with_clock(BatchDrafter::Options options) {
    options.clock = [this] { return now_; };
    return options;
  }

  double now_ = 100;
  BatchDrafter drafter_;
  std::vector<Row> rows_;
};

std::string lines(int count, const std::string& seed) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += seed + std::to_string(i * i) + " = f" + std::to_string(i) + "(" + seed + ")\n";
  return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

Request edit_of(const std::string& before, const std::string& after) {
  const auto tokenizer = byte_tokenizer();
  return {tokenizer->encode("Edit this:\n```\n" + before + "```\nAs asked.\n"),
          tokenizer->encode(after)};
}

BatchDrafter::Options with_tokenizer() { return {.tokenizer = byte_tokenizer()}; }

TEST(BatchDrafter, AnEditTakesFewSteps) {
  const std::string before = lines(40, "value");
  const Request request = edit_of(before, replaced(before, "value9 ", "other "));
  Engine engine(with_tokenizer());
  engine.begin(request);
  engine.run();
  EXPECT_LT(engine.steps * 15, request.answer.size());
}

// Without the block that is edited a copy must first be found, and found again after each change.
TEST(BatchDrafter, WhatIsEditedIsWorthMoreThanCopies) {
  const std::string before = lines(40, "value");
  std::string after = replaced(before, "f3(", "gg(");
  after = replaced(after, "f17(", "gg(");
  const Request request = edit_of(before, after);
  Engine knows(with_tokenizer()), copies({});
  for (Engine* const engine : {&knows, &copies}) {
    engine->begin(request);
    engine->run();
  }
  EXPECT_LT(knows.steps, copies.steps);
  EXPECT_LT(copies.steps * 8, request.answer.size());
}

TEST(BatchDrafter, ADraftIsNoLongerThanAllowed) {
  const std::string before = lines(40, "value");
  const Request request = edit_of(before, before);
  BatchDrafter::Options options = with_tokenizer();
  options.longest = 5;
  Engine engine(std::move(options));
  engine.begin(request);
  engine.run();
  EXPECT_GE(engine.steps * 6, request.answer.size());
  EXPECT_LE(engine.rows, engine.steps * 6);
}

// Where two tokens are likely, a tree would have both, and "bc" is nowhere in the text.
TEST(BatchDrafter, ADraftIsAChain) {
  std::mt19937 random(5);
  std::string answer;
  while (answer.size() < 300) answer += random() % 2 == 0 ? "ab" : "ac";
  const auto tokenizer = byte_tokenizer();
  BatchDrafter drafter({.cost = {{1, 1}, {64, 1}}});
  std::string text = "Write:";
  std::size_t drafted = 0;
  for (const char next : answer) {
    text += next;
    const std::vector<TokenId> tokens = tokenizer->encode(text);
    const BatchRow row{tokens, 1};
    const std::vector<TokenId> draft = drafter.propose(std::span(&row, 1))[0];
    drafted += draft.size();
    const std::string after = next + tokenizer->decode(draft);
    for (std::size_t i = 0; i + 1 < after.size(); ++i)
      ASSERT_NE(text.find(after.substr(i, 2)), std::string::npos) << after;
  }
  EXPECT_GT(drafted, answer.size());
}

// The last place of a sequence is for the engine's own token.
TEST(BatchDrafter, ADraftFitsTheContext) {
  const auto tokenizer = byte_tokenizer();
  const std::vector<TokenId> text =
      tokenizer->encode("```\n" + lines(9, "a") + "```\n\n" + "a0 = f");
  for (const std::size_t room : {0, 1, 2, 5}) {
    BatchDrafter::Options options = with_tokenizer();
    options.most_tokens = text.size() + room;
    BatchDrafter drafter(std::move(options));
    const BatchRow row{text, 6};
    EXPECT_LE(drafter.propose(std::span(&row, 1))[0].size(), room > 0 ? room - 1 : 0);
  }
}

TEST(BatchDrafter, ARowThatWroteNothingGetsNoDraft) {
  BatchDrafter drafter(with_tokenizer());
  const std::vector<TokenId> text = byte_tokenizer()->encode("```\nabc\n```\n");
  const BatchRow reading{text, 0};
  EXPECT_THAT(drafter.propose(std::span(&reading, 1))[0], IsEmpty());
  EXPECT_THAT(drafter.propose({}), IsEmpty());
}

// Requests come and go, rows change places, and two may have the same tokens: every sequence is
// drafted for as where all stay.
TEST(BatchDrafter, ASequenceIsKnownWhereverItsRowIs) {
  std::vector<Request> requests;
  for (int i = 0; i < 6; ++i) {
    const std::string before = lines(12, "name" + std::to_string(i / 2));
    requests.push_back(edit_of(before, replaced(before, "(name", "(other")));
  }
  const auto rows_of_all = [&requests](bool shuffled) {
    std::mt19937 random(7);
    BatchDrafter::Options options = with_tokenizer();
    options.remembers = false;  // which memory a sequence gets depends on the order
    Engine engine(std::move(options));
    for (const Request& request : requests) {
      engine.begin(request);
      for (int step = 0; step < 3; ++step) {
        if (shuffled) engine.shuffle(random);
        engine.step();
      }
    }
    engine.run();
    return engine.rows;
  };
  EXPECT_EQ(rows_of_all(true), rows_of_all(false));
}

// An engine may put a sequence aside and read it again later.
TEST(BatchDrafter, ASequenceMayBeAwayForAWhile) {
  const std::string before = lines(40, "value");
  const Request request = edit_of(before, before);
  BatchDrafter drafter(with_tokenizer());
  std::vector<TokenId> text = request.prompt;
  const auto write = [&](std::size_t count) {
    const auto from =
        request.answer.begin() + static_cast<std::ptrdiff_t>(text.size() - request.prompt.size());
    text.insert(text.end(), from, from + static_cast<std::ptrdiff_t>(count));
    const BatchRow row{text, count};
    return drafter.propose(std::span(&row, 1))[0];
  };
  for (int i = 0; i < 5; ++i) write(1 + write(1).size() / 2);
  drafter.propose({});
  EXPECT_THAT(write(1), testing::Not(IsEmpty()));
}

// What one request wrote is a draft for the next one, unless nothing is to be remembered.
TEST(BatchDrafter, RemembersWhatWasWrittenIfItMay) {
  const auto tokenizer = byte_tokenizer();
  const Request request{tokenizer->encode("Write it."), tokenizer->encode(lines(30, "text"))};
  const auto steps_of_the_second = [&](bool remembers) {
    BatchDrafter::Options options = with_tokenizer();
    options.remembers = remembers;
    Engine engine(std::move(options));
    engine.begin(request);
    engine.run();
    const std::size_t first = engine.steps;
    engine.begin(request);
    engine.run();
    return engine.steps - first;
  };
  EXPECT_LT(steps_of_the_second(true) * 2, steps_of_the_second(false));
}

// Whatever an engine says: ids that are none, rows that shrink, change or come twice.
TEST(BatchDrafter, AnyBatchGetsDraftsOfItsSize) {
  std::mt19937 random(11);
  BatchDrafter::Options options = with_tokenizer();
  options.most_tokens = 60;
  BatchDrafter drafter(std::move(options));
  std::vector<std::vector<TokenId>> texts(3);
  for (int call = 0; call < 2000; ++call) {
    for (std::vector<TokenId>& text : texts) {
      if (random() % 8 == 0) text.resize(random() % 40);
      if (random() % 8 == 0) text = texts[0];
      const std::size_t more = random() % 9;
      for (std::size_t i = 0; i < more; ++i)
        text.push_back(random() % 50 == 0 ? static_cast<TokenId>(random())
                                          : static_cast<TokenId>("ab`\n"[random() % 4]));
    }
    std::vector<BatchRow> rows;
    for (std::size_t i = 0; i < random() % 5; ++i) {
      const std::vector<TokenId>& text = texts[random() % texts.size()];
      rows.push_back({text, random() % (text.size() + 1)});
    }
    const auto drafts = drafter.propose(rows);
    ASSERT_THAT(drafts, SizeIs(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t room = 60 - std::min<std::size_t>(60, rows[i].tokens.size());
      EXPECT_LE(drafts[i].size(), rows[i].written == 0 ? 0 : room);
    }
  }
}

// A model that never writes what is drafted is hardly slowed down: the drafter falls silent.
TEST(BatchDrafter, FallsSilentWhereItIsWrong) {
  std::mt19937 random(3);
  const auto tokenizer = byte_tokenizer();
  std::string noise;
  for (int i = 0; i < 600; ++i) noise += static_cast<char>('a' + random() % 26);
  const Request request{tokenizer->encode("```\n" + lines(40, "value") + "```\n"),
                        tokenizer->encode(noise)};
  BatchDrafter::Options options = with_tokenizer();
  options.cost = {
      {1, 1}, {2, 2}, {32, 32}};  // a draft that is wrong costs as much as it would save
  Engine engine(std::move(options));
  engine.begin(request);
  engine.run();
  EXPECT_LT(engine.rows, request.answer.size() * 11 / 10);
}

}  // namespace
}  // namespace redraft
