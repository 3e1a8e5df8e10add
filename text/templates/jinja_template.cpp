#include "text/templates/jinja_template.h"

#include <jinja/lexer.h>
#include <jinja/parser.h>
#include <jinja/runtime.h>
#include <jinja/value.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <string_view>
#include <utility>

#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::time_t kDate = 1767268800;     // 1 January 2026, noon, UTC: the same day everywhere
constexpr std::size_t kMaxReason = 200;       // bytes
constexpr std::size_t kMaxOutput = 32 << 20;  // bytes

jinja::value text_value(const std::string& text) {
  return jinja::mk_val<jinja::value_string>(text);
}
jinja::value truth(bool value) { return jinja::mk_val<jinja::value_bool>(value); }
jinja::value nothing() { return jinja::mk_val<jinja::value_none>(); }

// The engine's messages show the place in the template, then "Error: " and the reason, in several
// lines.
Error reason_of(const std::exception& problem) {
  std::string_view reason = problem.what();
  constexpr std::string_view kBefore = "Error: ";
  if (const std::size_t at = reason.rfind(kBefore); at != std::string_view::npos)
    reason.remove_prefix(at + kBefore.size());
  if (reason.find("bad_alloc") != std::string_view::npos) return Error("it needs too much memory");
  std::string line(trimmed(reason.substr(0, kMaxReason), " \t\r\n"));
  for (char& c : line) {
    if (c < ' ' || c > '~') c = ' ';
  }
  return Error("it cannot be run: " + line);
}

// The lowest level that a template names. Some models always think, and have no level without.
const char* least_effort(std::string_view source) {
  const auto names = [&](std::string_view level) {
    return source.find(level) != std::string_view::npos;
  };
  if (names("'no_think'")) return "no_think";
  return names("'none'") || names("\"none\"") ? "none" : "low";
}

}  // namespace

struct JinjaTemplate::Impl {
  ChatTemplate chat_template;
  std::string source;  // without carriage returns, as the lexer keeps it
  jinja::program program;
};

JinjaTemplate::JinjaTemplate(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
JinjaTemplate::~JinjaTemplate() = default;

Result<std::unique_ptr<JinjaTemplate>> JinjaTemplate::parse(const ChatTemplate& chat_template) {
  try {
    auto impl = std::make_unique<Impl>();
    impl->chat_template = chat_template;
    const jinja::lexer_result tokens = jinja::lexer().tokenize(chat_template.source);
    impl->source = tokens.source;
    impl->program = jinja::parse_from_tokens(tokens);
    return std::unique_ptr<JinjaTemplate>(new JinjaTemplate(std::move(impl)));
  } catch (const std::exception& problem) {
    return reason_of(problem);
  }
}

Result<std::string> JinjaTemplate::render(const std::vector<ChatMessage>& messages) const {
  try {
    jinja::context context(impl_->source);
    context.current_time = kDate;
    const auto list = jinja::mk_val<jinja::value_array>();
    for (const ChatMessage& message : messages) {
      const auto entry = jinja::mk_val<jinja::value_object>();
      entry->insert("role", text_value(message.role));
      entry->insert("content", text_value(message.text));
      list->push_back(entry);
    }
    context.set_val("messages", list);
    context.set_val("add_generation_prompt", truth(true));
    context.set_val("bos_token", text_value(impl_->chat_template.begin_of_text));
    context.set_val("eos_token", text_value(impl_->chat_template.end_of_text));
    context.set_val("tools", nothing());
    context.set_val("documents", nothing());
    context.set_val("enable_thinking", truth(false));
    context.set_val("thinking", truth(false));
    context.set_val("thinking_mode", text_value("disabled"));
    context.set_val("thinking_budget", jinja::mk_val<jinja::value_int>(0));
    context.set_val("reasoning_effort", text_value(least_effort(impl_->source)));
    jinja::runtime runtime(context);
    const jinja::value results = runtime.execute(impl_->program);
    std::string text = jinja::runtime::gather_string_parts(results)->as_string().str();
    if (text.size() > kMaxOutput) return Error("it writes more than 32 MB");
    return text;
  } catch (const std::exception& problem) {
    return reason_of(problem);
  }
}

}  // namespace redraft
