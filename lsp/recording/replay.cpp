#include "lsp/recording/replay.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lsp/recording/answer_streams.h"
#include "lsp/recording/replay_report.h"
#include "support/files/mapped_file.h"

namespace redraft::lsp {
namespace {

using Clock = std::chrono::steady_clock;
using From = RecordedMessage::From;
using Kind = RecordedMessage::Kind;

constexpr std::size_t kMaxShown = 20;  // differences printed
// How often to check whether the server is idle.
constexpr auto kLook = std::chrono::milliseconds(5);

// The jobs posted to the thread that owns the server.
class Loop {
 public:
  void post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(function));
    changed_.notify_all();
  }
  // Runs one job. Returns false if none arrived in time.
  bool run_one(Clock::time_point until) {
    std::function<void()> next;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait_until(lock, until, [this] { return !posted_.empty(); })) return false;
      next = std::move(posted_.front());
      posted_.pop_front();
    }
    next();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
};

class Replay {
 public:
  Replay(const Recording& recording, ReplaySpeed speed, EngineHost::Factory make_engine,
         Server::IndexFactories index)
      : recording_(recording),
        speed_(speed),
        host_(std::make_shared<EngineHost>(std::move(make_engine), post_)),
        server_(
            host_, post_,
            {.send = [this](const std::string& content) { take(content); },
             .congested = [] { return false; }},
            [](int) {}, std::move(index)) {}

  void run() {
    const auto start = Clock::now();
    for (const RecordedMessage& each : recording_.messages) {
      if (each.from == From::kServer) {
        expect(each);
        continue;
      }
      if (speed_ == ReplaySpeed::kRecorded) {
        const std::chrono::duration<double, std::milli> time(each.milliseconds);
        run_until(start + std::chrono::duration_cast<Clock::duration>(time));
      }
      wait_for_expected();
      give(each);
    }
    if (!ended_) finish();
  }

  const AnswerStreams& recorded() const { return recorded_; }
  const AnswerStreams& replayed() const { return replayed_; }

 private:
  // Takes a message to the client.
  void take(const std::string& content) {
    const Result<Json> message = parse_json(content);
    if (!message) return;
    if (const auto stream = replayed_.server_said(*message)) owe(*stream, -1);
  }

  void expect(const RecordedMessage& message) {
    if (const auto stream = recorded_.server_said(message.message, message.line)) owe(*stream, +1);
  }

  // Counts, per stream, the messages that the recording has so far and the server has not sent.
  void owe(const std::string& stream, int change) {
    int& owed = owed_[stream];
    const bool before = owed > 0;
    owed += change;
    n_owed_ += (owed > 0 ? 1 : 0) - (before ? 1 : 0);
  }

  void wait_for_expected() {
    while (n_owed_ > 0) {
      if (!loop_.run_one(Clock::now() + kLook) && is_idle()) {
        for (auto& [stream, owed] : owed_) owed = std::min(owed, 0);
        n_owed_ = 0;
      }
    }
  }

  // Jobs post their messages before the queue counts them as done.
  bool is_idle() { return host_->queue().is_idle() && !loop_.run_one(Clock::now()); }

  void run_until(Clock::time_point time) {
    while (Clock::now() < time) loop_.run_one(time);
  }

  // Ends a session that nobody has ended.
  void finish() {
    wait_for_expected();
    while (!host_->queue().is_idle() || loop_.run_one(Clock::now() + kLook)) {
      loop_.run_one(Clock::now() + kLook);
    }
  }

  void give(const RecordedMessage& given) {
    switch (given.kind) {
      case Kind::kMessage:
        if (Json message = given.message; prepare(message)) server_.receive(to_text(message));
        break;
      case Kind::kMalformed:
        server_.receive(given.text);
        break;
      case Kind::kUnread:
        give_unread(given.unread);
        break;
      case Kind::kUnframed:
        server_.report_malformed(Error(given.text));
        break;
      case Kind::kGone:
        recorded_.client_went();
        server_.stop();
        ended_ = true;
        break;
    }
  }

  void give_unread(UnreadMessage unread) {
    Json about = {{"id", unread.outline.id}};
    if (!unread.outline.method.empty()) about["method"] = unread.outline.method;
    if (!unread.outline.id.is_null() && !prepare(about)) return;
    unread.outline.id = about["id"];
    server_.receive_unread(unread);
  }

  // Returns false if the message has no counterpart to answer at this point.
  bool prepare(Json& message) {
    recorded_.client_said(message);
    replayed_.client_said(message);
    return renumber(message);
  }

  // Redirects a client's response to the request that corresponds to the recorded one. Returns
  // false if the server has not sent that request.
  bool renumber(Json& message) const {
    if (!message.is_object() || message.contains("method") || !message.contains("id")) return true;
    const auto place = recorded_.place_of(message["id"]);
    if (!place) return true;  // the recorded response did not answer the server either
    const std::optional<Json> id = replayed_.id_at(*place);
    if (id) message["id"] = *id;
    return id.has_value();
  }

  const Recording& recording_;
  ReplaySpeed speed_;
  AnswerStreams recorded_, replayed_;
  std::map<std::string, int> owed_;
  int n_owed_ = 0;  // streams with outstanding messages
  bool ended_ = false;
  Loop loop_;
  Post post_ = [this](std::function<void()> function) { loop_.post(std::move(function)); };
  std::shared_ptr<EngineHost> host_;
  Server server_;
};

std::string described(const RecordingHeader& header) {
  std::string text = "redraft " + header.version;
  if (!header.build.empty()) text += " (" + header.build + ")";
  for (const std::string& option : header.options) text += " " + option;
  return text;
}

Result<Recording> read_recording(const std::filesystem::path& file) {
  const Result<MappedFile> map = MappedFile::open(file);
  if (!map) return map.error();
  const auto bytes = map->bytes();
  Result<Recording> recording =
      parse_recording({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return recording ? std::move(recording) : recording.error().in(file.string());
}

}  // namespace

Result<int> replay(const std::filesystem::path& file, ReplaySpeed speed,
                   EngineHost::Factory make_engine, Server::IndexFactories index,
                   std::ostream& out) {
  const Result<Recording> recording = read_recording(file);
  if (!recording) return recording.error();
  out << file.string() << ": " << recording->messages.size() << " messages, recorded by "
      << described(recording->header) << std::endl;
  if (recording->cut_off)
    out << "the file ends within a line; redraft ignores that line" << std::endl;
  if (const std::optional<PromptSize> size = recording->header.prompt_size)
    make_engine = with_prompt_size(std::move(make_engine), *size);
  Replay run(*recording, speed, std::move(make_engine), std::move(index));
  run.run();
  const std::vector<std::string> found = differences(run.recorded(), run.replayed());
  for (std::size_t i = 0; i < std::min(found.size(), kMaxShown); ++i) out << found[i] << "\n";
  if (found.size() > kMaxShown) out << "and " << found.size() - kMaxShown << " more\n";
  out << (found.empty() ? "the server answers as recorded"
                        : std::to_string(found.size()) + " answers differ")
      << std::endl;
  return found.empty() ? 0 : 1;
}

}  // namespace redraft::lsp
