// How a retry leaves the first answer
//
// A retry of an edit is the first answer up to one token, another token in its place, and what the
// model writes after that. So a retry needs nothing but the request: redraft decodes the first
// answer again, which is quick, because its prompt is in a cache and its text is a draft. Then it
// chooses the branch.
//
//   first answer   return  width  *  height
//   margins           9.1    7.3  0.2     5.0     the second best logit is 0.2 below the best
//   retry 1        return  width  +  ...          branches at the smallest margin
//   retry 2        return  width  *  depth ...    branches at the next smallest
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/byte_range.h"
#include "support/result.h"
#include "text/thoughts.h"
#include "workspace/documents/edit_region.h"
#include "workspace/engine/engine.h"

namespace redraft {

// What work returns that may be cancelled while it runs.
template <typename T>
class Cancellable {
 public:
  static Cancellable cancelled() { return {}; }
  explicit Cancellable(T value) : value_(std::move(value)) {}

  bool is_cancelled() const { return !value_.has_value(); }
  const T& operator*() const { return *value_; }  // unless it was cancelled
  T take() && { return *std::move(value_); }      // the same

 private:
  Cancellable() = default;

  std::optional<T> value_;
};

struct FirstAnswer {
  const std::vector<TokenId>& prompt;
  const std::vector<TokenId>& stop_tokens;
  const std::string& fence;  // the prompt's
  AnswerBeginning beginning;
  std::vector<TokenId> tokens;
};

// A retry has the first `at` tokens of the first answer, then these.
struct Branch {
  std::size_t at = 0;
  std::vector<TokenId> tokens;
};

// The branch of retry number `retry_index`, from 1. `on_pass` is told what the passes have cost so
// far. An error if there are fewer retries. On the decode thread.
Result<Cancellable<Branch>> branch_of_retry(
    Engine& engine, const FirstAnswer& answer, int retry_index,
    const std::function<void(const DecodeStatistics&)>& on_pass, const std::stop_token& stop);

// A name in the region that nothing defines, and code with the names that could be meant.
struct UnknownNamePlace {
  ByteRange place;  // of the document; the first answer has not changed it
  std::string known;
};

// The branch that has one of the known names in that place. An error if none of them is likely. On
// the decode thread.
Result<Cancellable<Branch>> branch_at_name(Engine& engine, const FirstAnswer& answer,
                                           const EditRegion& region, const UnknownNamePlace& name,
                                           const std::stop_token& stop);

}  // namespace redraft
