#include "lsp/host/client_session.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <stdexcept>
#include <utility>

#include "lsp/host/access_token.h"
#include "lsp/wire/protocol.h"
#include "support/log/log.h"
#include "support/system/crash_notes.h"
#include "support/trace/trace.h"

namespace redraft::lsp {
namespace {

constexpr auto kFlushLimit = std::chrono::milliseconds(200);
constexpr auto kProcessInterval = std::chrono::seconds(5);
// A client that has not shown its token yet gets little time and memory.
constexpr auto kAdmissionLimit = std::chrono::seconds(10);
constexpr std::size_t kFirstMessageLimit = 1 << 20;

// Has something large destroyed on the side thread or, without memory even for that, here.
void give_back(const std::weak_ptr<SideThread>& side, std::function<void()> large) {
  try {
    if (const auto thread = side.lock()) thread->run([large = std::move(large)] {});
  } catch (const std::exception& failure) {
    logging::warn("after a client's message: {}", failure.what());
  }
}

}  // namespace

ClientSession::ClientSession(const Shared& shared, Client client, std::function<void(int)> on_end)
    : client_(std::move(client)),
      io_(shared.io),
      side_(shared.side),
      recorder_(shared.recorder),
      notice_(shared.notice),
      on_end_(std::move(on_end)),
      transport_(shared.io, client_.in.get(), client_.out.get(),
                 {.on_message = [this](std::string content) { receive(std::move(content)); },
                  .on_unread = [this](const UnreadMessage& message) { receive_unread(message); },
                  .on_malformed = [this](const Error& error) { end_malformed(error); },
                  .on_gone = [this] { end_gone(); }}),
      admission_timer_(shared.io),
      process_end_(shared.io),
      process_timer_(shared.io),
      server_(
          shared.engine, shared.post,
          {.send =
               [this](const std::string& content) {
                 if (recorder_) recorder_->add(Recorder::From::kServer, content);
                 transport_.send(content);
               },
           .congested = [this] { return transport_.congested(); },
           .aside = [this](Connection::SideWork work) { work_aside(std::move(work)); }},
          [this](int code) { end(code); }, shared.index, shared.usage_file, shared.now),
      admitted_(client_.token.empty()) {
  if (!admitted_) await_admission();
}

void ClientSession::await_admission() {
  transport_.limit_messages({.read = kFirstMessageLimit, .passed_over = kFirstMessageLimit});
  admission_timer_.expires_after(kAdmissionLimit);
  admission_timer_.async_wait(
      [this, alive = std::weak_ptr(alive_)](const boost::system::error_code&) {
        if (alive.expired() || admitted_) return;
        logging::warn("a client did not show its token in time");
        end(1);
      });
}

// One client's messages must not end other sessions: an exception (no memory for the message, for
// example) ends this session only.
void ClientSession::end_failed(std::string_view what, const std::exception& failure) {
  logging::error("{}: {}", what, failure.what());
  end(1);
}

void ClientSession::receive(std::string content) {
  const std::size_t bytes = content.size();
  try {
    if (admitted_ || admit(content)) serve(std::move(content));
  } catch (const std::exception& failure) {
    end_failed("a client's message of " + std::to_string(bytes) + " bytes", failure);
  }
}

void ClientSession::receive_unread(const UnreadMessage& message) {
  try {
    if (recorder_) recorder_->add_unread(message);
    server_.receive_unread(message);
  } catch (const std::exception& failure) {
    end_failed("a client's message of " + std::to_string(message.bytes) + " bytes", failure);
  }
}

bool ClientSession::admit(const std::string& first_message) {
  if (const std::optional<Json> refused = refusal(first_message, client_.token)) {
    logging::warn("a client without the token was turned away");
    transport_.send(to_text(*refused));
    end(1);
    return false;
  }
  if (!client_.has_room()) {
    end(1);
    return false;
  }
  admitted_ = true;
  transport_.limit_messages({});
  return true;
}

void ClientSession::serve(std::string content) {
  if (recorder_) recorder_->add(Recorder::From::kClient, content);
  if (content.size() > kLongBytes) {
    const AtWork at_work({.document = 0, .kind = "long message"});
    work_aside([this, content = std::move(content)] {
      auto message = std::make_shared<ReceivedMessage>(read_message(content));
      return [this, message] { take(std::move(*message)); };
    });
  } else {
    take(read_message(content));
  }
}

void ClientSession::take(ReceivedMessage message) {
  const Span span("message", "bytes", static_cast<std::int64_t>(message.bytes));
  const bool knew_process = server_.client_process().has_value();
  server_.receive(std::move(message));
  if (!notice_.empty() && server_.serving()) tell_log(std::exchange(notice_, {}));
  if (knew_process || !client_.watch_process || !server_.client_process()) return;
  if (const auto process = ClientProcess::find(*server_.client_process())) watch(*process);
}

// `this` is used on the session's own thread only, and only while it is there.
void ClientSession::work_aside(Connection::SideWork work) {
  transport_.hold();
  // Meanwhile nothing may be left that the loop waits for: it must not end.
  side_->run([busy = boost::asio::make_work_guard(io_), this, alive = std::weak_ptr(alive_),
              &io = io_, side = std::weak_ptr(side_), done_for = AtWork::here(),
              work = std::move(work)] {
    const AtWork at_work(done_for);
    std::function<void()> then;
    try {
      then = work();
    } catch (const std::exception& failure) {
      then = [this, what = std::string(failure.what())] {
        end_failed("a client's message", std::runtime_error(what));
      };
    }
    boost::asio::post(io, [this, alive, side, done_for, then = std::move(then)]() mutable {
      const AtWork at_end(done_for);
      if (!alive.expired()) complete(then);
      give_back(side, std::move(then));
    });
  });
}

void ClientSession::complete(const std::function<void()>& then) {
  if (ending_) return;
  try {
    then();
  } catch (const std::exception& failure) {
    end_failed("a client's message", failure);
  }
  transport_.resume();
}

void ClientSession::watch(const ClientProcess& process) {
  const auto look = [this, process,
                     alive = std::weak_ptr(alive_)](const boost::system::error_code&) {
    if (alive.expired() || ending_) return;
    if (process.is_alive()) {
      watch(process);
    } else {
      logging::info("the client's process is gone");
      end_gone();
    }
  };
  // Waiting for its end wakes nobody up until then.
  if (FileHandle end = process.end(); end && !process_end_.is_open()) {
    process_end_.assign(end.release());
    process_end_.async_wait(boost::asio::posix::stream_descriptor::wait_read, look);
  } else {
    process_timer_.expires_after(kProcessInterval);
    process_timer_.async_wait(look);
  }
}

// Not over the server's link: that would be recorded, and a replaying server never says it.
void ClientSession::tell_log(const std::string& text) {
  const Json params = {{"type", static_cast<int>(MessageType::kWarning)}, {"message", text}};
  transport_.send(
      to_text({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", params}}));
}

void ClientSession::end_malformed(const Error& error) {
  logging::error("{}", error.message());
  if (recorder_) recorder_->add_unframed(error.message());
  server_.report_malformed(error);
  end(1);
}

void ClientSession::end(int code) {
  if (std::exchange(ending_, true)) return;
  if (recorder_) recorder_->add_gone();
  server_.stop();
  recorder_.reset();  // a replay cannot reproduce what may still come before the process ends
  transport_.finish(kFlushLimit, [this, code] { on_end_(code); });
}

}  // namespace redraft::lsp
