// The table of settings. Each row refers to the member that it sets, so the documented default is
// the one in the struct.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "lsp/settings/settings.h"

namespace redraft::lsp {
namespace {

using Scope = SettingDefinition::Scope;
using Definitions = std::vector<SettingDefinition>;

constexpr std::array kMenuNames = {std::pair{"auto", CompletionMenu::kAuto},
                                   std::pair{"always", CompletionMenu::kAlways},
                                   std::pair{"never", CompletionMenu::kNever}};
constexpr std::array kReadAheadNames = {std::pair{"off", ReadAheadWhen::kOff},
                                        std::pair{"prompt", ReadAheadWhen::kPrompt},
                                        std::pair{"idle", ReadAheadWhen::kIdle}};
constexpr std::array kFormatNames = {
    std::pair{"auto", "auto"},         std::pair{"none", "none"},
    std::pair{"sweep", "sweep"},       std::pair{"sweep-v2", "sweep-v2"},
    std::pair{"zeta", "zeta"},         std::pair{"zeta-2", "zeta-2"},
    std::pair{"zeta-2.1", "zeta-2.1"}, std::pair{"instinct", "instinct"}};
constexpr std::array kPromptSizeNames = {std::pair{"auto", "auto"}, std::pair{"small", "small"},
                                         std::pair{"medium", "medium"}, std::pair{"large", "large"},
                                         std::pair{"huge", "huge"}};

// `member`: a function from Settings& to the member's reference.
template <typename Member>
auto default_of(const Member& member) {
  Settings settings;
  return member(settings);
}

template <typename Member>
SettingDefinition boolean(std::string name, Member member, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "boolean"}, {"default", default_of(member)}},
          .takes = "true or false",
          .read = [member](const Json& value, Settings& settings) {
            if (!value.is_boolean()) return false;
            member(settings) = value.get<bool>();
            return true;
          }};
}

template <typename Member>
SettingDefinition integer(std::string name, Member member, int min, int max,
                          std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "integer"},
                     {"minimum", min},
                     {"maximum", max},
                     {"default", default_of(member)}},
          .takes = "an integer from " + std::to_string(min) + " to " + std::to_string(max),
          .read = [member, min, max](const Json& value, Settings& settings) {
            if (!value.is_number_integer()) return false;
            if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT32_MAX) return false;
            const auto number = value.get<std::int64_t>();
            if (number < min || number > max) return false;
            member(settings) = static_cast<int>(number);
            return true;
          }};
}

// Like integer(), for any number.
template <typename Member>
SettingDefinition number(std::string name, Member member, double min, double max,
                         std::string description) {
  const auto shown = [](double bound) { return to_text(Json(bound)); };
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "number"},
                     {"minimum", min},
                     {"maximum", max},
                     {"default", default_of(member)}},
          .takes = "a number from " + shown(min) + " to " + shown(max),
          .read = [member, min, max](const Json& value, Settings& settings) {
            if (!value.is_number()) return false;
            const auto read = value.get<double>();
            if (!(read >= min && read <= max)) return false;
            member(settings) = read;
            return true;
          }};
}

template <typename Member>
SettingDefinition switches(std::string name, Member member, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "object"},
                     {"additionalProperties", {{"type", "boolean"}}},
                     {"default", Json::object()}},
          .takes = "an object whose values are true or false",
          .read = [member](const Json& value, Settings& settings) {
            if (!value.is_object() && !(value.is_array() && value.empty())) return false;
            member(settings).clear();
            for (auto item = value.begin(); item != value.end(); ++item) {
              if (item->is_boolean()) member(settings)[item.key()] = item->template get<bool>();
            }
            return member(settings).size() == value.size();
          }};
}

template <typename Member>
SettingDefinition text(std::string name, Member member, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "string"}, {"default", default_of(member)}},
          .takes = "a text",
          .read = [member](const Json& value, Settings& settings) {
            if (!value.is_string()) return false;
            member(settings) = value.get<std::string>();
            return true;
          }};
}

// `names`: pairs of a text and the value that it stands for.
template <typename Member, typename Names>
SettingDefinition choice(std::string name, Member member, const Names& names,
                         std::string description) {
  Json texts = Json::array();
  std::string takes, default_text;
  for (const auto& [text, value] : names) {
    texts.push_back(text);
    takes += (takes.empty() ? "" : " or ") + ('"' + std::string(text) + '"');
    if (value == default_of(member)) default_text = text;
  }
  return {.name = std::move(name),
          .description = std::move(description),
          .schema = {{"type", "string"}, {"enum", texts}, {"default", default_text}},
          .takes = std::move(takes),
          .read = [member, &names](const Json& value, Settings& settings) {
            const auto found = std::ranges::find_if(names, [&](const auto& entry) {
              return value.is_string() && value == entry.first;
            });
            if (found == names.end()) return false;
            member(settings) = found->second;
            return true;
          }};
}

