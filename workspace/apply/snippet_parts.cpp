#include "workspace/apply/snippet_parts.h"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

#include "indexing/syntax/imports.h"
#include "languages/language.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/file_sections.h"

namespace redraft {
namespace {

using Kind = SnippetElement::Kind;

// Lines joined to one text, with a map from bytes to lines.
struct Joined {
  explicit Joined(const std::vector<std::string>& lines) {
    auto all = std::make_shared<std::string>();
    for (const std::string& line : lines) {
      starts.push_back(all->size());
      *all += line + "\n";
    }
    text = std::move(all);
  }
  int line_of(std::size_t offset) const {
    return static_cast<int>(std::ranges::upper_bound(starts, offset) - starts.begin()) - 1;
  }

  std::shared_ptr<const std::string> text;
  std::vector<std::size_t> starts;
};

class Divider {
 public:
  Divider(const FileLines& file, const SyntaxTree* tree, std::string_view language_id,
          const CodeSnippet& snippet)
      : file_(file), tree_(tree), language_id_(language_id), snippet_(snippet) {}

  Result<std::unique_ptr<SnippetParts>> run() {
    for (const CodeSnippet::Line& line : snippet_.lines)
      parts_->lines.push_back(line.is_ellipsis ? std::string() : line.text);
    take_unit_of_file();
    const std::optional<SyntaxTree> own = parse();
    if (own || has_sections(language_id_)) {
      if (const Result<void> found = find_definitions(own); !found) return found.error();
    }
    std::vector<int> import_ends(parts_->lines.size(), 0);
    if (own) find_imports(*own, import_ends);
    for (const std::string& line : parts_->lines)
      parts_->texts.emplace_back(trimmed(canonical_text(line)));
    divide(import_ends);
    return std::move(parts_);
  }

 private:
  void take_unit_of_file() {
    const std::optional<IndentStep> own = indent_step_of(parts_->lines),
                                    &there = file_.indent_step();
    if (!own || !there || *own == *there) return;
    std::vector<std::string> converted = with_unit(parts_->lines, *own, *there);
    const int n_shared = shared_depths(parts_->lines);
    if (n_shared > 0 && n_shared >= shared_depths(converted)) return;
    parts_->lines = std::move(converted);
  }

  // How many of the lines that the file has once are as deep there: by themselves, or compared with
  // the one before.
  int shared_depths(const std::vector<std::string>& lines) const {
    int n_shared = 0;
    std::optional<Reindent> before;
    for (const std::string& line : lines) {
      const std::string_view text = trimmed(line);
      const std::vector<int>& places = file_.places_of(text);
      if (text.empty() || places.size() != 1) continue;
      const std::string_view there = file_.line(places.front());
      n_shared += !indentation_of(there).empty() && indentation_of(line) == indentation_of(there);
      Reindent here = Reindent::between(line, there);
      n_shared += before == here && !indentation_of(line).empty();
      before = std::move(here);
    }
    return n_shared;
  }

  // Removes the common indentation, which some parsers report as an error. An ellipsis in a body is
  // replaced by a statement.
  std::optional<SyntaxTree> parse() {
    const std::size_t less = least_indentation(parts_->lines);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < parts_->lines.size(); ++i) {
      const std::string& line = parts_->lines[i];
      const bool stands_for_code = snippet_.lines[i].is_ellipsis && tree_ != nullptr &&
                                   tree_->language().has_ellipsis_statement;
      const std::string& text = snippet_.lines[i].text;
      if (stands_for_code) {
        const std::size_t deep = indentation_of(text).size();
        lines.push_back(std::string(deep - std::min(less, deep), ' ') + "...");
      } else {
        lines.push_back(line.substr(std::min(less, line.size())));
      }
    }
    text_.emplace(lines);
    if (tree_ == nullptr) return std::nullopt;
    return SyntaxTree::parse(text_->text, language_id_);
  }

