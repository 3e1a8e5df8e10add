// Our own templates, compared with what Jinja2 makes of them.
#include "text/templates/jinja_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/text/templates/own_templates.h"

namespace redraft {
namespace {

using ::testing::HasSubstr;

std::string rendered(const std::string& source, const std::vector<ChatMessage>& messages) {
  const auto parsed = JinjaTemplate::parse(
      {.source = source, .begin_of_text = "<s>", .end_of_text = "</s>", .model = {}});
  if (!parsed) return parsed.error().message();
  const Result<std::string> text = (*parsed)->render(messages);
  return text ? *text : text.error().message();
}

TEST(JinjaTemplate, RendersAsJinja2Does) {
  const nlohmann::json file = own_templates();
  int n_compared = 0;
  for (const auto& [name, golden] : file["rendered"].items()) {
    for (std::size_t i = 0; i < file["conversations"].size(); ++i) {
      const std::vector<ChatMessage> messages = messages_of(file["conversations"][i]);
      // Python also trims white space that is not ASCII; rendered_prompt() does so afterwards.
      if (golden["texts"][i].is_null() || messages[0].text.starts_with("\u3000")) continue;
      EXPECT_EQ(rendered(golden["template"], messages), golden["texts"][i])
          << name << ", conversation " << i;
      ++n_compared;
    }
  }
  EXPECT_EQ(n_compared, 4 * 10 + 4);
}

TEST(JinjaTemplate, SaysWhatATemplateRejects) {
  EXPECT_EQ(rendered(own_template("no_system"), {{"system", "a"}, {"user", "b"}}),
            "it cannot be run: Jinja Exception: System role not supported");
  EXPECT_THAT(rendered("{{ messages | no_such_filter }}", {}), HasSubstr("no_such_filter"));
  EXPECT_THAT(rendered("{% if %}", {}), HasSubstr("it cannot be run: "));
  EXPECT_THAT(rendered("{{ raise_exception('a\x1b[2J\n\xc3\xa4' ~ 'x' * 1000) }}", {}),
              testing::Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("\n"))));
}

TEST(JinjaTemplate, ThinkingIsOffAndTheDateStays) {
  EXPECT_EQ(rendered("{{ enable_thinking }} {{ thinking }} {{ thinking_budget }} "
                     "{{ thinking_mode }} {{ reasoning_effort }}",
                     {}),
            "False False 0 disabled low");
  EXPECT_EQ(rendered("{{ reasoning_effort }}{% if 'none' %}{% endif %}", {}), "none");
  EXPECT_EQ(rendered("{{ strftime_now('%Y-%m-%d') }}", {}), "2026-01-01");
}

}  // namespace
}  // namespace redraft
