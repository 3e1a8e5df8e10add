#include "text/templates/renderer_process.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <fstream>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/confine/call_filter.h"
#include "support/system/descriptors.h"
#include "text/templates/jinja_template.h"
#include "text/templates/template_frames.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REDRAFT_WITH_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define REDRAFT_WITH_SANITIZER
#endif
#endif

namespace redraft {
namespace {

using Kind = TemplateFrame::Kind;

#ifdef REDRAFT_WITH_SANITIZER
constexpr bool kBoundsMemory = false;
#else
constexpr bool kBoundsMemory = true;
#endif
constexpr std::size_t kMemory = std::size_t{256} << 20;  // bytes
constexpr std::size_t kStack = std::size_t{8} << 20;     // bytes
constexpr std::size_t kSignalStack = std::size_t{64} << 10;
constexpr int kSeconds = 1;  // of processor time, for a request

// Answers that a signal handler can send.
struct LastWords {
  int socket = -1;
  std::string too_slow = to_bytes({Kind::kEnd, {"it took longer than a second"}});
  std::string fault = to_bytes({Kind::kEnd, {"it nests too deeply, or its engine crashed"}});
};
LastWords* last_words = nullptr;

void say_and_end(int signal) {
  const std::string& words = signal == SIGPROF ? last_words->too_slow : last_words->fault;
  [[maybe_unused]] const ssize_t sent =
      ::send(last_words->socket, words.data(), words.size(), kSendWithoutSignal);
  ::_exit(1);
}

// The handler needs a stack of its own, because the fault may be an overflow of the stack.
void handle_signals(int socket) {
  static LastWords words;
  words.socket = socket;
  last_words = &words;
  static const std::unique_ptr<char[]> bytes = std::make_unique<char[]>(kSignalStack);
  stack_t stack = {};
  stack.ss_sp = bytes.get();
  stack.ss_size = kSignalStack;
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = say_and_end;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::sigaction(signal, &action, nullptr);
}

bool limit(int resource, std::size_t most) {
  const rlimit both = {.rlim_cur = most, .rlim_max = most};
  return ::setrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &both) == 0;
}

// False if any part fails: then nothing may be rendered.
bool confine(const RendererLimits& limits) {
  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, 0)) return false;
  if (limits.addresses > 0 && !limit(RLIMIT_AS, limits.addresses)) return false;
  CallFilter filter;
  filter.refuse_if_any(SYS_mmap, 2, PROT_EXEC);
  filter.refuse_if_any(SYS_mprotect, 2, PROT_EXEC);
  filter.allow_only(kRendererCalls);
  return filter.install(false) == 0;
}

void set_timer(int seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &timer, nullptr);
}

class Renderer {
 public:
  explicit Renderer(int socket) : socket_(socket) {}

  // Returns when the other end is closed, or sends something else than frames.
  void run() {
    while (const std::optional<TemplateFrame> request = receive()) {
      set_timer(kSeconds);
      const TemplateFrame answer = answer_to(*request);
      set_timer(0);
      if (!send(to_bytes(answer))) return;
    }
  }

 private:
  TemplateFrame answer_to(const TemplateFrame& request) {
    const std::vector<std::string>& texts = request.texts;
    if (request.kind == Kind::kTemplate && texts.size() == 3) {
      auto parsed = JinjaTemplate::parse(
          {.source = texts[0], .begin_of_text = texts[1], .end_of_text = texts[2], .model = {}});
      if (!parsed) return {Kind::kEnd, {parsed.error().message()}};
      template_ = *std::move(parsed);
      return {Kind::kText, {}};
    }
    if (request.kind != Kind::kMessages || !template_ || texts.size() % 2 != 0)
      return {Kind::kEnd, {"it got an unknown request"}};
    std::vector<ChatMessage> messages;
    for (std::size_t i = 0; i < texts.size(); i += 2) messages.push_back({texts[i], texts[i + 1]});
    Result<std::string> text = template_->render(messages);
    if (!text) return {Kind::kRefusal, {text.error().message()}};
    return {Kind::kText, {*std::move(text)}};
  }

  std::optional<TemplateFrame> receive() {
    while (true) {
      Result<std::optional<TemplateFrame>> frame = reader_.next();
      if (!frame) return std::nullopt;
      if (*frame) return *std::move(frame);
      const ssize_t size = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return std::nullopt;
      reader_.add({buffer_.data(), static_cast<std::size_t>(size)});
    }
  }

  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), kSendWithoutSignal);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  int socket_;
  std::array<char, 1 << 16> buffer_{};
  TemplateFrameReader reader_;
  std::unique_ptr<JinjaTemplate> template_;
};

}  // namespace

RendererLimits RendererLimits::of_this_process() {
  // The program that is forked has the default stack, unless the user's limit says otherwise.
  rlimit stack = {};
  if (::getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur > kStack) {
    stack.rlim_cur = kStack;
    ::setrlimit(RLIMIT_STACK, &stack);
  }
  if (!kBoundsMemory) return {};
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return {.addresses = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + kMemory};
}

void run_renderer(int socket, const RendererLimits& limits) {
  handle_signals(socket);
  if (!confine(limits)) {
    const std::string words = to_bytes({Kind::kEnd, {"its process could not be confined"}});
    [[maybe_unused]] const ssize_t sent =
        ::send(socket, words.data(), words.size(), kSendWithoutSignal);
    ::_exit(1);
  }
  try {
    const auto renderer = std::make_unique<Renderer>(socket);
    renderer->run();
  } catch (const std::exception&) {  // out of memory outside of the template
    ::_exit(1);
  }
  ::_exit(0);
}

}  // namespace redraft
