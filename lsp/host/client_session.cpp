#include "lsp/host/client_session.h"

#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

#include "lsp/host/access_token.h"
#include "lsp/wire/protocol.h"
#include "support/trace/trace.h"

namespace redraft::lsp {
namespace {

constexpr auto kFlushLimit = std::chrono::milliseconds(200);
constexpr auto kProcessInterval = std::chrono::milliseconds(200);
// A client that has not shown its token yet gets little time and memory.
constexpr auto kAdmissionLimit = std::chrono::seconds(10);
constexpr std::size_t kFirstMessageLimit = 1 << 20;

}  // namespace

ClientSession::ClientSession(const Shared& shared, Client client, std::function<void(int)> on_end)
    : client_(std::move(client)),
      recorder_(shared.recorder),
      notice_(shared.notice),
      on_end_(std::move(on_end)),
      transport_(shared.io, client_.in.get(), client_.out.get(),
                 {.on_message = [this](const std::string& content) { receive(content); },
                  .on_unread = [this](const UnreadMessage& message) { receive_unread(message); },
                  .on_malformed = [this](const Error& error) { end_malformed(error); },
                  .on_gone = [this] { end_gone(); }}),
      admission_timer_(shared.io),
      process_timer_(shared.io),
      server_(
          shared.engine, shared.post,
          {.send =
               [this](const std::string& content) {
                 if (recorder_) recorder_->add(Recorder::From::kServer, content);
                 transport_.send(content);
               },
           .congested = [this] { return transport_.congested(); }},
          [this](int code) { end(code); }, shared.index, shared.usage_file),
      admitted_(client_.token.empty()) {
  if (!admitted_) await_admission();
}

void ClientSession::await_admission() {
  transport_.limit_messages({.read = kFirstMessageLimit, .passed_over = kFirstMessageLimit});
  admission_timer_.expires_after(kAdmissionLimit);
  admission_timer_.async_wait(
      [this, alive = std::weak_ptr(alive_)](const boost::system::error_code&) {
        if (alive.expired() || admitted_) return;
        spdlog::warn("a client did not show its token in time");
        end(1);
      });
}

// One client's messages must not end other sessions: an exception (no memory for the message, for
// example) ends this session only.
void ClientSession::receive(const std::string& content) {
  try {
    if (admitted_ || admit(content)) serve(content);
  } catch (const std::exception& failure) {
    spdlog::error("a client's message of {} bytes: {}", content.size(), failure.what());
    end(1);
  }
}

void ClientSession::receive_unread(const UnreadMessage& message) {
  try {
    if (recorder_) recorder_->add_unread(message);
    server_.receive_unread(message);
  } catch (const std::exception& failure) {
    spdlog::error("a client's message of {} bytes: {}", message.bytes, failure.what());
    end(1);
  }
}

bool ClientSession::admit(const std::string& first_message) {
  if (const std::optional<Json> refused = refusal(first_message, client_.token)) {
    spdlog::warn("a client without the token was turned away");
    transport_.send(to_text(*refused));
    end(1);
    return false;
  }
  admitted_ = true;
  transport_.limit_messages({});
  return true;
}

void ClientSession::serve(const std::string& content) {
  const Span span("message", "bytes", std::ssize(content));
  const bool knew_process = server_.client_process().has_value();
  if (recorder_) recorder_->add(Recorder::From::kClient, content);
  server_.receive(content);
  if (!notice_.empty() && server_.serving()) tell_log(std::exchange(notice_, {}));
  if (knew_process || !client_.watch_process || !server_.client_process()) return;
  if (const auto process = ClientProcess::find(*server_.client_process())) watch(*process);
}

void ClientSession::watch(const ClientProcess& process) {
  process_timer_.expires_after(kProcessInterval);
  process_timer_.async_wait(
      [this, process, alive = std::weak_ptr(alive_)](const boost::system::error_code&) {
        if (alive.expired() || ending_) return;
        if (process.is_alive()) {
          watch(process);
        } else {
          spdlog::info("the client's process is gone");
          end_gone();
        }
      });
}

// Not over the server's link: that would be recorded, and a replaying server never says it.
void ClientSession::tell_log(const std::string& text) {
  const Json params = {{"type", static_cast<int>(MessageType::kWarning)}, {"message", text}};
  transport_.send(
      to_text({{"jsonrpc", "2.0"}, {"method", "window/logMessage"}, {"params", params}}));
}

void ClientSession::end_malformed(const Error& error) {
  spdlog::error("{}", error.message());
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