  Result<void> find_definitions(const std::optional<SyntaxTree>& own) {
    const bool by_sections = has_sections(language_id_);
    parts_->theirs =
        by_sections ? sections_of(file_.text_of_file(), language_id_) : named_definitions(*tree_);
    if (parts_->theirs.size() * parts_->lines.size() > kMaxCompared)
      return Error("the change is too long to compare with the file");
    if (!by_sections) errors_ = own->errors();
    for (NamedDefinition& named :
         by_sections ? sections_of(*text_->text, language_id_) : named_definitions(*own)) {
      SnippetDefinition one;
      one.begin = text_->line_of(named.range.begin);
      one.end = text_->line_of(named.range.end - 1) + 1;
      one.head = text_->line_of(named.name_range.begin);
      one.named = std::move(named);
      const bool is_cut = is_cut_off(one.named.range);
      if (is_cut) one.end = std::max(one.end, next_ellipsis(one.end));
      one.is_whole = !is_cut && !has_ellipsis(one.begin, one.end);
      parts_->definitions.push_back(std::move(one));
    }
    parts_->is_whole_file = is_whole_file();
    for (SnippetDefinition& one : parts_->definitions) {
      if (const Result<void> found = find_counterpart(own, one); !found) return found.error();
    }
    return {};
  }

  // Whether the change only shows the beginning: "int f() {", and then an ellipsis or nothing.
  bool is_cut_off(const ByteRange& range) const {
    const std::size_t end = skip_space(*text_->text, range.end);
    return std::ranges::any_of(errors_, [&](const SyntaxError& error) {
      return error.range.begin >= range.begin && error.range.begin <= end;
    });
  }
  // The line after the ellipsis at this line or below blank lines; otherwise the line itself.
  int next_ellipsis(int line) const {
    const int n_lines = static_cast<int>(snippet_.lines.size());
    int at = line;
    while (at < n_lines && !is_ellipsis_at(at) && trimmed(text_at(at)).empty()) ++at;
    return at == n_lines || is_ellipsis_at(at) ? std::min(at + 1, n_lines + 1) : line;
  }
  bool is_ellipsis_at(int line) const {
    return snippet_.lines[static_cast<std::size_t>(line)].is_ellipsis;
  }
  std::string_view text_at(int line) const {
    return snippet_.lines[static_cast<std::size_t>(line)].text;
  }

  bool has_ellipsis(int begin, int end) const {
    end = std::min(end, static_cast<int>(snippet_.lines.size()));
    return std::any_of(snippet_.lines.begin() + begin, snippet_.lines.begin() + end,
                       [](const CodeSnippet::Line& line) { return line.is_ellipsis; });
  }

  // Whether the snippet has every definition of the file, its first line, and nine tenths of the
  // lines around them.
  bool is_whole_file() const {
    if (parts_->theirs.empty() || has_ellipsis(0, static_cast<int>(snippet_.lines.size())))
      return false;
    std::unordered_set<std::string> paths;
    for (const SnippetDefinition& one : parts_->definitions) paths.insert(one.named.path());
    const bool has_all = std::ranges::all_of(
        parts_->theirs, [&](const NamedDefinition& one) { return paths.contains(one.path()); });
    if (!has_all) return false;
    std::vector<bool> is_around(static_cast<std::size_t>(file_.size()), true);
    for (const NamedDefinition& one : parts_->theirs) {
      const auto [begin, end] = file_.lines_of(one.range);
      std::fill(is_around.begin() + begin, is_around.begin() + end, false);
    }
    std::unordered_set<std::string_view> texts;
    for (const std::string& line : parts_->lines) texts.insert(trimmed(line));
    const auto is_shown = [&](int i) { return texts.contains(file_.text(i)); };
    int around = 0, shown = 0;
    for (int i = 0; i < file_.size(); ++i) {
      if (!is_around[static_cast<std::size_t>(i)] || file_.text(i).empty()) continue;
      ++around;
      shown += is_shown(i) ? 1 : 0;
    }
    if (!is_shown(0)) return false;
    return around > 0 && 10 * shown >= 9 * around;
  }

