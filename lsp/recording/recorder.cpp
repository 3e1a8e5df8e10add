#include "lsp/recording/recorder.h"

#include <exception>
#include <utility>

#include "support/named_thread.h"

namespace redraft::lsp {

Result<std::unique_ptr<Recorder>> Recorder::begin(GrowingFile file, const RecordingHeader& header,
                                                  OnProblem on_problem) {
  if (const Result<void> begun = file.append(to_line(header)); !begun) return begun.error();
  return std::unique_ptr<Recorder>(new Recorder(std::move(file), std::move(on_problem)));
}

Recorder::Recorder(GrowingFile file, OnProblem on_problem)
    : file_(std::move(file)),
      on_problem_(std::move(on_problem)),
      thread_(start_thread("redraft-record",
                           [this](const std::stop_token& stop) { write_all(stop); })) {}

Recorder::~Recorder() = default;

void Recorder::add(From from, std::string_view content) noexcept {
  push(content.size(), [&](Said& said) {
    said.what.from = from;
    said.content = std::string(content);
  });
}

void Recorder::add_unread(const UnreadMessage& message) noexcept {
  push(0, [&](Said& said) {
    said.what.kind = RecordedMessage::Kind::kUnread;
    said.what.unread = message;
  });
}

void Recorder::add_unframed(const std::string& why) noexcept {
  push(0, [&](Said& said) {
    said.what.kind = RecordedMessage::Kind::kUnframed;
    said.what.text = why;
  });
}

void Recorder::add_gone() noexcept {
  push(0, [](Said& said) { said.what.kind = RecordedMessage::Kind::kGone; });
}

template <typename Make>
void Recorder::push(std::size_t bytes, const Make& make) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (waiting_bytes_ + bytes <= kMaxWaiting) {
      Said said{.when = Clock::now(), .what = {}};
      make(said);
      waiting_.push_back(std::move(said));
      waiting_bytes_ += bytes;
      changed_.notify_all();
      return;
    }
  } catch (const std::exception& failure) {
    return give_up(failure.what());
  }
  give_up("the disk is too slow for this session");
}

// Writes the remaining messages after a stop request.
void Recorder::write_all(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, stop, [this] { return !waiting_.empty(); });
    if (waiting_.empty()) return;
    Said said = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= said.content ? said.content->size() : 0;
    lock.unlock();
    const std::chrono::duration<double, std::milli> time = said.when - start_;
    bool written = false;
    try {
      if (said.content) said.what = to_recorded(said.what.from, *said.content);
      said.what.milliseconds = time.count();
      written = write(to_line(said.what));
    } catch (const std::exception& failure) {
      give_up(failure.what());
    }
    lock.lock();
    if (!written) return;
  }
}

bool Recorder::write(const std::string& line) {
  written_ += line.size();
  if (written_ > kMaxBytes) {
    give_up(path().string() + ": the recording has reached " + std::to_string(kMaxBytes >> 20) +
            " MiB");
    return false;
  }
  const Result<void> appended = file_.append(line);
  if (!appended) give_up(appended.error().message());
  return static_cast<bool>(appended);
}

void Recorder::give_up(const std::string& problem) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopped_, true)) return;
    waiting_.clear();
    waiting_bytes_ = 0;
  }
  try {
    on_problem_(problem);
  } catch (const std::exception&) {
    // There is nobody left to report to.
  }
}

}  // namespace redraft::lsp
