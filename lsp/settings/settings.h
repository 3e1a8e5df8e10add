#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/wire/json.h"

namespace redraft::lsp {

// When completions stand in the ordinary completion menu.
enum class CompletionMenu {
  kAuto,  // where the client has no inline completion
  kAlways,
  kNever,
};

// What a user can set while the server runs, with its defaults; what it means stands in
// setting_definitions().
struct Settings {
  bool index = true;
  bool dependencies = false;
  std::vector<std::string> common_folders;  // as they are written

  struct Completion {
    bool enabled = true;
    int delay = 75;  // milliseconds
    CompletionMenu menu = CompletionMenu::kAuto;
    bool in_comments = true;
    std::map<std::string, bool> languages;  // "*" stands for those that are not named
    int max_tokens = 128;
    int alternatives = 3;
    int context_tokens = 0;  // 0: as many as the machine reads in a short time

    // Absent means on.
    bool enabled_for(const std::string& language) const;
    friend bool operator==(const Completion&, const Completion&) = default;
  } completion;

  struct NextEdit {
    bool enabled = true;
    friend bool operator==(const NextEdit&, const NextEdit&) = default;
  } next_edit;

  struct Edit {
    int max_tokens = 0;  // 0: by the size of what is edited
    friend bool operator==(const Edit&, const Edit&) = default;
  } edit;

  friend bool operator==(const Settings&, const Settings&) = default;
};

// One row of the table that the server reads settings by and that the editors' settings and the
// documentation are written from (tools/settings.py).
struct SettingDefinition {
  // Where VS Code lets one set it. `machine` keeps a workspace from deciding for the user.
  enum class Scope { kWindow, kMachine, kMachineOverridable };

  std::string name;         // below "redraft"; dots part objects: "completion.delay"
  std::string description;  // one sentence or two, of Markdown
  Scope scope = Scope::kWindow;
  Json schema;        // JSON schema: type, default, range or choices
  std::string takes;  // the same for a user: "an integer from 0 to 5000"
  // Takes `value` over. False: it is not of that kind, and the setting stays as it is. Parts of a
  // list or an object that are not are left out, and false is returned too. Empty for an option of
  // the process, which editors give as an argument when they start it.
  std::function<bool(const Json& value, Settings& settings)> read;

  bool is_start_option() const { return !read; }
};

const std::vector<SettingDefinition>& setting_definitions();

struct ReadSettings {
  Settings settings;
  std::vector<std::string> problems;  // sentences for the user
};

// Reads the section "redraft" of a client's settings: nested objects, dotted names, or both mixed.
// What it does not say, says null about or says wrongly stays as in `base`. Members in `ignored`
// are no settings but may stand beside them.
ReadSettings read_settings(const Json& section, const Settings& base,
                           const std::vector<std::string_view>& ignored = {});

// The table as JSON, for tools/settings.py.
Json settings_table();

}  // namespace redraft::lsp
