#include "workspace/edit/import_source.h"

#include <algorithm>
#include <utility>

#include "text/strings/lines.h"
#include "text/strings/names.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// For Python's packages, and JavaScript's and Rust's modules, the folder has the name.
bool is_of_folder(std::string_view stem) {
  return stem == "__init__" || stem == "index" || stem == "mod";
}

fs::path without_extension(fs::path path) {
  path.replace_extension();
  return is_of_folder(path.filename().string()) ? path.parent_path() : path;
}

// "a::b" and "a.b" as a/b.
fs::path as_path(std::string_view dotted, std::string_view separator) {
  fs::path path;
  while (!dotted.empty()) {
    const std::size_t end = std::min(dotted.find(separator), dotted.size());
    if (end > 0) path /= dotted.substr(0, end);
    dotted.remove_prefix(std::min(end + separator.size(), dotted.size()));
  }
  return path;
}

// The text between the last two quotes.
std::string_view last_quoted(std::string_view text) {
  constexpr std::string_view kQuotes = "\"'`>";
  const std::size_t end = text.find_last_of(kQuotes);
  if (end == std::string_view::npos || end == 0) return {};
  const char opening = text[end] == '>' ? '<' : text[end];
  const std::size_t begin = text.rfind(opening, end - 1);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin + 1, end - begin - 1);
}

// The word or sign before `at`.
std::string_view word_before(std::string_view text, std::size_t at) {
  text = trimmed(text.substr(0, at));
  std::size_t begin = text.size();
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  if (begin == text.size() && begin > 0) --begin;
  return text.substr(begin);
}

