#include "lsp/settings/settings.h"

#include <algorithm>

namespace redraft::lsp {
namespace {

// A value in a message, shortened.
std::string shown(const Json& value) {
  constexpr std::size_t kMaxBytes = 60;
  std::string text = to_text(value);
  if (text.size() <= kMaxBytes) return text;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return value.is_string() ? "a long text" : text.substr(0, kMaxBytes);
}

bool starts_group(const std::string& name, const std::string& group) {
  return name.size() > group.size() && name.starts_with(group) && name[group.size()] == '.';
}

class Reader {
 public:
  Reader(const Settings& base, const std::vector<std::string_view>& ignored) : ignored_(ignored) {
    result_.settings = base;
  }

  // `prefix` is the dotted name of the object that holds `members`, with a trailing dot; empty at
  // the top.
  void read_members(const Json& members, const std::string& prefix) {
    for (const auto& [key, value] : members.items()) {
      if (value.is_null()) continue;
      if (prefix.empty() && std::find(ignored_.begin(), ignored_.end(), key) != ignored_.end())
        continue;
      read_member(prefix + key, value);
    }
  }

  ReadSettings take() { return std::move(result_); }

 private:
  void read_member(const std::string& name, const Json& value) {
    const std::vector<SettingDefinition>& all = setting_definitions();
    const auto setting = std::find_if(
        all.begin(), all.end(), [&](const auto& definition) { return definition.name == name; });
    if (setting != all.end()) {
      read_setting(*setting, value);
    } else if (std::none_of(all.begin(), all.end(), [&](const auto& definition) {
                 return starts_group(definition.name, name);
               })) {
      problem("redraft." + name.substr(0, 60) + " is not a setting.");
    } else if (value.is_object() || (value.is_array() && value.empty())) {
      read_members(value.is_object() ? value : Json::object(), name + ".");
    } else {
      problem("redraft." + name + " takes an object of settings, not " + shown(value) + ".");
    }
  }

  void read_setting(const SettingDefinition& setting, const Json& value) {
    if (setting.is_start_option() || setting.read(value, result_.settings)) return;
    const bool in_part =
        value.is_structured() && value.type() == setting.schema.at("default").type();
    problem("redraft." + setting.name + " takes " + setting.takes + ", not " + shown(value) +
            (in_part ? ". The valid parts apply." : ". The default applies."));
  }

  void problem(std::string text) { result_.problems.push_back(std::move(text)); }

  const std::vector<std::string_view>& ignored_;
  ReadSettings result_;
};

}  // namespace

bool Settings::Completion::enabled_for(const std::string& language) const {
  if (!enabled) return false;
  const auto named = languages.find(language);
  if (named != languages.end()) return named->second;
  const auto others = languages.find("*");
  return others == languages.end() || others->second;
}

ReadSettings read_settings(const Json& section, const Settings& base,
                           const std::vector<std::string_view>& ignored) {
  Reader reader(base, ignored);
  if (section.is_object()) {
    reader.read_members(section, "");
    return reader.take();
  }
  ReadSettings result = reader.take();
  if (!section.is_null() && !(section.is_array() && section.empty()))
    result.problems.push_back("redraft takes an object of settings, not " + shown(section) + ".");
  return result;
}

}  // namespace redraft::lsp
