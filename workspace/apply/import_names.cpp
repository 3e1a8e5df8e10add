#include "workspace/apply/import_names.h"

#include <algorithm>

#include "text/strings/joined.h"
#include "text/strings/lines.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"

namespace redraft {
namespace {

constexpr std::string_view kAround = " \t\r\n;";

// On one line, with single blanks, without what ends it.
std::string flat(std::string_view statement) {
  std::string text;
  for (const std::string_view line : split_lines(statement)) (text += trimmed(line)) += ' ';
  return with_single_blanks(trimmed(text, kAround));
}

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  for (const std::string_view name : split_separated(list, ',')) {
    if (!trimmed(name, kAround).empty()) names.emplace_back(trimmed(name, kAround));
  }
  return names;
}

// "from os import path, sep" or "import os, sys".
ImportNames python_names(const std::string& text) {
  const std::size_t import = text.find(" import ");
  if (text.starts_with("from ") && import != std::string::npos) {
    const std::string_view list = std::string_view(text).substr(import + 8);
    return {text.substr(0, import + 7), names_in(trimmed(list, " ()"))};
  }
  if (text.starts_with("import ")) return {"import", names_in(text.substr(7))};
  return {{}, {text}};
}

// "import React, {useState as s} from 'react'".
ImportNames script_names(const std::string& text) {
  const std::size_t from = text.rfind(" from ");
  if (!text.starts_with("import ") || from == std::string::npos) return {{}, {text}};
  ImportNames names{text.substr(from + 6), {}};
  std::replace(names.source.begin(), names.source.end(), '"', '\'');
  std::string_view list = trimmed(std::string_view(text).substr(7, from - 7));
  const bool is_type = list.starts_with("type ") && list.find_first_of("{*,") != std::string::npos;
  if (is_type) list = trimmed(list.substr(5));
  const std::size_t open = list.find('{');
  for (std::string& name : names_in(list.substr(0, open)))
    names.names.push_back(name.starts_with('*') ? name : "default " + name);
  if (open != std::string_view::npos) {
    for (std::string& name : names_in(list.substr(open + 1, list.rfind('}') - open - 1)))
      names.names.push_back(is_type && !name.starts_with("type ") ? "type " + name : name);
  }
  if (names.names.empty()) return {{}, {text}};
  return names;
}

// The paths of an import of Go, with the names that they are given.
ImportNames go_names(std::string_view statement) {
  ImportNames names{"import", {}};
  for (std::string_view line : split_lines(statement)) {
    line = trimmed(line);
    if (line.starts_with("import")) line = trimmed(line.substr(6));
    line = trimmed(line.substr(0, line.find("//")), " \t()");
    if (line.ends_with('"')) names.names.emplace_back(line);
  }
  if (names.names.empty()) return {{}, {flat(statement)}};
  return names;
}

// "use std::{fs, io}" imports "fs" and "io" of "use std::".
ImportNames names_in_braces(const std::string& text) {
  const std::size_t open = text.find('{'), close = text.rfind('}');
  const bool is_nested = open != std::string::npos && text.find('{', open + 1) != std::string::npos;
  if (is_nested) return {{}, {text}};
  if (open != std::string::npos && close != std::string::npos && close > open)
    return {text.substr(0, open), names_in(text.substr(open + 1, close - open - 1))};
  const std::size_t separator = text.find_last_of(":\\.");
  if (separator == std::string::npos || text.find_first_of("\"'<(") != std::string::npos)
    return {{}, {text}};
  return {text.substr(0, separator + 1), {text.substr(separator + 1)}};
}

}  // namespace

bool ImportNames::has_all(const ImportNames& other) const {
  return source == other.source && std::ranges::all_of(other.names, [&](const std::string& name) {
           return std::ranges::find(names, name) != names.end();
         });
}

std::vector<std::string> ImportNames::missing_in(const std::vector<ImportNames>& others) const {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    const bool is_known = std::ranges::any_of(others, [&](const ImportNames& other) {
      return other.has_all({source, {name}});
    });
    if (!is_known) missing.push_back(name);
  }
  return missing;
}

ImportNames import_names(std::string_view statement, ModuleSystem modules) {
  ImportNames names;
  if (modules == ModuleSystem::kGo) {
    names = go_names(statement);
  } else if (modules == ModuleSystem::kPython) {
    names = python_names(flat(statement));
  } else if (modules == ModuleSystem::kScript) {
    names = script_names(flat(statement));
  } else if (modules == ModuleSystem::kInclude) {
    names = {{}, {flat(statement)}};
  } else {
    names = names_in_braces(flat(statement));
  }
  if (names.names.empty()) names = {{}, {flat(statement)}};
  return names;
}

std::optional<std::vector<std::string>> with_more_names(const std::vector<std::string_view>& lines,
                                                        const std::vector<std::string>& more,
                                                        ModuleSystem modules) {
  const bool has_no_list = std::ranges::any_of(more, [](const std::string& name) {
    return name.starts_with("default ") || name.starts_with("* ") || name.starts_with('*');
  });
  if (has_no_list) return std::nullopt;
  std::vector<std::string> result(lines.begin(), lines.end());
  const std::string names = joined(more, ", ");
  if (lines.size() == 1) {
    std::string& line = result.front();
    const bool is_python = modules == ModuleSystem::kPython;
    std::size_t close = is_python ? line.find(')') : line.rfind('}');
    const bool has_comment = is_python && line.find('#') != std::string::npos;
    if (has_comment || line.find('*') != std::string::npos) return std::nullopt;
    if (close == std::string::npos && !is_python) return std::nullopt;
    close = without_space(line, {0, std::min(close, line.size())});
    if (line[close - 1] == ',') --close;
    line.insert(close, ", " + names);
    return result;
  }
  // One name a line; the last line closes the list.
  if (trimmed(lines.back()).find_first_of(")}") != 0 || lines.size() < 3) return std::nullopt;
  std::string& last = result[result.size() - 2];
  const std::string_view text = trimmed(last);
  if (text.empty() || text.find_first_of("#/") != std::string_view::npos) return std::nullopt;
  const bool has_comma = text.ends_with(',');
  const std::string deep(indentation_of(last));
  if (!has_comma) last += ',';
  for (std::size_t i = 0; i < more.size(); ++i)
    result.insert(result.end() - 1, deep + more[i] + (has_comma || i + 1 < more.size() ? "," : ""));
  return result;
}

std::optional<std::string> with_only_names(std::string_view statement,
                                           const std::vector<std::string>& names,
                                           ModuleSystem modules) {
  const std::string text = flat(statement);
  const ImportNames all = import_names(statement, modules);
  if (all.names == names) return std::string(statement);
  const std::string end = trimmed(statement).ends_with(';') ? ";" : "";
  if (modules == ModuleSystem::kPython && !all.source.empty())
    return all.source + " " + joined(names, ", ");
  const bool in_braces = std::ranges::none_of(names, [](const std::string& name) {
    return name.starts_with("default ") || name.starts_with("* ") || name.starts_with("type ");
  });
  if (!in_braces || all.source.empty()) return std::nullopt;
  if (modules == ModuleSystem::kScript)
    return "import { " + joined(names, ", ") + " }" + text.substr(text.rfind(" from ")) + end;
  if (modules == ModuleSystem::kGo) return std::nullopt;
  if (names.size() == 1) return all.source + names.front() + end;
  return all.source + "{" + joined(names, ", ") + "}" + end;
}

}  // namespace redraft
