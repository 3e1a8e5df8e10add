// Imports go next to those that they are next to in the snippet, otherwise into the order of the
// file's imports, otherwise below the last import or what stands above imports. Where the language
// demands a place, that decides: Python's "from __future__" comes before all other statements, and
// imports of Go go into the parentheses of those that the file has.
#include "workspace/apply/import_place.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "indexing/syntax/imports.h"
#include "languages/language.h"
#include "text/strings/joined.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/import_names.h"

namespace redraft {
namespace {

using Kind = SnippetElement::Kind;

// An import of the file, by its lines.
struct FileImport {
  int begin = 0, end = 0;
  ImportNames names;
  bool is_direct = false;
};

class ImportPlacer {
 public:
  ImportPlacer(const FileLines& file, const SyntaxTree& tree, const SnippetParts& snippet)
      : file_(file), snippet_(snippet), modules_(*tree.language().modules) {
    const Imports imports = tree.imports();
    place_ = file.line_of(imports.place);
    for (const Import& one : imports.all) {
      const auto [begin, end] = file.lines_of(one.range);
      const std::string text = tree.text().substr(one.range.begin, one.range.size());
      imports_.push_back(
          {begin, end, import_names(text, modules_), one.is_direct && !one.in_function});
      names_.push_back(imports_.back().names);
    }
  }

  Result<std::vector<LineSpan>> place_all() {
    for (const SnippetElement& element : snippet_.elements) {
      if (element.kind != Kind::kImport) continue;
      if (const Result<void> placed = place(element); !placed) return placed.error();
    }
    for (auto& [line, lines] : inserted_) add(line, line, separated(line, lines));
    return std::move(spans_);
  }

 private:
  Result<void> place(const SnippetElement& element) {
    const std::vector<std::string> lines = snippet_.lines_between(element.begin, element.end);
    const std::string text = joined(lines, "\n");
    const ImportNames wanted = import_names(text, modules_);
    const std::vector<std::string> missing = wanted.missing_in(names_);
    if (missing.empty()) return {};
    names_.push_back(wanted);
    if (modules_ == ModuleSystem::kGo && !wanted.source.empty()) return place_paths(missing, lines);
    const FileImport* const same = import_of(wanted);
    if (same != nullptr && wanted.has_all(same->names)) {
      add(same->begin, same->end, indented_as(same->begin, lines));
      return {};
    }
    const bool has_some = missing.size() < wanted.names.size();
    if (has_some && same != nullptr) {
      std::vector<std::string_view> old;
      for (int i = same->begin; i < same->end; ++i) old.push_back(file_.line(i));
      if (auto more = with_more_names(old, missing, modules_)) {
        add(same->begin, same->end, *std::move(more));
        return {};
      }
    }
    const std::optional<std::string> statement =
        has_some ? with_only_names(text, missing, modules_) : std::optional(text);
    if (!statement) return Error("'" + std::string(trimmed(text)) + "' is in part in the file");
    std::vector<std::string> fresh = has_some ? std::vector{*statement} : lines;
    add_at(line_for_new(element, text), std::move(fresh));
    return {};
  }

  // The last direct import from the same source.
  const FileImport* import_of(const ImportNames& wanted) const {
    if (wanted.source.empty() || wanted.source == "import") return nullptr;
    const auto found = std::find_if(imports_.rbegin(), imports_.rend(), [&](const auto& one) {
      return one.is_direct && one.names.source == wanted.source;
    });
    return found == imports_.rend() ? nullptr : &*found;
  }

  void add(int begin, int end, std::vector<std::string> lines) {
    spans_.push_back({begin, end, std::move(lines), false, {.decided_by = DecidedBy::kTree}});
  }

  std::vector<std::string> indented_as(int line, std::vector<std::string> lines) const {
    const std::string deep(indentation_of(file_.line(line)));
    const std::size_t less = least_indentation(lines);
    for (std::string& one : lines) one = deep + one.substr(std::min(less, one.size()));
    return lines;
  }

  void add_at(int line, std::vector<std::string> lines) {
    lines = indented_as(std::min(line, std::max(file_.size() - 1, 0)), std::move(lines));
    if (imports_.empty()) lines = indented_as_is(std::move(lines));
    std::ranges::move(lines, std::back_inserter(inserted_[line]));
  }

  static std::vector<std::string> indented_as_is(std::vector<std::string> lines) {
    const std::size_t less = least_indentation(lines);
    for (std::string& one : lines) one.erase(0, std::min(less, one.size()));
    return lines;
  }

  // The paths of Go's imports, each on its own line in the parentheses that the file has.
  Result<void> place_paths(const std::vector<std::string>& paths,
                           const std::vector<std::string>& lines) {
    const auto block = std::ranges::find_if(
        imports_, [](const FileImport& one) { return one.end - one.begin > 1; });
    if (block == imports_.end()) {
      std::vector<std::string> fresh = lines;
      if (!imports_.empty()) {
        fresh.clear();
        for (const std::string& path : paths) fresh.push_back("import " + path);
      }
      add_at(place_, std::move(fresh));
      return {};
    }
    for (const std::string& path : paths) {
      const int line = line_in_block(*block, path);
      inserted_[line].push_back("\t" + path);
    }
    return {};
  }

