#include "decoding/drafting/redraft/sources/retrieved_text.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr ContinuationQuery kQuery = {.longest = 16, .shortest = 2, .length = 10, .most = 256};
constexpr int kGuesses = 3;  // per position

constexpr GuessKind kRetrieved("retrieved", DraftOrigin::kRetrieval,
                               WhenFirst(.06, .15, .25, .35, .42, .50, .60, .70, .78, .80, .80),
                               WhenLater(.04, .10, .16, .22, .25, .30, .35, .40, .40, .40, .40));

struct Counted {
  TokenId token;
  int count;
};

// The branch's position in the results from each datastore.
struct Retrieved {
  RetrievedRange repository, common;
};

class RetrievalSource final : public SourceWith<Retrieved> {
 public:
  explicit RetrievalSource(const SourceInputs& inputs)
      : RetrievalSource(inputs, inputs.kinds.add(kRetrieved)) {}

  // In sync the original is a better guess, and a search takes longer than all other sources.
  void prepare(const Branch& end) override {
    in_sync_ = end.original.in_sync;
    for (RetrievedText* text : {&repository_, &common_}) {
      if (in_sync_ && !end.output.empty()) {
        text->clear();
      } else {
        text->search(end.tokens);
      }
    }
  }

  Retrieved at_end() const override { return {repository_.all(), common_.all()}; }
  Retrieved advance(Retrieved at, const Branch& branch) const override {
    const TokenId token = branch.tokens.back();
    return {repository_.advance(at.repository, token), common_.advance(at.common, token)};
  }
  void add_guesses(const Retrieved& at, const Branch&, std::vector<Guess>& out) const override {
    repository_.add_guesses(at.repository, out);
    common_.add_guesses(at.common, out);
  }
  // A search needs the output itself and runs only out of sync.
  bool foresees(const Branch& branch) const override { return in_sync_ && branch.original.in_sync; }

 private:
  RetrievalSource(const SourceInputs& inputs, GuessKindId retrieved)
      : repository_(inputs.request.repository, retrieved),
        common_(inputs.request.common, retrieved) {}

  RetrievedText repository_, common_;
  bool in_sync_ = true;  // state at the last prepare()
};

}  // namespace

void RetrievedText::search(std::span<const TokenId> context) {
  found_ = store_ ? store_->continuations(context, kQuery) : Continuations();
}

RetrievedRange RetrievedText::advance(const RetrievedRange& range, TokenId token) const {
  // Continuations are sorted by their tokens, so those that end here come first.
  const auto depth = static_cast<std::size_t>(range.depth);
  const auto begin = found_.tokens.begin() + range.begin;
  const auto end = found_.tokens.begin() + range.end;
  const auto first = std::partition_point(begin, end, [&](std::span<const TokenId> tokens) {
    return tokens.size() <= depth || tokens[depth] < token;
  });
  const auto last = std::partition_point(
      first, end, [&](std::span<const TokenId> tokens) { return tokens[depth] == token; });
  return {static_cast<int>(first - found_.tokens.begin()),
          static_cast<int>(last - found_.tokens.begin()), range.depth + 1};
}

void RetrievedText::add_guesses(const RetrievedRange& range, std::vector<Guess>& guesses) const {
  const auto depth = static_cast<std::size_t>(range.depth);
  std::vector<Counted> counted;
  int total = 0;
  for (int i = range.begin; i < range.end; ++i) {
    const std::span<const TokenId> tokens = found_.tokens[static_cast<std::size_t>(i)];
    if (tokens.size() <= depth) continue;
    ++total;
    if (counted.empty() || counted.back().token != tokens[depth])
      counted.push_back({tokens[depth], 0});
    ++counted.back().count;
  }
  const auto kept = std::min(counted.size(), static_cast<std::size_t>(kGuesses));
  std::partial_sort(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(kept),
                    counted.end(),
                    [](const Counted& a, const Counted& b) { return a.count > b.count; });
  for (std::size_t i = 0; i < kept; ++i) {
    const int length = found_.matched + range.depth;
    guesses.push_back({counted[i].token, kind_, length * counted[i].count / total});
  }
}

std::unique_ptr<GuessSource> retrieval_source(const SourceInputs& inputs) {
  if (!inputs.request.repository && !inputs.request.common) return nullptr;
  return std::make_unique<RetrievalSource>(inputs);
}

}  // namespace redraft
