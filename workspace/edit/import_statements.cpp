#include "workspace/edit/import_statements.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "indexing/syntax/name_uses.h"
#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"
#include "workspace/documents/text_edit.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxLineBytes = 100;

std::string_view text_of(const SyntaxTree& tree, const ByteRange& range) {
  return std::string_view(tree.text()).substr(range.begin, range.size());
}

// The parts between commas, trimmed, with where they are in `list`; empty parts are left out.
std::vector<ByteRange> parts_of(std::string_view list) {
  std::vector<ByteRange> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string_view part = trimmed(list.substr(begin, end - begin), " \t\r\n");
    if (!part.empty()) {
      const auto at = static_cast<std::size_t>(part.data() - list.data());
      parts.push_back({at, at + part.size()});
    }
    begin = end + 1;
  }
  return parts;
}

// `list` with one more name: in its order, if it has one. A list on several lines has one on each.
std::string with_name(std::string list, const std::string& name) {
  const std::vector<ByteRange> parts = parts_of(list);
  std::vector<std::string> names;
  for (const ByteRange& part : parts) names.push_back(list.substr(part.begin, part.size()));
  if (names.empty() || std::ranges::find(names, name) != names.end()) return list;
  std::size_t at = names.size();
  if (std::ranges::is_sorted(names))
    at = static_cast<std::size_t>(std::ranges::lower_bound(names, name) - names.begin());
  std::string between = ", ";
  const std::size_t line = line_start(list, parts.back().begin);
  if (line > 0)  // it has several lines
    between = ",\n" + list.substr(line, skip_blanks(list, line) - line);
  if (at == names.size()) return list.insert(parts.back().end, between + name);
  return list.insert(parts[at].begin, name + between);
}

// What stands before and behind "{name}" in the form of names' imports, for a module.
std::pair<std::string, std::string> around_name(const StandardModules& standard,
                                                const std::string& module) {
  std::string form(standard.name_form);
  if (const std::size_t at = form.find("{module}"); at != form.npos) form.replace(at, 8, module);
  const std::size_t at = form.find("{name}");
  return {form.substr(0, at), at == form.npos ? std::string() : form.substr(at + 6)};
}

// The statement with one more name; nothing: it is not one of this module, or of another form.
std::optional<std::string> joined(const StandardModules& standard, std::string_view statement,
                                  const NeededImport& import) {
  const auto [before, behind] = around_name(standard, import.module);
  const bool fits = standard.joins_names && !import.name.empty() && statement.starts_with(before) &&
                    statement.ends_with(behind) && statement.size() > before.size() + behind.size();
  if (!fits) return std::nullopt;
  const std::string list(
      statement.substr(before.size(), statement.size() - before.size() - behind.size()));
  if (list.find_first_of("*#:") != list.npos) return std::nullopt;
  const bool has_brackets = list.starts_with('(') || list.starts_with('{');
  std::string result;
  if (has_brackets) {
    result = before + list.front() + with_name(list.substr(1, list.size() - 2), import.name) +
             list.back() + behind;
  } else if (standard.brackets.empty()) {
    result = before + with_name(list, import.name) + behind;
  } else {
    result = before + standard.brackets.front() + with_name(list, import.name) +
             standard.brackets.back() + behind;
  }
  const bool is_long = result.find('\n') == result.npos && result.size() > kMaxLineBytes;
  return is_long ? std::nullopt : std::optional(result);
}

// Go: the statement with one more line between its brackets.
std::optional<std::string> with_line(std::string_view statement, const std::string& line) {
  const std::size_t open = statement.find("(\n"), close = statement.rfind("\n)");
  const std::size_t path = line.find('"');
  const bool is_group = open != statement.npos && close != statement.npos && open < close &&
                        path != line.npos && line.find("import ") == 0;
  if (!is_group) return std::nullopt;
  std::string result(statement);
  const std::string wanted = line.substr(path);
  std::size_t at = close + 1;  // behind all lines
  // The first paths are those of the standard library.
  for (std::size_t begin = open + 2; begin < close + 1;) {
    const std::size_t end = line_end(statement, begin);
    const std::string_view own = trimmed(statement.substr(begin, end - begin));
    if (own.empty() || (own.starts_with('"') && own > wanted)) {
      at = begin;
      break;
    }
    begin = end + 1;
  }
  const std::size_t first = open + 2;
  const std::string indentation = result.substr(first, skip_blanks(statement, first) - first);
  return result.insert(at, indentation + wanted + "\n");
}

// Behind the last line above all definitions that calls a word that imports
// (Language::import_words) at the left margin; the given place if there is none.
std::size_t behind_calls(const SyntaxTree& tree, std::size_t place) {
  const std::string& text = tree.text();
  const std::vector<Definition> definitions = tree.definitions();
  const std::size_t stop = definitions.empty() ? text.size() : definitions.front().range.begin;
  for (std::size_t line = 0; line < stop;) {
    const std::size_t end = line_end(text, line);
    const std::string_view whole = std::string_view(text).substr(line, end - line);
    const bool imports =
        !whole.empty() && !is_blank(whole.front()) &&
        std::ranges::any_of(split_words(tree.language().import_words), [&](std::string_view word) {
          return whole.find(std::string(word) + "(") != whole.npos;
        });
    line = std::min(end + 1, text.size());
    if (imports) place = line;
    if (end == text.size()) break;
  }
  return place;
}

