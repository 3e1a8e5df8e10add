#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "lsp/recording/recording.h"
#include "support/files/growing_file.h"
#include "support/result.h"

namespace redraft::lsp {

// Writes a session to a file while it runs. The session has priority: a separate thread formats and
// writes the messages, so a slow disk delays nobody. If that thread cannot continue (a full disk,
// more than kMaxWaiting bytes behind, a file of kMaxBytes), recording stops, the problem is
// reported once, and the session continues without recording.
class Recorder {
 public:
  using From = RecordedMessage::From;
  static constexpr std::size_t kMaxWaiting = std::size_t{256} << 20;  // bytes
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
  // Called at most once, on any thread.
  using OnProblem = std::function<void(const std::string& problem)>;

  // `file` must be new. An error if writing to it fails at once.
  static Result<std::unique_ptr<Recorder>> begin(GrowingFile file, const RecordingHeader& header,
                                                 OnProblem on_problem);
  ~Recorder();  // writes what has been added
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const std::filesystem::path& path() const { return file_.path(); }
  // Neither blocks nor throws.
  void add(From from, std::string_view content) noexcept;
  // Adds the client's other input; see RecordedMessage::Kind.
  void add_unread(const UnreadMessage& message) noexcept;
  void add_unframed(const std::string& why) noexcept;
  void add_gone() noexcept;

 private:
  using Clock = std::chrono::steady_clock;
  struct Said {
    Clock::time_point when;
    RecordedMessage what;  // except for `content`, which the writing thread parses
    std::optional<std::string> content = {};
  };

  Recorder(GrowingFile file, OnProblem on_problem);
  template <typename Make>
  void push(std::size_t bytes, const Make& make) noexcept;
  void write_all(const std::stop_token& stop);
  bool write(const std::string& line);
  void give_up(const std::string& problem) noexcept;

  GrowingFile file_;
  OnProblem on_problem_;
  Clock::time_point start_ = Clock::now();
  std::size_t written_ = 0;  // of the writing thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Said> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace redraft::lsp
