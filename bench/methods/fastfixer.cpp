#include "bench/methods/fastfixer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "bench/methods/lab_decoders.h"

namespace redraft {

FastFixerPlan::FastFixerPlan(const FastFixerOptions& options, const DecodeRequest& request,
                             const LineTable* lines)
    : lines_(lines),
      remainder_(request.original, options.chunk),
      key_size_(static_cast<std::size_t>(options.key)),
      reusing_(!request.original.empty()),
      pass_begin_(request.prompt.size()) {
  for (std::size_t i = 0; i < request.original.size(); ++i) {
    if (i == 0 || breaks_line(request.original[i - 1])) line_begins_.push_back(i);
  }
}

Phase FastFixerPlan::next(std::span<const TokenId> context) {
  const auto written = context.subspan(std::exchange(pass_begin_, context.size()));
  const bool was_reusing = reusing_ && !written.empty();
  if (!written.empty()) reusing_ = reuse_follows(written);
  if (!reusing_) return {.name = "generate"};
  return {.source = &remainder_, .name = "reuse", .continues_pass = was_reusing};
}

bool FastFixerPlan::reuse_follows(std::span<const TokenId> written) {
  if (reusing_) {
    if (remainder_.advance(written) && !remainder_.exhausted()) return true;
    key_.clear();
    collecting_ = breaks_line(written.back());
    return false;
  }
  const TokenId token = written.back();  // a plain step writes exactly one
  if (breaks_line(token)) {
    key_.clear();
    collecting_ = true;
  } else if (collecting_) {
    key_.push_back(token);
    collecting_ = key_.size() < key_size_;
    return !collecting_ && resume();
  }
  return false;
}

bool FastFixerPlan::resume() {
  const auto original = remainder_.original();
  auto line = std::lower_bound(line_begins_.begin(), line_begins_.end(), remainder_.position());
  for (; line != line_begins_.end(); ++line) {
    const std::size_t end = line + 1 == line_begins_.end() ? original.size() : *(line + 1);
    if (end - *line < key_size_) continue;
    const auto begin = original.subspan(*line, key_size_);
    if (!std::equal(begin.begin(), begin.end(), key_.begin())) continue;
    remainder_.resume_at(*line + key_size_);
    return !remainder_.exhausted();
  }
  return false;
}

const DecoderDefinition& fastfixer_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "fastfixer",
      .summary = "FastFixer: the original as draft, resumed at lines that begin alike",
      .options = {DecoderOption::integer("key", 5, 1, 64,
                                         "first tokens of a line that must match to resume there"),
                  DecoderOption::toggle("whole",
                                        "the rest in one pass, not in chunks; delays cancelling")},
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        const FastFixerOptions options{.key = inputs.options.integer("key"),
                                       .chunk = inputs.options.has("whole")
                                                    ? std::numeric_limits<int>::max()
                                                    : reuse_chunk(inputs)};
        return std::make_unique<FastFixerPlan>(options, inputs.request, inputs.memory.lines());
      },
      .needs_cost = true,
  };
  return kDefinition;
}

}  // namespace redraft
