#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/wire/json.h"

namespace redraft::lsp {

// When completions appear in the ordinary completion menu.
enum class CompletionMenu {
  kAuto,  // if the client has no inline completion
  kAlways,
  kNever,
};

// When the prompt of an edit is read before the edit is requested.
enum class ReadAheadWhen {
  kOff,
  kPrompt,  // when the client announces one, as it does while the user types the instruction
  kIdle,    // also where the cursor rests, on mains power
};

// The settings that a user can change while the server runs, with their defaults;
// setting_definitions() says what they mean.
struct Settings {
  std::string decoder;  // a name; empty for the server's choice
  bool index = true;
  bool dependencies = false;
  ReadAheadWhen read_ahead = ReadAheadWhen::kPrompt;
  std::string prompt_size = "auto";  // a name, see parse_prompt_size()
  bool cache_on_disk = true;
  bool load_early = true;
  int unload_after = 15;  // minutes; 0 for never

  struct Completion {
    bool enabled = true;
    int delay = 75;  // milliseconds
    CompletionMenu menu = CompletionMenu::kAuto;
    bool in_comments = true;
    std::map<std::string, bool> languages;  // "*" stands for those that are not listed
    int max_tokens = 128;
    int alternatives = 3;
    // 0: depends on the size of prompts.
    int context_tokens = 0;
    // For all tokens of a suggestion together; 0: no limit.
    double min_probability = 0.4;

    // A language that is not listed is enabled.
    bool enabled_for(const std::string& language) const;
    friend bool operator==(const Completion&, const Completion&) = default;
  } completion;

  struct NextEdit {
    bool enabled = true;
    std::string format = "auto";  // a name, see find_next_edit_format()
    // For all tokens of a change together; 0: no limit.
    double min_probability = 0.3;
    friend bool operator==(const NextEdit&, const NextEdit&) = default;
  } next_edit;

  struct Edit {
    // 0: depends on the size of what is edited.
    int max_tokens = 0;
    friend bool operator==(const Edit&, const Edit&) = default;
  } edit;

  friend bool operator==(const Settings&, const Settings&) = default;
};

// One row of the table from which the server reads settings, and from which the editors' settings
// and the documentation are generated (tools/settings.py).
struct SettingDefinition {
  // Where VS Code lets the user set it. `machine` keeps a workspace from deciding for the user.
  enum class Scope { kWindow, kMachine, kMachineOverridable };

  std::string name;         // below "redraft"; dots separate objects: "completion.delay"
  std::string description;  // one or two sentences of Markdown
  Scope scope = Scope::kWindow;
  Json schema;        // JSON schema: type, default, range or choices
  std::string takes;  // the same for a user: "an integer from 0 to 5000"
  // Sets the setting to `value`. Returns false if the value is invalid: the setting then keeps its
  // value, except that a list or an object takes the valid parts. Empty for an option of the
  // process, which editors pass as an argument when they start it.
  std::function<bool(const Json& value, Settings& settings)> read;

  bool is_start_option() const { return !read; }
};

const std::vector<SettingDefinition>& setting_definitions();

struct ReadSettings {
  Settings settings;
  std::vector<std::string> problems;  // sentences for the user
};

// Reads the section "redraft" of a client's settings: nested objects, dotted names, or a mixture.
// Settings that are missing, null or invalid keep their value in `base`. Members listed in
// `ignored` may appear next to the settings.
ReadSettings read_settings(const Json& section, const Settings& base,
                           const std::vector<std::string_view>& ignored = {});

// The table as JSON, for tools/settings.py.
Json settings_table();

}  // namespace redraft::lsp
