#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "support/result.h"

namespace redraft::lsp {

// What can happen to a suggestion, and what it cost.
enum class UsageEvent : std::uint8_t {
  kCompletionSuggested,  // an answer with a text
  kCompletionCarried,    // of those, the answers without a model run
  // As the client reports them; accepted ones, including partly accepted ones, are included.
  kCompletionShown,
  kCompletionAccepted,
  kCompletionAcceptedPartially,
  kHunkShown,  // of a streamed edit
  kHunkAccepted,
  kHunkRejected,
  kNextEditAsked,
  kNextEditShown,
  kNextEditAccepted,
  kNextEditRejected,
  // Prompt tokens that were read before a request came.
  kReadAheadTokens,
  kReadAheadMilliseconds,
  kCompletionRejected,
  // Accepted suggestions that were changed back within ten seconds (TakenBack).
  kCompletionTakenBack,
  kHunkTakenBack,
  kNextEditTakenBack,
};
inline constexpr std::size_t kUsageEvents = 18;

// How often each event happened: only numbers, and the last reason for making no suggestion.
class Usage {
 public:
  void count(UsageEvent event, std::int64_t times = 1) { counts_[index(event)] += times; }
  std::int64_t of(UsageEvent event) const { return counts_[index(event)]; }
  // A sentence for the user and its time in seconds since 1970. Initially empty.
  void note_none(std::string why, std::int64_t time);
  const std::string& why_none() const { return why_none_; }
  std::int64_t none_at() const { return none_at_; }

  void add(const Usage& later);
  // The counts added since `earlier`.
  Usage since(const Usage& earlier) const;
  friend bool operator==(const Usage& a, const Usage& b) = default;

 private:
  static std::size_t index(UsageEvent event) { return static_cast<std::size_t>(event); }

  std::array<std::int64_t, kUsageEvents> counts_{};
  std::string why_none_;
  std::int64_t none_at_ = 0;
};

// In the user's state folder; empty if there is none.
std::filesystem::path default_usage_file();

// The sum over all servers of this user. A missing file counts as zero; an unreadable one is an
// error.
Result<Usage> read_usage(const std::filesystem::path& file);
// Creates the file and its folder. Safe with concurrent processes that do the same. On error (for
// example when another process holds the lock for too long) the file is unchanged. A file that
// cannot be parsed is overwritten.
Result<void> add_usage(const std::filesystem::path& file, const Usage& usage);

// The counts of one server. Saved to the file at the end and from time to time. One thread.
class UsageLog {
 public:
  // If `file` is empty, nothing is written.
  explicit UsageLog(std::filesystem::path file) : file_(std::move(file)) {}
  ~UsageLog() { save(); }
  UsageLog(const UsageLog&) = delete;
  UsageLog& operator=(const UsageLog&) = delete;

  Usage& now() { return now_; }
  void save();
  // Saves at most once a minute.
  void save_if_due();

 private:
  std::filesystem::path file_;
  Usage now_, saved_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace redraft::lsp