  Result<void> find_counterpart(const std::optional<SyntaxTree>& own, SnippetDefinition& one) {
    const SnippetDefinition* const parent = parent_of(one);
    std::vector<const NamedDefinition*> found;
    for (const NamedDefinition& theirs : parts_->theirs) {
      const bool is_same = theirs.name == one.named.name && theirs.kind == one.named.kind;
      const bool fits = parent == nullptr ? true : parent->there && is_in(theirs, *parent);
      if (is_same && fits) found.push_back(&theirs);
    }
    // Prefers a function of the file over a method of the same name, if it is as deeply nested as
    // in the snippet.
    if (found.size() > 1 && own) narrow(*own, one, found);
    one.is_new = found.empty() && one.is_whole;
    if (found.size() != 1) return {};  // its lines show where it is, if it is there
    const auto [begin, end] = file_.lines_of(found.front()->range);
    one.there = Counterpart{begin, end, file_.line_of(found.front()->name_range.begin)};
    counterparts_.emplace_back(&one, found.front());
    if (ends_early(one)) return Error("the end of '" + one.named.path() + "' is not shown");
    return check_whole(one, *found.front());
  }

  // Whether the lines above an ellipsis end within the definition of the file, where indentation
  // alone says how far a definition reaches: the ellipsis may stand for the rest of it.
  bool ends_early(const SnippetDefinition& one) const {
    const int n_lines = static_cast<int>(snippet_.lines.size());
    int ellipsis = std::min(one.end, n_lines);
    while (ellipsis < n_lines && !is_ellipsis_at(ellipsis) &&
           indentation_of(text_at(ellipsis)).size() > indentation_of(text_at(one.head)).size())
      ++ellipsis;
    while (ellipsis < n_lines && trimmed(text_at(ellipsis)).empty()) ++ellipsis;
    if (!one.is_whole || ellipsis == n_lines || !is_ellipsis_at(ellipsis)) return false;
    int last = ellipsis - 1;
    while (last > one.head && trimmed(text_at(last)).empty()) --last;
    int end = one.there->end - 1;
    while (end > one.there->head && file_.text(end).empty()) --end;
    const std::string_view text = trimmed(text_at(last));
    int n_places = 0;
    for (int i = one.there->head + 1; i < end; ++i) n_places += file_.text(i) == text ? 1 : 0;
    bool shows_end = file_.text(end) == text;
    for (int i = one.begin; i < last; ++i) shows_end |= trimmed(text_at(i)) == file_.text(end);
    return n_places == 1 && !shows_end;
  }

  // Fails for a type that is shown without an ellipsis but incompletely.
  Result<void> check_whole(const SnippetDefinition& one, const NamedDefinition& theirs) const {
    if (one.is_whole && has_tabs_in_sections(language_id_)) return check_recipe(one);
    if (!one.is_whole || theirs.kind == DefinitionKind::kFunction) return {};
    const std::string within = theirs.path() + ".", own_within = one.named.path() + ".";
    for (const NamedDefinition& inner : parts_->theirs) {
      if (inner.around != within || !theirs.range.contains(inner.range)) continue;
      const bool is_shown =
          std::ranges::any_of(parts_->definitions, [&](const SnippetDefinition& mine) {
            return mine.named.around == own_within && mine.named.name == inner.name;
          });
      if (!is_shown) return Error("'" + inner.path() + "' is not in the change");
    }
    return {};
  }

  // Fails for a rule that is shown without its recipe.
  static Result<void> check_recipe(const SnippetDefinition& one) {
    const bool lacks_recipe = one.end - one.begin == 1 && one.there->end - one.there->begin > 1;
    if (lacks_recipe) return Error("the recipe of '" + one.named.name + "' is not in the change");
    return {};
  }

  const SnippetDefinition* parent_of(const SnippetDefinition& one) const {
    for (const SnippetDefinition& other : parts_->definitions) {
      if (&other != &one && !one.named.around.empty() &&
          other.named.path() + "." == one.named.around && other.begin <= one.begin &&
          one.end <= other.end)
        return &other;
    }
    return nullptr;
  }

