#include "lsp/code_actions.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "lsp/convert.h"

namespace redraft::lsp {
namespace {

constexpr char kRewrite[] = "refactor.rewrite";
constexpr char kQuickFix[] = "quickfix";
// A reply stays small whatever the file and its diagnostics are. In bytes, but for the last.
constexpr std::size_t kTitleLimit = 80;  // of a diagnostic's message in a menu
constexpr std::size_t kCodeLimit = 200;
constexpr std::size_t kMessageLimit = 1000;
constexpr std::size_t kDiagnosticLimit = 20;

struct Preset {
  const char* title;
  const char* instruction;
};
constexpr Preset kPresets[] = {
    {"Redraft: fix problems",
     "Find and fix the bugs in this code. Leave everything else as it is."},
    {"Redraft: add documentation",
     "Add documentation comments, in the language's usual form, to the definitions that lack them. "
     "Do not change "
     "any code."},
    {"Redraft: add type annotations",
     "Add type annotations where the language allows them and they are missing."},
    {"Redraft: add error handling",
     "Handle the errors that this code ignores, in the style of the code around it."},
    {"Redraft: simplify", "Simplify this code without changing what it does."},
};

// Kinds are hierarchical: "refactor" wants "refactor.rewrite" too.
bool wanted(const CodeActionParams& params, std::string_view kind) {
  if (!params.only) return true;
  return std::any_of(params.only->begin(), params.only->end(), [&](const std::string& prefix) {
    return prefix.empty() || kind == prefix ||
           (kind.starts_with(prefix) && kind[prefix.size()] == '.');
  });
}

// At most `limit` bytes of UTF-8, cut between characters; "…" says that there was more.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

// The first line.
std::string short_title(std::string_view message) {
  return shortened(message.substr(0, message.find_first_of("\r\n")), kTitleLimit);
}

std::string fix_instruction(const Diagnostic& diagnostic, const Document& document) {
  const LineIndex& lines = document.lines();
  const int line = std::min(diagnostic.range.start.line, lines.line_count() - 1);
  const std::size_t begin = lines.start(line);
  const std::string_view code =
      std::string_view(document.text()).substr(begin, lines.content_end(line) - begin);
  return "Fix this problem in line " + std::to_string(line + 1) + " (`" +
         shortened(code, kCodeLimit) + "`): " + shortened(diagnostic.message, kMessageLimit);
}

class ActionList {
 public:
  ActionList(const CodeActionParams& params, const Document& document,
             const ClientCapabilities& client)
      : params_(params), document_(document), client_(client) {}

  void add(std::string title, const char* kind, std::string instruction,
           const Diagnostic* diagnostic) {
    if (!wanted(params_, kind)) return;
    Json action = {{"title", title}};
    EditParams edit;
    edit.uri = document_.uri();
    edit.version = document_.version();
    if (diagnostic == nullptr) edit.range = selection();
    edit.instruction = std::move(instruction);
    if (client_.prompt) {
      action["command"] = prompt_command(title, edit);
    } else if (client_.resolves_edit_late && client_.code_action_literals) {
      action["data"] = edit;
    } else {
      action["command"] = {
          {"title", title}, {"command", kEditCommand}, {"arguments", Json::array({edit})}};
    }
    if (!client_.code_action_literals) {
      list_.push_back(std::move(action["command"]));
      return;
    }
    action["kind"] = kind;
    if (diagnostic != nullptr) action["diagnostics"] = Json::array({diagnostic->json});
    list_.push_back(std::move(action));
  }

  Json take() { return std::move(list_); }

 private:
  std::optional<Range> selection() const {
    if (params_.range.start == params_.range.end) return std::nullopt;
    return params_.range;
  }

  // An empty instruction asks the user for one.
  static Json prompt_command(const std::string& title, const EditParams& params) {
    Json edit = params;
    if (!edit.contains("range")) edit["range"] = nullptr;
    if (params.instruction.empty()) edit["instruction"] = nullptr;
    return {{"title", title},
            {"command", kPromptCommand},
            {"arguments", Json::array({std::move(edit)})}};
  }

  const CodeActionParams& params_;
  const Document& document_;
  const ClientCapabilities& client_;
  Json list_ = Json::array();
};

}  // namespace

Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client) {
  const bool can_take_edits =
      client.prompt || client.streamed_edits || client.resolves_edit_late || client.apply_edit;
  if (!can_take_edits) return Json::array();
  ActionList list(params, document, client);
  const std::size_t n_fixes = std::min(params.diagnostics.size(), kDiagnosticLimit);
  for (const Diagnostic& diagnostic : std::span(params.diagnostics).first(n_fixes)) {
    list.add("Fix with redraft: " + short_title(diagnostic.message), kQuickFix,
             fix_instruction(diagnostic, document), &diagnostic);
  }
  if (client.prompt) list.add("Edit with redraft…", kRewrite, "", nullptr);
  for (const Preset& preset : kPresets)
    list.add(preset.title, kRewrite, preset.instruction, nullptr);
  return list.take();
}

}  // namespace redraft::lsp
