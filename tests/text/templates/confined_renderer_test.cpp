// Templates that attack the process in which they run.
#include "text/templates/confined_renderer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/confine/call_filter.h"
#include "support/system/descriptors.h"
#include "tests/text/templates/own_templates.h"
#include "text/templates/renderer_process.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<ChatMessage> kQuestion = {{"user", "Hi"}};
constexpr const char* kPlain = "{{ messages[0].content }}";

class ConfinedRendererTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!CallFilter::is_available()) GTEST_SKIP() << "this kernel cannot filter system calls";
  }

  std::shared_ptr<ChatRenderer> renderer(const std::string& source) {
    return confined_renderers(host_)(
        {.source = source, .begin_of_text = "<s>", .end_of_text = "</s>", .model = "some.gguf"},
        [this](const std::string& notice) { notices_ += notice; });
  }

  std::string rendered(const std::string& source) {
    const Result<std::string> text = renderer(source)->render(kQuestion);
    return text ? *text : text.error().message();
  }

  std::shared_ptr<TemplateHost> host_ =
      std::make_shared<TemplateHost>(std::vector<std::string>{REDRAFT_TEMPLATE_KEEPER});
  std::string notices_;
};

TEST_F(ConfinedRendererTest, RendersWhatTheEngineRenders) {
  const nlohmann::json file = own_templates();
  for (const auto& [name, golden] : file["rendered"].items()) {
    const auto confined = renderer(golden["template"]);
    LocalRenderer local(golden["template"]);
    for (const nlohmann::json& conversation : file["conversations"]) {
      const Result<std::string> text = confined->render(messages_of(conversation));
      const Result<std::string> expected = local.render(messages_of(conversation));
      ASSERT_EQ(static_cast<bool>(text), static_cast<bool>(expected)) << name;
      EXPECT_EQ(text ? *text : text.error().message(),
                expected ? *expected : expected.error().message());
    }
  }
}

TEST_F(ConfinedRendererTest, LongTextsPassThrough) {
  const std::string text(3 << 20, 'x');
  const Result<std::string> rendered = renderer(kPlain)->render({{"user", text}});
  ASSERT_TRUE(rendered) << rendered.error().message();
  EXPECT_EQ(*rendered, text);
}

TEST_F(ConfinedRendererTest, ATemplateThatNeverEndsIsEnded) {
  // Ten seconds pass first where other programs take the processor.
  EXPECT_THAT(rendered("{% for i in range(9999) %}{% for j in range(9999) %}"
                       "{% for k in range(9999) %}{% endfor %}{% endfor %}{% endfor %}"),
              HasSubstr("it took longer than "));
  EXPECT_EQ(rendered(kPlain), "Hi");
}

TEST_F(ConfinedRendererTest, DeepNestingEndsTheChildAlone) {
  EXPECT_THAT(rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              HasSubstr("nests too deeply"));
  EXPECT_THAT(rendered("{{ " + std::string(1'000'000, '(')), HasSubstr("nests too deeply"));
  EXPECT_EQ(rendered(kPlain), "Hi");
}

TEST_F(ConfinedRendererTest, MemoryIsBounded) {
  EXPECT_THAT(rendered("{% set ns = namespace(s='x' * 1000) %}{% for i in range(60) %}"
                       "{% set ns.s = ns.s + ns.s %}{% endfor %}{{ ns.s }}"),
              testing::AnyOf(HasSubstr("too much memory"), HasSubstr("it took longer than ")));
  EXPECT_THAT(rendered("{% for i in range(1000000000) %}{% endfor %}"),
              testing::AnyOf(HasSubstr("too much memory"), HasSubstr("it took longer than ")));
  EXPECT_EQ(rendered(kPlain), "Hi");
}

TEST_F(ConfinedRendererTest, OutputIsBounded) {
  const auto confined = renderer("{{ messages[0].content * 40 }}");
  EXPECT_TRUE(confined->render({{"user", std::string(100, 'x')}}));
  const Result<std::string> text = confined->render({{"user", std::string(1 << 20, 'x')}});
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(),
              testing::AnyOf("it writes more than 32 MB", HasSubstr("it took longer than ")));
}

TEST_F(ConfinedRendererTest, ARefusalIsForTheseMessagesAFailureForGood) {
  const auto refusing =
      renderer("{% if messages[0].content == 'no' %}{{ raise_exception('no') }}{% endif %}yes");
  EXPECT_FALSE(refusing->render({{"user", "no"}}));
  EXPECT_TRUE(refusing->render(kQuestion));
  const auto failing = renderer(
      "{% macro m() %}{{ m() }}{% endmacro %}{% if messages[0].content == 'no' %}{{ m() }}"
      "{% endif %}yes");
  EXPECT_TRUE(failing->render(kQuestion));
  const Result<std::string> failed = failing->render({{"user", "no"}});
  ASSERT_FALSE(failed);
  const Result<std::string> later = failing->render(kQuestion);
  ASSERT_FALSE(later);
  EXPECT_EQ(later.error().message(), failed.error().message());
}