  bool is_in(const NamedDefinition& theirs, const SnippetDefinition& parent) const {
    const auto known =
        std::ranges::find(counterparts_, &parent, [](const auto& pair) { return pair.first; });
    return known != counterparts_.end() && theirs.around == known->second->path() + "." &&
           known->second->range.contains(theirs.range);
  }

  // For overloads: the one with these parameters; otherwise those at the outermost level.
  void narrow(const SyntaxTree& own, const SnippetDefinition& one,
              std::vector<const NamedDefinition*>& found) const {
    const auto keep = [&](const auto& fits) {
      std::vector<const NamedDefinition*> some;
      std::ranges::copy_if(found, std::back_inserter(some), fits);
      if (!some.empty()) found = std::move(some);
    };
    const auto parameters = [](const std::string& signature) {
      return signature.substr(0, signature.rfind('|'));
    };
    const std::string wanted = parameters(signature_of(own.text(), one.named));
    keep([&](const NamedDefinition* theirs) {
      return parameters(signature_of(tree_->text(), *theirs)) == wanted;
    });
    const bool is_outermost =
        one.named.around.empty() &&
        indentation_of(snippet_.lines[static_cast<std::size_t>(one.head)].text).empty();
    if (is_outermost) keep([](const NamedDefinition* theirs) { return theirs->around.empty(); });
  }

  // The lines behind the imports outside of definitions, by the lines where they begin.
  void find_imports(const SyntaxTree& own, std::vector<int>& ends) const {
    for (const Import& one : own.imports().all) {
      const int begin = text_->line_of(one.range.begin);
      const int end = text_->line_of(std::max(one.range.end, one.range.begin + 1) - 1) + 1;
      if (!one.is_direct || one.in_function || outermost(begin) != nullptr) continue;
      if (has_ellipsis(begin, end)) continue;
      int& known = ends[static_cast<std::size_t>(begin)];
      known = std::max(known, end);
    }
  }

  // The outermost definition at a line that is placed as a whole.
  const SnippetDefinition* outermost(int line) const {
    for (const SnippetDefinition& one : parts_->definitions) {
      const bool is_placed = one.is_new || (one.is_whole && one.there);
      if (is_placed && one.begin <= line && line < one.end) return &one;
    }
    return nullptr;
  }
  // The innermost incomplete definition at a line.
  const SnippetDefinition* around(int line) const {
    const SnippetDefinition* found = nullptr;
    for (const SnippetDefinition& one : parts_->definitions) {
      if (!one.is_whole && one.there && one.begin <= line && line < one.end) found = &one;
    }
    return found;
  }

  void divide(const std::vector<int>& import_ends) {
    const int n_lines = static_cast<int>(parts_->lines.size());
    for (int i = 0; i < n_lines;) {
      SnippetElement element{.begin = i, .end = i + 1, .around = around(i)};
      const auto at = static_cast<std::size_t>(i);
      if (snippet_.lines[at].is_ellipsis) {
        element.kind = Kind::kEllipsis;
      } else if (const SnippetDefinition* one = outermost(i)) {
        element.kind = Kind::kDefinition;
        element.definition = one;
        element.end = one->end;
      } else if (import_ends[at] > 0) {
        element.kind = Kind::kImport;
        element.end = import_ends[at];
      } else if (trimmed(parts_->lines[at]).empty()) {
        element.kind = Kind::kBlank;
      }
      parts_->elements.push_back(element);
      i = element.end;
    }
  }

  const FileLines& file_;
  const SyntaxTree* tree_;
  std::string_view language_id_;
  const CodeSnippet& snippet_;
  std::unique_ptr<SnippetParts> parts_ = std::make_unique<SnippetParts>();
  std::optional<Joined> text_;
  std::vector<SyntaxError> errors_;  // of the snippet
  std::vector<std::pair<const SnippetDefinition*, const NamedDefinition*>> counterparts_;
};

}  // namespace

Result<std::unique_ptr<SnippetParts>> take_apart(const FileLines& file, const SyntaxTree* tree,
                                                 std::string_view language_id,
                                                 const CodeSnippet& snippet) {
  return Divider(file, tree, language_id, snippet).run();
}

}  // namespace redraft