bool declares_within(const SyntaxTree& tree, const std::string& name, const ByteRange& range) {
  const std::optional<NameMeanings> meanings = tree.meanings_of(name);
  return meanings && std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
           return std::ranges::any_of(thing.uses, [&](const NameUse& use) {
             return use.declares && range.contains(use.range);
           });
         });
}

}  // namespace

std::vector<NeededImport> split_import(std::string_view statement, const SyntaxTree& tree) {
  const std::string whole(statement);
  const Language& language = tree.language();
  if (language.modules != ModuleSystem::kPython || whole.find_first_of("(#\n\\") != whole.npos)
    return {{whole}};
  const std::size_t from = whole.starts_with("from ") ? whole.find(" import ") : whole.npos;
  const bool is_plain = whole.starts_with("import ");
  if (from == whole.npos && !is_plain) return {{whole}};
  const std::string head = is_plain ? "import " : whole.substr(0, from + 8);
  const std::string module = is_plain ? std::string() : whole.substr(5, from - 5);
  std::vector<NeededImport> all;
  const std::string list = whole.substr(head.size());
  for (const ByteRange& part : parts_of(list)) {
    const std::string name = list.substr(part.begin, part.size());
    if (name == "*") return {{whole}};
    all.push_back({head + name, module, is_plain ? std::string() : name});
  }
  return all;
}

std::vector<std::string> names_bound_by(const SyntaxTree& tree, const Import& import) {
  const ModuleSystem modules = tree.language().modules;
  const std::string_view statement = text_of(tree, import.range);
  if (statement.find('*') != statement.npos || statement.find("__future__") != statement.npos)
    return {};
  std::vector<std::string> names;
  const auto add_last_name = [&](std::string_view text) {
    std::size_t end = text.size();
    while (end > 0 && !is_name_byte(text[end - 1])) --end;
    std::size_t begin = end;
    while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
    if (begin < end) names.emplace_back(text.substr(begin, end - begin));
  };
  switch (modules) {
    case ModuleSystem::kPython:
    case ModuleSystem::kScript:
      for (const ByteRange& name : tree.identifiers(import.range)) {
        const std::string text(text_of(tree, name));
        if (declares_within(tree, text, import.range)) names.push_back(text);
      }
      return names;
    case ModuleSystem::kJava:
      add_last_name(statement);
      return names;
    case ModuleSystem::kGo:  // a group is several
      if (statement.find('(') == statement.npos && statement.starts_with("import \""))
        add_last_name(statement);
      return names;
    case ModuleSystem::kUnknown:
    case ModuleSystem::kRust:  // a trait is used where its name does not stand
    case ModuleSystem::kCSharp:
    case ModuleSystem::kInclude:
      return {};
  }
  return {};
}

bool uses_one_of(const SyntaxTree& tree, const std::vector<std::string>& names) {
  const std::string& text = tree.text();
  const Imports imports = tree.imports();
  return std::ranges::any_of(names, [&](const std::string& name) {
    for (std::size_t at = find_name(text, name); at != text.npos;
         at = find_name(text, name, at + 1)) {
      const bool is_import = std::ranges::any_of(imports.all, [&](const Import& one) {
        return one.range.contains(ByteRange{at, at + name.size()});
      });
      if (!is_import) return true;
    }
    return false;
  });
}

std::string with_imports(const SyntaxTree& tree, const std::vector<NeededImport>& imports) {
  const Imports existing = tree.imports();
  const std::string& text = tree.text();
  const std::string ending = text.find("\r\n") == text.npos ? "\n" : "\r\n";
  const StandardModules* const standard = tree.language().standard_modules;
  std::vector<std::string> statements;  // as they are now
  for (const Import& one : existing.all) statements.emplace_back(text_of(tree, one.range));
  std::string lines;
  for (const NeededImport& import : imports) {
    bool is_joined = false;
    for (std::size_t i = 0; i < statements.size() && !is_joined; ++i) {
      if (existing.all[i].in_function || !existing.all[i].is_direct) continue;
      std::optional<std::string> now;
      if (standard != nullptr) now = joined(*standard, statements[i], import);
      if (!now && tree.language().modules == ModuleSystem::kGo && ending == "\n")
        now = with_line(statements[i], import.statement);
      is_joined = now.has_value();
      if (now) statements[i] = *std::move(now);
    }
    if (!is_joined) lines += import.statement + ending;
  }
  std::size_t place = existing.place;
  if (existing.all.empty()) place = behind_calls(tree, place);
  if (existing.all.empty() && place == existing.place && !lines.empty()) lines += ending;
  std::vector<TextEdit> edits;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    if (statements[i] != text_of(tree, existing.all[i].range))
      edits.push_back({existing.all[i].range, statements[i]});
  }
  if (!lines.empty()) edits.push_back({{place, place}, lines});
  std::ranges::stable_sort(edits, {}, [](const TextEdit& edit) { return edit.range.begin; });
  return apply_edits(text, edits);
}

}  // namespace redraft
