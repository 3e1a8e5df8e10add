#include "lsp/features/code_actions.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "languages/languages.h"
#include "lsp/features/diagnostics.h"
#include "lsp/features/instruction_comment.h"
#include "lsp/wire/convert.h"
#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

constexpr char kRewrite[] = "refactor.rewrite";
constexpr char kQuickFix[] = "quickfix";
// Keeps a reply small regardless of the file and its diagnostics. In bytes.
constexpr std::size_t kTitleLimit = 80;  // of a diagnostic's message in a menu

const char* no_code(const std::string& language_id) {
  const Language* const language = find_language(language_id);
  return language == nullptr || language->is_code() ? nullptr : "this file is not code";
}

const char* no_types(const std::string& language_id) {
  if (const char* reason = no_code(language_id)) return reason;
  const Language* const language = find_language(language_id);
  const bool are_optional = language != nullptr && language->has_optional_types;
  return are_optional ? nullptr : "this language already requires types";
}

struct Preset {
  const char* title;
  const char* instruction;
  // Returns why the action makes no sense in a language; null if it does make sense.
  const char* (*why_not)(const std::string& language_id);
};
constexpr Preset kPresets[] = {
    {"Redraft: fix problems", "Find and fix the bugs in this code. Leave everything else as it is.",
     [](const std::string&) -> const char* { return nullptr; }},
    {"Redraft: add documentation",
     "Add documentation comments, in the language's usual form, to the definitions that lack them. "
     "Do not change any code.",
     no_code},
    {"Redraft: add type annotations",
     "Add type annotations where the language allows them and they are missing.", no_types},
    {"Redraft: add error handling",
     "Handle the errors that this code ignores, in the style of the code around it.", no_code},
    {"Redraft: write tests",
     "Add tests of this code behind it, in the form that tests of this language usually have. "
     "Leave "
     "the code itself as it is.",
     no_code},
    {"Redraft: simplify", "Simplify this code without changing what it does.", no_code},
};

// Kinds are hierarchical: a client that wants "refactor" also wants "refactor.rewrite".
bool wanted(const CodeActionParams& params, std::string_view kind) {
  if (!params.only) return true;
  return std::any_of(params.only->begin(), params.only->end(), [&](const std::string& prefix) {
    return prefix.empty() || kind == prefix ||
           (kind.starts_with(prefix) && kind[prefix.size()] == '.');
  });
}

// The first line.
std::string short_title(std::string_view message) {
  return shortened(message.substr(0, message.find_first_of("\r\n")), kTitleLimit);
}

// An edit takes seconds. Many clients block while an action is resolved, and some give up after ten
// seconds. A client that can receive the edit later and show its progress gets a command instead.
bool resolves_actions(const ClientCapabilities& client) {
  return client.resolves_edit_late && client.code_action_literals &&
         !(client.apply_edit && client.work_done_progress);
}

bool takes_edits(const ClientCapabilities& client) {
  return client.prompt || client.streamed_edits || client.resolves_edit_late || client.apply_edit;
}

class ActionList {
 public:
  ActionList(const CodeActionParams& params, const Document& document,
             const ClientCapabilities& client)
      : params_(params), document_(document), client_(client) {}

  // With an empty `range` the server chooses what to edit around it.
  void add(const std::string& title, const char* kind, std::string instruction, const Range& range,
           const Diagnostic* diagnostic) {
    EditParams edit = edit_of(range, std::move(instruction));
    if (diagnostic != nullptr) edit.diagnostics = {*diagnostic};
    add(title, kind, client_.prompt ? prompt_argument(edit) : Json(edit), diagnostic);
  }

  // Adds the instruction in a comment within the range. A cursor on a comment means the code below
  // it.
  void add_comment() {
    const ByteRange range = to_bytes(document_, params_.range, client_.encoding);
    const std::optional<InstructionComment> found = find_instruction(document_, range);
    if (!found) return;
    const Range place = range.empty()
                            ? to_range(document_, {found->below, found->below}, client_.encoding)
                            : params_.range;
    EditParams edit = edit_of(place, found->instruction);
    Json request = edit;
    request[kCommentLine] = found->line;
    add("Redraft: " + short_title(found->instruction), kRewrite, std::move(request), nullptr);
  }