  // Groups of paths are separated by blank lines: those of hosts have a dot before the first slash.
  int line_in_block(const FileImport& block, const std::string& path) const {
    const auto quoted = [](std::string_view text) {
      return text.substr(std::min(text.find('"'), text.size()));
    };
    const auto is_hosted = [&](std::string_view text) {
      text = quoted(text);
      return text.substr(0, text.find('/')).find('.') != std::string_view::npos;
    };
    int after = 0, before = 0;
    for (int i = block.begin + 1; i < block.end - 1; ++i) {
      if (file_.text(i).empty() || is_hosted(file_.text(i)) != is_hosted(path)) continue;
      if (quoted(file_.text(i)) < quoted(path))
        after = i + 1;
      else if (before == 0)
        before = i;
    }
    if (after > 0) return after;
    return before > 0 ? before : block.end - 1;
  }

  int line_for_new(const SnippetElement& element, std::string_view import) const {
    if (trimmed(import).starts_with("from __future__ ")) return line_for_future();
    if (const FileImport* above = file_import_at(element.begin - 1)) return above->end;
    if (const FileImport* below = file_import_at(element.end)) return below->begin;
    if (const auto in_order = line_in_order(trimmed(import))) return *in_order;
    return place_;
  }

  // Behind the others of its kind, or before the first import.
  int line_for_future() const {
    std::optional<int> last;
    for (const FileImport& one : imports_) {
      if (file_.text(one.begin).starts_with("from __future__ ")) last = one.end;
    }
    return last.value_or(first_statement());
  }

  // Python: below comments and the text that documents the module. A comment right above a
  // statement that is no import belongs to it.
  int first_statement() const {
    int line = 0;
    for (std::string_view quotes; line < file_.size(); ++line) {
      std::string_view text = file_.text(line);
      if (quotes.empty()) {
        if (text.empty() || text.starts_with('#')) continue;
        text = text.substr(std::min(text.find_first_of("\"'"), text.size()));
        const bool is_string = text.size() + 1 >= file_.text(line).size() && !text.empty();
        if (!is_string) break;
        const bool is_long = text.starts_with("\"\"\"") || text.starts_with("'''");
        quotes = text.substr(0, is_long ? 3 : 1);
        text.remove_prefix(quotes.size());
      }
      if (text.find(quotes) != std::string_view::npos) quotes = {};
    }
    if (imports_.empty()) return place_;
    const bool is_import =
        std::ranges::any_of(imports_, [&](const FileImport& one) { return one.begin == line; });
    const auto is_comment = [&](int i) {
      return file_.text(i).starts_with('#') && !file_.text(i).starts_with("#!");
    };
    while (!is_import && line > 1 && is_comment(line - 1)) --line;
    return line;
  }

  // The import of the file that has the text of a line of the snippet.
  const FileImport* file_import_at(int snippet_line) const {
    if (snippet_line < 0 || snippet_line >= snippet_.size()) return nullptr;
    const std::string_view text = snippet_.text(snippet_line);
    const auto found = std::ranges::find_if(imports_, [&](const FileImport& one) {
      return one.is_direct && one.end == one.begin + 1 && file_.text(one.begin) == text;
    });
    return found == imports_.end() ? nullptr : &*found;
  }

  // The line after the last import of the same form that sorts before the new one. nullopt: there
  // is none, or the file's imports are not sorted.
  std::optional<int> line_in_order(std::string_view import) const {
    const auto text = [&](const FileImport& one) { return file_.text(one.begin); };
    if (!std::ranges::is_sorted(imports_, {}, text)) return std::nullopt;
    std::optional<int> after;
    for (const FileImport& one : imports_) {
      const bool is_alike = text(one).substr(0, 4) == import.substr(0, 4);  // "from", "impo"
      if (is_alike && one.is_direct && text(one) < import) after = one.end;
    }
    return after;
  }

  // The first imports of a file are set apart from the lines around them.
  std::vector<std::string> separated(int line, std::vector<std::string> lines) const {
    if (!imports_.empty() || file_.size() == 0) return lines;
    const bool is_apart = line < file_.size() && file_.text(line).empty();
    if (is_apart && line > 0 && !file_.text(line - 1).empty()) lines.insert(lines.begin(), "");
    if (!is_apart) lines.resize(lines.size() + blank_lines_below_imports());
    return lines;
  }

  // As many as the snippet has.
  std::size_t blank_lines_below_imports() const {
    std::size_t count = 0;
    for (const SnippetElement& one : snippet_.elements) {
      if (one.kind == Kind::kImport) count = 0;
      if (one.kind == Kind::kBlank) ++count;
      if (one.kind != Kind::kImport && one.kind != Kind::kBlank) break;
    }
    return std::max<std::size_t>(count, 1);
  }

  const FileLines& file_;
  const SnippetParts& snippet_;
  ModuleSystem modules_;
  int place_ = 0;  // the line for imports that have no other
  std::vector<FileImport> imports_;
  std::vector<ImportNames> names_;  // of the file, and of what is put in
  std::map<int, std::vector<std::string>> inserted_;
  std::vector<LineSpan> spans_;
};

}  // namespace

Result<std::vector<LineSpan>> place_imports(const FileLines& file, const SyntaxTree* tree,
                                            const SnippetParts& snippet) {
  if (tree == nullptr) return std::vector<LineSpan>();
  return ImportPlacer(file, *tree, snippet).place_all();
}

}  // namespace redraft