SettingDefinition start_option(std::string name, Json schema, std::string takes,
                               std::string description, Scope scope = Scope::kMachineOverridable) {
  return {.name = std::move(name),
          .description = std::move(description),
          .scope = scope,
          .schema = std::move(schema),
          .takes = std::move(takes),
          .read = nullptr};
}

SettingDefinition with_scope(Scope scope, SettingDefinition definition) {
  definition.scope = scope;
  return definition;
}

void add_start_options(Definitions& all) {
  const auto text = [](const char* value) { return Json{{"type", "string"}, {"default", value}}; };
  all.push_back(
      start_option("path", text(""), "a text",
                   "The redraft executable: a path, or a name that is looked up in `PATH`. If "
                   "empty, the executable in the extension if there is one, otherwise `redraft`."));
  all.push_back(start_option("target", text(""), "a text",
                             "The model that writes: a name from `redraft models list` or, with a "
                             "slash, the path of a model file. If empty, redraft chooses."));
  all.push_back(start_option("draft", text(""), "a text",
                             "A small draft model that guesses ahead, by name or path. If empty, "
                             "there is none, which takes less memory."));
  all.push_back(start_option("head", text(""), "a text",
                             "The folder of a draft head that was trained for the target. It "
                             "guesses ahead at a small part of a draft model's cost. If empty, "
                             "there is none."));
  // Scope machine: only the user decides which additional models take memory.
  all.push_back(start_option("completion.model", text(""), "a text",
                             "A smaller model that writes completions, by name or path. The first "
                             "completion loads it in addition to `redraft.target`. If empty, the "
                             "target writes them.",
                             Scope::kMachine));
  all.push_back(start_option("nextEdit.model", text(""), "a text",
                             "A model that writes next edits, by name or path. A model that was "
                             "trained for them gets its own prompt format "
                             "(`redraft.nextEdit.format`). If empty, the target writes them.",
                             Scope::kMachine));
  // Scope machine: only the user decides where text is sent.
  all.push_back(start_option(
      "remote", text(""), "a text",
      "The address of a server that runs the model, for example `https://gpu.example:8000`. **The "
      "edited text is sent there** (docs/remote.md). If `redraft.target` is set too, the local "
      "model "
      "writes while the server cannot be reached.",
      Scope::kMachine));
  all.push_back(start_option("remoteModel", text(""), "a text",
                             "The name of that server's model. If empty, its only one.",
                             Scope::kMachine));
  all.push_back(start_option(
      "arguments", {{"type", "array"}, {"items", {{"type", "string"}}}, {"default", Json::array()}},
      "a list of texts",
      "Further arguments of `redraft lsp`, for example `[\"--threads\", \"4\"]`."));
  // Only an argument, because in some editors a workspace file sets settings: it must not make the
  // server read other folders. Scope machine for the same reason.
  all.push_back(
      start_option("commonFolders",
                   {{"type", "array"}, {"items", {{"type", "string"}}}, {"default", Json::array()}},
                   "a list of texts",
                   "Other folders of code to draft from, for example "
                   "`[\"~/.cargo/registry/src\"]`. Each becomes "
                   "an argument `--common` of `redraft lsp`.",
                   Scope::kMachine));
  all.push_back(start_option(
      "trace.server",
      {{"type", "string"}, {"enum", {"off", "messages", "verbose"}}, {"default", "off"}},
      "\"off\", \"messages\" or \"verbose\"",
      "Logs the messages between the editor and the server in the output channel.",
      Scope::kWindow));
}

void add_decoder(Definitions& all) {
  // Scope machine: a file in a workspace must not make a lossy decoder write.
  all.push_back(with_scope(
      Scope::kMachine,
      text(
          "decoder", [](Settings & s) -> auto& { return s.decoder; },
          "The decoder for edits, completions and next edits: a name from `redraft decoders`. If "
          "empty, the fastest lossless one: `redraft`, or `redraft:model` with a draft model. "
          "Lossy decoders may write a different text than the model would; they run only if "
          "named here or in a request.")));
}

void add_sources(Definitions& all) {
  all.push_back(boolean(
      "index", [](Settings& s) -> bool& { return s.index; },
      "Index the workspace's files in the background, to draft from them."));
  all.push_back(boolean(
      "dependencies", [](Settings& s) -> bool& { return s.dependencies; },
      "Also draft from packages that are installed in the workspace (`node_modules`, "
      "`site-packages` and similar folders)."));
}

