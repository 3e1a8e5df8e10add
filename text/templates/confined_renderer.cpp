#include "text/templates/confined_renderer.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/system/descriptors.h"
#include "text/templates/template_frames.h"

namespace redraft {
namespace {

using Clock = std::chrono::steady_clock;
using Kind = TemplateFrame::Kind;

constexpr std::chrono::seconds kPatience{10};
constexpr std::size_t kMaxReason = 300;  // bytes
constexpr int kMaxStalls = 3;

// Waits until the socket is ready; false at the deadline.
bool wait_for(int socket, short events, Clock::time_point deadline) {
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd polled = {.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&polled, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// From a process that may be in the hands of a template.
std::string shown(std::string reason) {
  reason.resize(std::min(reason.size(), kMaxReason));
  for (char& c : reason) {
    if (c < ' ' || c > '~') c = ' ';
  }
  return reason;
}

class ConfinedRenderer final : public ChatRenderer {
 public:
  ConfinedRenderer(std::shared_ptr<TemplateHost> host, ChatTemplate chat_template, OnNotice notice)
      : host_(std::move(host)), template_(std::move(chat_template)), notice_(std::move(notice)) {}
  ~ConfinedRenderer() override { end(); }

  Result<std::string> render(const std::vector<ChatMessage>& messages) override {
    const std::lock_guard lock(mutex_);
    if (given_up_) return *given_up_;
    if (!process_) {
      if (const Result<void> begun = begin(); !begun) return give_up(begun.error());
    }
    TemplateFrame request{Kind::kMessages};
    for (const ChatMessage& message : messages) {
      request.texts.push_back(message.role);
      request.texts.push_back(message.text);
    }
    Result<TemplateFrame> answer = ask(request);
    if (!answer) return give_up(answer.error());
    if (answer->texts.size() != 1) return give_up(Error("its process sent invalid data"));
    if (answer->kind == Kind::kText) return std::move(answer->texts[0]);
    Error reason(shown(std::move(answer->texts[0])));
    if (answer->kind == Kind::kRefusal) return reason;
    return give_up(std::move(reason));
  }

  void report(const std::string& notice) override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(reported_, true) || !notice_) return;
    notice_(template_.model + ": " + notice);
  }

 private:
  Result<void> begin() {
    Result<TemplateHost::Renderer> process = host_->open();
    if (!process) return process.error();
    process_ = *std::move(process);
    Result<TemplateFrame> answer =
        ask({Kind::kTemplate, {template_.source, template_.begin_of_text, template_.end_of_text}});
    if (!answer) return answer.error();
    if (answer->kind == Kind::kText) return {};
    return Error(answer->texts.empty() ? "its process sent invalid data"
                                       : shown(std::move(answer->texts[0])));
  }

  // Ends the process, and gives the template up unless it may do better in another process.
  Error give_up(Error reason) {
    end();
    const bool retried = std::exchange(stalled_, false) && n_stalls_ < kMaxStalls;
    if (!retried) given_up_ = reason;
    return reason;
  }

  void end() {
    if (process_) host_->end(process_->id);
    process_.reset();
  }

  Result<TemplateFrame> ask(const TemplateFrame& request) {
    const Clock::time_point deadline = Clock::now() + kPatience;
    const std::string bytes = to_bytes(request);
    if (bytes.size() > TemplateFrameReader::kMaxFrame ||
        request.texts.size() > TemplateFrameReader::kMaxMessageTexts)
      return Error("the messages are too long");
    for (std::string_view rest = bytes; !rest.empty();) {
      if (!wait_for(process_->socket.get(), POLLOUT, deadline)) return too_slow();
      const ssize_t sent = ::send(process_->socket.get(), rest.data(), rest.size(),
                                  kSendWithoutSignal | MSG_DONTWAIT);
      if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (sent < 0) break;  // it has ended: what it said before follows
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return receive(deadline);
  }

  Result<TemplateFrame> receive(Clock::time_point deadline) {
    TemplateFrameReader reader;
    std::array<char, 1 << 16> buffer;
    while (true) {
      Result<std::optional<TemplateFrame>> frame = reader.next();
      if (!frame) return Error("its process sent invalid data");
      if (*frame) return **std::move(frame);
      if (!wait_for(process_->socket.get(), POLLIN, deadline)) return too_slow();
      const ssize_t size =
          ::recv(process_->socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (size <= 0) return stalled("its process has ended");
      reader.add({buffer.data(), static_cast<std::size_t>(size)});
    }
  }

  Error too_slow() { return stalled("it took longer than 10 seconds"); }

  // A failure that may have nothing to do with the template: the machine is busy or asleep, or
  // something else ended the process.
  Error stalled(const char* reason) {
    ++n_stalls_;
    stalled_ = true;
    return Error(reason);
  }

  const std::shared_ptr<TemplateHost> host_;
  const ChatTemplate template_;
  const OnNotice notice_;
  std::mutex mutex_;
  std::optional<TemplateHost::Renderer> process_;
  std::optional<Error> given_up_;
  int n_stalls_ = 0;      // with this template
  bool stalled_ = false;  // the failure that is handled now
  bool reported_ = false;
};

}  // namespace

MakeChatRenderer confined_renderers(std::shared_ptr<TemplateHost> host) {
  return [host = std::move(host)](ChatTemplate chat_template, OnNotice notice) {
    return std::make_shared<ConfinedRenderer>(host, std::move(chat_template), std::move(notice));
  };
}

}  // namespace redraft
