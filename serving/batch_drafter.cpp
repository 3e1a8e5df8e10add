// How a drafter for another engine differs from a decoder
//
// A decoder knows its request. Here there are only rows of token ids. A row is recognized by the
// tokens at its start that the drafter has seen, whatever its position in the batch. Its prompt is
// the text before its first output token, and the edited code is the code block in it
// (edited_code.h).
//
// The engine does not report how long a step takes. It calls after every step, so the time between
// two calls is that of a step and, if the step had only one sequence, of its rows. The first such
// step sets the curve's unit; PassPace does the rest. Only proportions matter, so a first step that
// was slow for another reason does no harm.

#include "serving/batch_drafter.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "decoding/drafting/redraft/redraft_source.h"
#include "serving/edited_code.h"

namespace redraft {
namespace {

constexpr double kGuessedStep = 0.02;     // seconds, until one has been measured
constexpr std::size_t kMaxMemories = 16;  // of ended sequences, some megabytes each

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

CostCurve in_seconds(std::vector<CostCurve::Point> points, double plain_step) {
  for (CostCurve::Point& point : points) point.seconds *= plain_step;
  return CostCurve(std::move(points), true);
}

}  // namespace

// One sequence that is being written.
class BatchDrafter::Sequence {
 public:
  Sequence(const BatchRow& row, const Options& options, std::unique_ptr<RedraftMemory> memory)
      : memory_(std::move(memory)), text_(row.tokens.begin(), row.tokens.end()) {
    const auto prompt = row.tokens.first(row.tokens.size() - row.written);
    request_.prompt.assign(prompt.begin(), prompt.end());
    if (options.tokenizer) {
      const auto original = edited_code(*options.tokenizer, request_.prompt);
      request_.original.assign(original.begin(), original.end());
    }
    source_ = std::make_unique<RedraftSource>(
        request_, RedraftOptions{.max_nodes = options.longest, .shape = DraftShape::kChain},
        *memory_, options.tokenizer.get());
  }

  bool goes_on_in(const BatchRow& row) const {
    return row.tokens.size() == text_.size() + row.written &&
           std::ranges::equal(row.tokens.first(text_.size()), text_);
  }

  // A step wrote the last tokens of `row`. `seconds` is its duration, if known.
  void follow(const BatchRow& row, std::optional<double> seconds) {
    const auto written = row.tokens.last(row.written);
    const auto drafted = draft_.tokens();
    const std::size_t right =
        static_cast<std::size_t>(std::ranges::mismatch(drafted, written).in1 - drafted.begin());
    // The target's predictions are known up to its own token.
    const DraftTree accepted =
        DraftTree::chain(drafted.first(std::min(right, written.size() - 1)), DraftOrigin::kOther);
    Predictions predictions;
    predictions.argmax.assign(written.begin(), written.end());
    const int rows = 1 + draft_.size();
    const int context = static_cast<int>(text_.size());
    source_->observe({.draft = accepted,
                      .predictions = predictions,
                      .rows = rows,
                      .seconds = seconds.value_or(memory_->pace.seconds(rows, context))});
    text_.insert(text_.end(), written.begin(), written.end());
  }

  std::vector<TokenId> draft(std::size_t most_tokens) {
    draft_ = {};
    const std::size_t room = most_tokens - std::min(most_tokens, text_.size() + 1);
    const int limit = static_cast<int>(std::min<std::size_t>(room, 4096));
    if (limit > 0) draft_ = source_->draft(text_, limit);
    return {draft_.tokens().begin(), draft_.tokens().end()};
  }

  int rows() const { return 1 + draft_.size(); }
  RedraftMemory& memory() { return *memory_; }
  // Ends the sequence; the memory then contains its output.
  std::unique_ptr<RedraftMemory> end() {
    source_.reset();
    return std::move(memory_);
  }

 private:
  std::unique_ptr<RedraftMemory> memory_;
  std::vector<TokenId> text_;
  DecodeRequest request_;
  std::unique_ptr<RedraftSource> source_;
  DraftTree draft_;  // the next step verifies it
};

BatchDrafter::BatchDrafter(Options options)
    : options_(std::move(options)), cost_(in_seconds(options_.cost, kGuessedStep)) {
  if (!options_.clock) options_.clock = steady_seconds;
}

BatchDrafter::~BatchDrafter() = default;

std::vector<std::vector<TokenId>> BatchDrafter::propose(std::span<const BatchRow> rows) {
  const double since = options_.clock() - proposed_at_;
  std::vector<std::unique_ptr<Sequence>> known(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].written > 0) known[i] = take(rows[i], i);
  }
  end_sequences();
  const bool alone = rows.size() == 1 && known[0];
  if (alone && !has_unit_) use_unit(since / cost_.seconds(known[0]->rows()));
  std::vector<std::vector<TokenId>> drafts(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].written == 0) continue;
    if (known[i]) {
      known[i]->memory().pace.follow(cost_);
      known[i]->follow(rows[i], alone ? std::optional(since) : std::nullopt);
    } else {
      known[i] = std::make_unique<Sequence>(rows[i], options_, take_memory());
    }
    drafts[i] = known[i]->draft(options_.most_tokens);
  }
  sequences_ = std::move(known);
  proposed_at_ = options_.clock();
  return drafts;
}

// A row keeps its position in most calls.
std::unique_ptr<BatchDrafter::Sequence> BatchDrafter::take(const BatchRow& row, std::size_t index) {
  const auto goes_on = [&row](const std::unique_ptr<Sequence>& sequence) {
    return sequence && sequence->goes_on_in(row);
  };
  if (index < sequences_.size() && goes_on(sequences_[index])) return std::move(sequences_[index]);
  const auto found = std::ranges::find_if(sequences_, goes_on);
  return found == sequences_.end() ? nullptr : std::move(*found);
}

// The sequences that no row has taken.
void BatchDrafter::end_sequences() {
  for (const std::unique_ptr<Sequence>& sequence : sequences_) {
    if (!sequence) continue;
    std::unique_ptr<RedraftMemory> memory = sequence->end();
    if (options_.remembers) memories_.push_back(std::move(memory));
    if (memories_.size() > kMaxMemories) memories_.erase(memories_.begin());
  }
  sequences_.clear();
}

std::unique_ptr<RedraftMemory> BatchDrafter::take_memory() {
  if (memories_.empty()) return std::make_unique<RedraftMemory>(cost_);
  std::unique_ptr<RedraftMemory> memory = std::move(memories_.back());
  memories_.pop_back();
  memory->pace.follow(cost_);
  return memory;
}

void BatchDrafter::use_unit(double factor) {
  if (!(factor > 0)) return;
  cost_ = in_seconds(options_.cost, kGuessedStep * factor);
  has_unit_ = true;
}

}  // namespace redraft