// The original name of an alias: "load" in "load as other", if `name` is "other".
std::string_view before_as(std::string_view text, std::string_view name) {
  const std::size_t at = find_name(text, name);
  if (at == std::string_view::npos) return {};
  if (word_before(text, at) != "as") return name;
  text = trimmed(text.substr(0, at));
  text = trimmed(text.substr(0, text.size() - 2));
  std::size_t begin = text.size();
  while (begin > 0 && (is_name_byte(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  return text.substr(begin);
}

bool is_around(const fs::path& folder, const fs::path& path) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

}  // namespace

ImportReader::ImportReader(ModuleSystem modules, fs::path importing, fs::path file)
    : modules_(modules),
      importing_(std::move(importing)),
      file_(without_extension(std::move(file))) {}

ImportSource ImportReader::of_name(std::string_view statement, std::string_view name) const {
  if (modules_ == ModuleSystem::kPython) return python(statement, name, false);
  if (modules_ == ModuleSystem::kRust) return rust(statement, name);
  if (modules_ == ModuleSystem::kJava) return java(statement, name);
  if (modules_ != ModuleSystem::kScript) return ImportSource::kPerhaps;
  const std::size_t at = find_name(statement, name);
  if (at == std::string_view::npos) return ImportSource::kAnother;
  const std::string_view before = word_before(statement, at);
  if (before == "as" || before == ":") return ImportSource::kAnother;  // known under another name
  const std::size_t opening = statement.rfind('{', at), closing = statement.rfind('}', at);
  const bool is_in_braces =
      opening != std::string_view::npos && (closing == std::string_view::npos || closing < opening);
  return is_in_braces ? script(statement) : std::min(script(statement), ImportSource::kPerhaps);
}

ImportSource ImportReader::of_module(std::string_view statement, std::string_view name) const {
  if (modules_ == ModuleSystem::kPython) return python(statement, name, true);
  if (modules_ == ModuleSystem::kRust) return rust(statement, {});
  if (modules_ == ModuleSystem::kGo) return go(statement, name);
  if (modules_ != ModuleSystem::kScript) return ImportSource::kPerhaps;
  const std::size_t at = find_name(statement, name);
  if (at == std::string_view::npos) return ImportSource::kAnother;
  const std::string_view behind = trimmed(statement.substr(at + name.size()));
  const bool is_whole = word_before(statement, at) == "as" || behind.starts_with("=");
  return is_whole ? script(statement) : std::min(script(statement), ImportSource::kPerhaps);
}

ImportSource ImportReader::of_all(std::string_view statement) const {
  if (modules_ == ModuleSystem::kInclude) return included(statement);
  const bool is_any = statement.find('*') != std::string_view::npos;
  if (!is_any) return ImportSource::kAnother;
  if (modules_ == ModuleSystem::kPython)
    return std::min(python(statement, {}, false), ImportSource::kPerhaps);
  if (modules_ == ModuleSystem::kRust) return std::min(rust(statement, {}), ImportSource::kPerhaps);
  if (modules_ == ModuleSystem::kJava) return std::min(java(statement, {}), ImportSource::kPerhaps);
  return ImportSource::kAnother;
}

// "from a.b import name", "import a.b as name".
ImportSource ImportReader::python(std::string_view statement, std::string_view name,
                                  bool is_module) const {
  const std::size_t import = find_name(statement, "import");
  if (import == std::string_view::npos) return ImportSource::kAnother;
  const std::string_view names = statement.substr(import + 6);
  const std::string_view meant = name.empty() ? name : before_as(names, name);
  if (!statement.starts_with("from")) {
    if (!is_module) return ImportSource::kAnother;
    return by_parts(as_path(meant, "."));
  }
  const bool is_other = !is_module && !name.empty() && meant != name;
  if (is_other || (meant.empty() && !name.empty())) return ImportSource::kAnother;
  std::string_view module = trimmed(statement.substr(4, import - 4));
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  module.remove_prefix(dots);
  fs::path parts = as_path(module, ".");
  if (is_module) parts /= meant;
  if (dots == 0) return by_parts(parts);
  fs::path folder = importing_.parent_path();
  for (std::size_t i = 1; i < dots; ++i) folder = folder.parent_path();
  const fs::path target = parts.empty() ? folder : folder / parts;
  return target == file_ ? ImportSource::kFile : ImportSource::kAnother;
}

ImportSource ImportReader::script(std::string_view statement) const {
  const std::string_view source = last_quoted(statement);
  if (source.starts_with(".")) {
    const fs::path target = (importing_.parent_path() / source).lexically_normal();
    const bool is_it = target == file_ || without_extension(target) == file_;
    return is_it ? ImportSource::kFile : ImportSource::kAnother;
  }
  // A package, or a folder that the project's settings rename.
  const fs::path path(source);
  const bool is_alike = path.has_parent_path() && path.filename() == file_.filename();
  return is_alike ? ImportSource::kPerhaps : ImportSource::kAnother;
}

// "use crate::a::b::name", "use b::{name, other}"; without a name, for the module itself or
// everything in it.
ImportSource ImportReader::rust(std::string_view statement, std::string_view name) const {
  const std::string module = file_.filename().string();
  const std::size_t at = find_name(statement, module);
  if (at == std::string_view::npos) return ImportSource::kAnother;
  std::string_view behind = statement.substr(at + module.size());
  if (!name.empty()) {
    if (!behind.starts_with("::")) return ImportSource::kAnother;
    behind = trimmed(behind.substr(2));
    const bool is_list = behind.starts_with("{");
    behind = is_list ? behind.substr(1, behind.find('}') - 1) : behind;
    const std::size_t there = find_name(behind, name);
    const bool is_direct = there == 0 || (is_list && there != std::string_view::npos);
    if (!is_direct || word_before(behind, there) == "as") return ImportSource::kAnother;
  }
  std::string_view before = trimmed(statement.substr(0, at));
  if (!before.ends_with("::")) return ImportSource::kPerhaps;
  before.remove_suffix(2);
  const std::string_view parent = word_before(before, before.size());
  if (parent == "crate" || parent == "super" || parent == "self") return ImportSource::kFile;
  return parent == file_.parent_path().filename().string() ? ImportSource::kFile
                                                           : ImportSource::kPerhaps;
}

// A package is a folder; its name is the last part of its path, or another name before it.
ImportSource ImportReader::go(std::string_view statement, std::string_view name) const {
  while (!statement.empty()) {
    const std::string_view line = take_line(statement);
    const fs::path package(last_quoted(line));
    const std::string_view before = word_before(line, line.find('"'));
    const bool has_other_name = !before.empty() && before != "import" && before != "(";
    if (package.empty() || (has_other_name ? before != name : package.filename() != name)) continue;
    const fs::path folder = file_.parent_path();
    if (package.filename() != folder.filename()) return ImportSource::kAnother;
    const bool is_longer = package.parent_path().filename() == folder.parent_path().filename();
    return is_longer ? ImportSource::kFile : ImportSource::kPerhaps;
  }
  return ImportSource::kAnother;
}

// "import a.b.Name;", "import static a.b.Name.of;", "import a.b.*;".
ImportSource ImportReader::java(std::string_view statement, std::string_view name) const {
  std::string_view path = trimmed(statement.substr(0, statement.find(';')));
  for (const std::string_view word : {"import", "static"}) {
    if (path.starts_with(word)) path = trimmed(path.substr(word.size()));
  }
  fs::path parts = as_path(path, ".");
  const fs::path last = parts.filename();
  if (last == "*")
    parts.replace_filename(file_.filename());
  else if (last != file_.filename())
    parts = parts.parent_path();
  const bool is_named = name.empty() || last == "*" || last == name;
  return is_named ? by_parts(parts) : ImportSource::kAnother;
}

// C: the header of a file has its name. C++ has overloads and namespaces, so the answer is unknown.
ImportSource ImportReader::included(std::string_view statement) const {
  const bool is_header = fs::path(last_quoted(statement)).stem() == file_.filename();
  return is_header ? ImportSource::kFile : ImportSource::kAnother;
}

ImportSource ImportReader::by_parts(const fs::path& parts) const {
  fs::path rest = file_, left = parts;
  int count = 0;
  for (; left.has_filename(); left = left.parent_path(), rest = rest.parent_path(), ++count) {
    if (left.filename() != rest.filename()) return ImportSource::kAnother;
  }
  if (count == 0) return ImportSource::kAnother;
  return count > 1 || is_around(rest, importing_) ? ImportSource::kFile : ImportSource::kPerhaps;
}

}  // namespace redraft