TEST_F(ConfinedRendererTest, ReportsOnceAndNamesTheModel) {
  const auto one = renderer(kPlain);
  one->report("first");
  one->report("second");
  EXPECT_EQ(notices_, "some.gguf: first");
}

TEST_F(ConfinedRendererTest, SaysWhyThereIsNoProcess) {
  host_ = std::make_shared<TemplateHost>(std::vector<std::string>{"/no/such/program"});
  EXPECT_THAT(rendered(kPlain), HasSubstr("there is no process to run it (/no/such/program"));
  host_ = std::make_shared<TemplateHost>(std::vector<std::string>{"/bin/true"});
  EXPECT_THAT(rendered(kPlain), HasSubstr("there is no process to run it"));
}

// The children of a process.
std::vector<std::string> children_of(const std::string& process) {
  std::vector<std::string> children;
  std::ifstream file("/proc/" + process + "/task/" + process + "/children");
  for (std::string child; file >> child;) children.push_back(child);
  return children;
}

std::string status_of(const std::string& process, const std::string& key) {
  std::ifstream file("/proc/" + process + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return line.substr(key.size() + 1);
  return {};
}

int filters_of(const std::string& process) {
  const std::string text = status_of(process, "Seccomp_filters");
  return text.empty() ? 0 : std::stoi(text);
}

// The line of a limit: its name, the soft and the hard value, the unit.
std::string limit_of(const std::string& process, const std::string& name) {
  std::ifstream file("/proc/" + process + "/limits");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return line;
  return {};
}

TEST_F(ConfinedRendererTest, ProcessesAreConfinedAndEndWithTheirOwners) {
  const std::string self = std::to_string(::getpid());
  const std::size_t n_before = children_of(self).size();
  auto first = renderer(kPlain);
  ASSERT_TRUE(first->render(kQuestion));
  if (children_of(self).size() == n_before) GTEST_SKIP() << "the kernel lists no children";
  const std::string keeper = children_of(self).back();
  const auto second = renderer(kPlain);
  ASSERT_TRUE(second->render(kQuestion));
  ASSERT_EQ(children_of(keeper).size(), 2u);
  const int filters = filters_of(keeper);
  EXPECT_GE(filters, 1);
  for (const std::string& process : {keeper, children_of(keeper)[0], children_of(keeper)[1]}) {
    EXPECT_THAT(status_of(process, "Seccomp"), HasSubstr("2"));
    EXPECT_THAT(status_of(process, "NoNewPrivs"), HasSubstr("1"));
    EXPECT_THAT(status_of(process, "Threads"), HasSubstr("1"));
    if (process == keeper) continue;
    EXPECT_EQ(filters_of(process), filters + 1) << "one of its own besides the keeper's";
    if (RendererLimits::of_this_process().addresses > 0) {
      EXPECT_THAT(limit_of(process, "Max address space"), Not(HasSubstr("unlimited")));
    }
  }
  first.reset();
  while (children_of(keeper).size() > 1) ::usleep(1000);
  EXPECT_EQ(*second->render(kQuestion), "Hi");
}

TEST_F(ConfinedRendererTest, AnotherProcessFollowsOneThatWasEndedButNotForEver) {
  const std::string self = std::to_string(::getpid());
  const auto confined = renderer(kPlain);
  for (int i = 0; i < 3; ++i) {
    const Result<std::string> text = confined->render(kQuestion);
    ASSERT_TRUE(text) << text.error().message() << ", time " << i;
    if (children_of(self).empty()) GTEST_SKIP() << "the kernel lists no children";
    ::kill(std::stoi(children_of(children_of(self).back()).back()), SIGKILL);
    EXPECT_EQ(confined->render(kQuestion).error().message(), "its process has ended");
  }
  EXPECT_EQ(confined->render(kQuestion).error().message(), "its process has ended");
}

TEST_F(ConfinedRendererTest, ProcessesKeepNoDescriptorThatTheyInherit) {
  std::optional<Pipe> pipe = make_pipe();
  ASSERT_TRUE(pipe);
  constexpr int kFar = 100;
  FileHandle inherited(::fcntl(pipe->write_end.get(), F_DUPFD, kFar));  // not close-on-exec
  ASSERT_TRUE(inherited);
  pipe->write_end = FileHandle();
  const auto confined = renderer(kPlain);
  ASSERT_TRUE(confined->render(kQuestion));
  inherited = FileHandle();
  pollfd polled = {.fd = pipe->read_end.get(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&polled, 1, 0), 1) << "another process has the other end";
  EXPECT_NE(polled.revents & POLLHUP, 0);
}

}  // namespace
}  // namespace redraft