  void add_offered(const OfferedEdit& offered) {
    if (!wanted(params_, kRewrite) || !client_.code_action_literals) return;
    list_.push_back({{"title", offered.title}, {"kind", kRewrite}, {"edit", offered.edit}});
  }

  void add_disabled(const std::string& title, const char* kind, const char* reason) {
    if (!wanted(params_, kind) || !client_.disabled_actions || !client_.code_action_literals)
      return;
    list_.push_back({{"title", title}, {"kind", kind}, {"disabled", {{"reason", reason}}}});
  }

  Json take() { return std::move(list_); }

 private:
  EditParams edit_of(const Range& range, std::string instruction) const {
    EditParams edit;
    edit.uri = document_.uri();
    edit.version = document_.version();
    edit.range = range;
    if (range.start == range.end) edit.scope = kAutomaticScope;
    edit.instruction = std::move(instruction);
    return edit;
  }

  // The client sends `request` back when the user chooses the edit.
  void add(const std::string& title, const char* kind, Json request, const Diagnostic* diagnostic) {
    if (!wanted(params_, kind)) return;
    Json action = {{"title", title}};
    if (!client_.prompt && resolves_actions(client_)) {
      action["data"] = std::move(request);
    } else {
      action["command"] = {{"title", title},
                           {"command", client_.prompt ? kPromptCommand : kEditCommand},
                           {"arguments", Json::array({std::move(request)})}};
    }
    if (!client_.code_action_literals) {
      list_.push_back(std::move(action["command"]));
      return;
    }
    action["kind"] = kind;
    if (diagnostic != nullptr) action["diagnostics"] = Json::array({diagnostic->json});
    list_.push_back(std::move(action));
  }

  // With an empty instruction the client asks the user for one.
  static Json prompt_argument(const EditParams& params) {
    Json edit = params;
    if (params.instruction.empty()) edit["instruction"] = nullptr;
    return edit;
  }

  const CodeActionParams& params_;
  const Document& document_;
  const ClientCapabilities& client_;
  Json list_ = Json::array();
};

}  // namespace

Json disabled_actions(const CodeActionParams& params, const std::string& reason,
                      const ClientCapabilities& client) {
  const bool shown = takes_edits(client) && client.disabled_actions && client.code_action_literals;
  if (!shown || !wanted(params, kRewrite)) return Json::array();
  return Json::array(
      {{{"title", "Edit with redraft…"}, {"kind", kRewrite}, {"disabled", {{"reason", reason}}}}});
}

Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client, const std::vector<OfferedEdit>& offered) {
  if (!takes_edits(client)) return Json::array();
  ActionList list(params, document, client);
  for (const OfferedEdit& edit : offered) list.add_offered(edit);
  const std::size_t n_fixes = std::min(params.diagnostics.size(), kMaxDiagnostics);
  for (const Diagnostic& diagnostic : std::span(params.diagnostics).first(n_fixes)) {
    list.add("Fix with redraft: " + short_title(diagnostic.message), kQuickFix,
             fix_instruction({diagnostic}, document),
             {diagnostic.range.start, diagnostic.range.start}, &diagnostic);
  }
  if (client.prompt) {
    list.add("Edit with redraft…", kRewrite, "", params.range, nullptr);
  } else {
    list.add_comment();
  }
  for (const Preset& preset : kPresets) {
    if (const char* reason = preset.why_not(document.language_id())) {
      list.add_disabled(preset.title, kRewrite, reason);
    } else {
      list.add(preset.title, kRewrite, preset.instruction, params.range, nullptr);
    }
  }
  return list.take();
}

}  // namespace redraft::lsp