void add_completion(Definitions& all) {
  all.push_back(boolean(
      "completion.enabled", [](Settings& s) -> bool& { return s.completion.enabled; },
      "Offer completions."));
  all.push_back(integer(
      "completion.delay", [](Settings& s) -> int& { return s.completion.delay; }, 0, 5000,
      "How long to wait after the last keystroke before requesting a completion, in "
      "milliseconds."));
  all.push_back(choice(
      "completion.menu", [](Settings& s) -> CompletionMenu& { return s.completion.menu; },
      kMenuNames,
      "Offer completions in the ordinary completion menu. `auto`: only if the editor does not "
      "support inline completion."));
  all.push_back(boolean(
      "completion.inComments", [](Settings& s) -> bool& { return s.completion.in_comments; },
      "Also complete in comments."));
  all.push_back(switches(
      "completion.languages", [](Settings & s) -> auto& { return s.completion.languages; },
      "Turns completion on or off by language id, for example `{\"markdown\": false}`. `*` "
      "stands for all languages that are not listed; they are on by default."));
  all.push_back(integer(
      "completion.maxTokens", [](Settings& s) -> int& { return s.completion.max_tokens; }, 1, 1024,
      "The maximum number of tokens in a completion."));
  all.push_back(integer(
      "completion.alternatives", [](Settings& s) -> int& { return s.completion.alternatives; }, 1,
      5, "How many completions an explicit request (a key or a command) offers."));
  all.push_back(integer(
      "completion.contextTokens", [](Settings& s) -> int& { return s.completion.context_tokens; },
      0, 8192,
      "How many tokens of code the model reads for a completion. 0: depends on `promptSize`."));
  all.push_back(number(
      "completion.minProbability",
      [](Settings& s) -> double& { return s.completion.min_probability; }, 0, 1,
      "While you type, a completion is cut off where its total probability, according to the "
      "model, falls below this value. 0: no limit. An explicit request always shows the whole "
      "completion."));
}

void add_edits(Definitions& all) {
  all.push_back(boolean(
      "nextEdit.enabled", [](Settings& s) -> bool& { return s.next_edit.enabled; },
      "Propose edits that follow from your latest changes."));
  all.push_back(choice(
      "nextEdit.format", [](Settings& s) -> std::string& { return s.next_edit.format; },
      kFormatNames,
      "The prompt format for a model that was trained to write next edits. `auto`: by its name. "
      "`none`: the format for any other model."));
  all.push_back(number(
      "nextEdit.minProbability", [](Settings& s) -> double& { return s.next_edit.min_probability; },
      0, 1,
      "A next edit is proposed only if its total probability, according to the model, is at least "
      "this value. 0: no limit. Does not apply to models that were trained to write next edits."));
  all.push_back(integer(
      "edit.maxTokens", [](Settings& s) -> int& { return s.edit.max_tokens; }, 0, 65536,
      "The maximum number of tokens that an edit may write. 0: depends on the size of the edited "
      "code."));
  // Scope machine: a file in a workspace must not decide what is written to the user's disk.
  all.push_back(with_scope(
      Scope::kMachine, boolean(
                           "cacheOnDisk", [](Settings& s) -> bool& { return s.cache_on_disk; },
                           "Keep what the model has computed for edited files in the user's cache "
                           "folder, so that it does not read them again after a restart: at most "
                           "2 GiB. `redraft cache` lists and erases it.")));
}

void add_reading(Definitions& all) {
  all.push_back(choice(
      "promptSize", [](Settings& s) -> std::string& { return s.prompt_size; }, kPromptSizeNames,
      "How much code the model reads for a request, and how large a region it edits around the "
      "cursor. `auto`: a size that suits the machine and the model, which redraft chooses once and "
      "keeps."));
  all.push_back(boolean(
      "loadEarly", [](Settings& s) -> bool& { return s.load_early; },
      "Load the model as soon as a file of a known language is open, if there is enough memory, "
      "instead of with the first request."));
  all.push_back(integer(
      "unloadAfter", [](Settings& s) -> int& { return s.unload_after; }, 0, 10080,
      "Unload the model after this many minutes without a request; the next request loads it "
      "again. 0: never. If editors share a model, the longest of their times applies."));
  all.push_back(choice(
      "readAhead", [](Settings& s) -> ReadAheadWhen& { return s.read_ahead; }, kReadAheadNames,
      "When the model reads a prompt ahead of the request. `prompt`: for an edit while you type "
      "the "
      "instruction or select lines, for completions after a jump, and for next edits after a "
      "change. `idle`: also for an edit wherever the cursor rests, on mains power. `off`: never."));
}

const char* to_string(Scope scope) {
  switch (scope) {
    case Scope::kWindow:
      return "window";
    case Scope::kMachine:
      return "machine";
    case Scope::kMachineOverridable:
      break;
  }
  return "machine-overridable";
}

}  // namespace

const Definitions& setting_definitions() {
  static const Definitions definitions = [] {
    Definitions all;
    add_start_options(all);
    add_decoder(all);
    add_sources(all);
    add_completion(all);
    add_edits(all);
    add_reading(all);
    return all;
  }();
  return definitions;
}

Json settings_table() {
  Json table = Json::array();
  for (const SettingDefinition& definition : setting_definitions()) {
    table.push_back({{"name", definition.name},
                     {"description", definition.description},
                     {"scope", to_string(definition.scope)},
                     {"start", definition.is_start_option()},
                     {"takes", definition.takes},
                     {"schema", definition.schema}});
  }
  return table;
}

}  // namespace redraft::lsp
