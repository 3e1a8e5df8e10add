#include "workspace/edit/rename_elsewhere.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "text/strings/names.h"
#include "workspace/edit/import_source.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Kind = NamedThing::Kind;

constexpr const char* kNotFollowed = "redraft does not follow names in this language";
constexpr const char* kOtherObject = "a member of an object whose type is not known here";
constexpr const char* kPerhapsImported = "the import may mean another file";
constexpr const char* kOtherName = "the import gives it another name";
constexpr const char* kDeclaredElsewhere = "another file may declare it";

class OtherFile {
 public:
  OtherFile(const RenamedForOthers& renamed, const Document& other, const fs::path& path)
      : renamed_(renamed),
        text_(other.text()),
        tree_(other.syntax()),
        path_(path),
        modules_(tree_ == nullptr ? ModuleSystem() : *tree_->language().modules),
        reader_(modules_, path, renamed.path) {}

  RenamedElsewhere run() {
    std::optional<NameMeanings> meanings;
    if (tree_ != nullptr) meanings = tree_->meanings_of(renamed_.from);
    if (!meanings) {
      for (std::size_t at = find_name(text_, renamed_.from); at != text_.npos;
           at = find_name(text_, renamed_.from, at + 1))
        leave({at, at + renamed_.from.size()}, kNotFollowed);
    } else if (renamed_.is_member) {
      leave_members(*meanings);
    } else {
      read_imports();
      add_things(*meanings);
      add_undeclared(*meanings);
      add_members_of_modules();
      if (is_taken()) leave_all("'" + renamed_.to + "' is the name of something else there");
    }
    return result();
  }

 private:
  // Whose they are, nothing in this file tells.
  void leave_members(const NameMeanings& meanings) {
    for (const ByteRange& range : tree_->identifiers({0, text_.size()})) {
      const std::string_view before = text_.substr(0, range.begin);
      const bool is_access =
          before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
      const bool is_name = text_.substr(range.begin, range.size()) == renamed_.from;
      const auto is_there = [&](const NameUse& use) { return use.range.begin == range.begin; };
      const bool is_of_file = std::ranges::any_of(meanings.things, [&](const NamedThing& thing) {
        return std::ranges::any_of(thing.uses, is_there);
      });
      if (is_name && is_access && !is_of_file) leave(range, kOtherObject);
    }
  }

  // What the import statements of the file say about the home.
  void read_imports() {
    for (const Import& import : tree_->imports().all) {
      const std::string_view statement = text_.substr(import.range.begin, import.range.size());
      all_imports_.push_back(import.range);
      all_ = std::max(all_, reader_.of_all(statement));
      // What it brings may come from the home by way of another file.
      if (modules_ == ModuleSystem::kInclude || statement.find('*') != statement.npos)
        all_ = std::max(all_, ImportSource::kPerhaps);
      for_each_name(statement, [&](std::string_view name) {
        const ImportSource source = reader_.of_module(statement, name);
        if (source == ImportSource::kAnother) return;
        ImportSource& known = modules_by_name_[std::string(name)];
        known = std::max(known, source);
      });
      if (has_name(statement, renamed_.from)) imports_.push_back(import.range);
    }
    if (shares_names()) all_ = std::max(all_, shared_source());
    if (modules_ == ModuleSystem::kInclude && is_included_by_home()) all_ = ImportSource::kFile;
  }

  // Go's and Java's files know the names of their folder, and C#'s those of a whole namespace.
  bool shares_names() const {
    if (modules_ == ModuleSystem::kCSharp) return true;
    const bool is_of_folder = modules_ == ModuleSystem::kGo || modules_ == ModuleSystem::kJava;
    return is_of_folder && path_.parent_path() == renamed_.path.parent_path();
  }
  ImportSource shared_source() const {
    return modules_ == ModuleSystem::kCSharp ? ImportSource::kPerhaps : ImportSource::kFile;
  }

  // A header of the home.
  bool is_included_by_home() const {
    const SyntaxTree* const home = renamed_.home->syntax();
    if (home == nullptr) return false;
    const ImportReader reader(modules_, renamed_.path, path_);
    return std::ranges::any_of(home->imports().all, [&](const Import& import) {
      const std::string_view text = renamed_.home->text();
      return reader.of_all(text.substr(import.range.begin, import.range.size())) ==
             ImportSource::kFile;
    });
  }

  void add_things(const NameMeanings& meanings) {
    for (const NamedThing& thing : meanings.things) {
      if (thing.kind == Kind::kImport) {
        add_imported(thing);
      } else if (thing.kind == Kind::kOfFile && modules_ == ModuleSystem::kInclude &&
                 all_ == ImportSource::kFile) {
        add_uses(thing, all_, kDeclaredElsewhere);  // declared by one, defined by the other
      } else if (thing.is_shared) {
        add_uses(thing, ImportSource::kPerhaps, "it is declared for other files, too");
      }
    }
  }

  void add_imported(const NamedThing& thing) {
    std::optional<ImportSource> source;
    for (const NameUse& use : thing.uses) {
      const auto import = std::ranges::find_if(
          imports_, [&](const ByteRange& range) { return range.contains(use.range); });
      if (import == imports_.end()) continue;
      const std::string_view statement = text_.substr(import->begin, import->size());
      const ImportSource one = reader_.of_name(statement, renamed_.from);
      // Imported from different files, under different conditions.
      if (source && *source != one) source = ImportSource::kPerhaps;
      source = source.value_or(one);
    }
    if (!source || *source == ImportSource::kAnother) return;
    const bool can_pass_on = modules_ == ModuleSystem::kPython ||
                             modules_ == ModuleSystem::kScript || modules_ == ModuleSystem::kRust;
    passes_on_ = passes_on_ || (can_pass_on && *source == ImportSource::kFile);
    add_uses(thing, *source, kPerhapsImported);
  }

  void add_uses(const NamedThing& thing, ImportSource source, const char* why_not) {
    for (const NameUse& use : thing.uses) {
      if (source != ImportSource::kFile) {
        leave(use.range, why_not);
      } else if (!use.doubt.empty()) {
        leave(use.range, use.doubt);
      } else {
        change(use.range, written(use));
      }
    }
  }

  // What an import names gets the other name there, too; a property keeps its name.
  std::string written(const NameUse& use) const {
    switch (use.form) {
      case NameUse::Form::kShorthand:
        return renamed_.from + ": " + renamed_.to;
      case NameUse::Form::kExported:
        return renamed_.to + " as " + renamed_.from;
      case NameUse::Form::kPlain:
      case NameUse::Form::kField:
      case NameUse::Form::kImported:
        break;
    }
    return renamed_.to;
  }

  void add_undeclared(const NameMeanings& meanings) {
    for (const ByteRange& range : meanings.unknown) {
      const bool is_import = std::ranges::any_of(
          imports_, [&](const ByteRange& import) { return import.contains(range); });
      if (is_import) {
        if (is_import_of_home(range)) leave(range, kOtherName);
      } else if (all_ == ImportSource::kFile) {
        change(range, renamed_.to);
      } else if (all_ == ImportSource::kPerhaps) {
        leave(range, kDeclaredElsewhere);
      }
    }
    add_renaming_imports();
  }

  bool is_import_of_home(const ByteRange& place) const {
    return std::ranges::any_of(imports_, [&](const ByteRange& import) {
      if (!import.contains(place)) return false;
      bool is_any = false;
      const std::string_view statement = text_.substr(import.begin, import.size());
      for_each_name(statement, [&](std::string_view name) {
        is_any = is_any || reader_.of_name(statement, name) != ImportSource::kAnother;
      });
      return is_any;
    });
  }

  // "import { load as read }", where the tree knows only the other name.
  void add_renaming_imports() {
    for (const ByteRange& import : imports_) {
      const std::string_view statement = text_.substr(import.begin, import.size());
      for (std::size_t at = find_name(statement, renamed_.from); at != statement.npos;
           at = find_name(statement, renamed_.from, at + 1)) {
        const ByteRange range{import.begin + at, import.begin + at + renamed_.from.size()};
        const std::string_view behind = text_.substr(range.end, 4);
        const bool is_renaming = behind == " as " || behind.starts_with(':');
        if (is_renaming && !is_known(range)) leave(range, kOtherName);
      }
    }
  }

  void add_members_of_modules() {
    for (const auto& [module, source] : modules_by_name_) {
      const std::optional<NameMeanings> meanings = tree_->meanings_of(module);
      for (const char* between : {".", "::"}) {
        const std::string whole = module + between + renamed_.from;
        for (std::size_t at = find_name(text_, whole); at != text_.npos;
             at = find_name(text_, whole, at + 1)) {
          const ByteRange range{at + whole.size() - renamed_.from.size(), at + whole.size()};
          if (source == ImportSource::kFile && meanings && is_imported_at(*meanings, at)) {
            change(range, renamed_.to);
          } else {
            leave(range, kPerhapsImported);
          }
        }
      }
    }
  }

  // Whether the name at `at` is one that an import statement makes known.
  bool is_imported_at(const NameMeanings& meanings, std::size_t at) const {
    const auto is_there = [&](const NameUse& use) {
      return use.range.begin == at && use.doubt.empty();
    };
    const auto is_imported = [&](const NameUse& use) {
      return std::ranges::any_of(
          all_imports_, [&](const ByteRange& import) { return import.contains(use.range); });
    };
    return std::ranges::any_of(meanings.things, [&](const NamedThing& thing) {
      return std::ranges::any_of(thing.uses, is_there) &&
             std::ranges::any_of(thing.uses, is_imported);
    });
  }

  bool is_taken() const {
    const std::optional<NameMeanings> others = tree_->meanings_of(renamed_.to);
    if (!others) return true;
    return !others->unknown.empty() ||
           std::ranges::any_of(others->things,
                               [](const NamedThing& thing) { return thing.kind != Kind::kMember; });
  }

  bool is_known(const ByteRange& range) const {
    return edits_.contains(range.begin) || undecided_.contains(range.begin);
  }
  void change(const ByteRange& range, std::string text) {
    undecided_.erase(range.begin);
    edits_[range.begin] = {range, std::move(text)};
  }
  void leave(const ByteRange& range, std::string why) {
    if (!is_known(range)) undecided_[range.begin] = {range, std::move(why)};
  }
  void leave_all(const std::string& why) {
    for (const auto& [at, edit] : std::exchange(edits_, {})) undecided_[at] = {edit.range, why};
  }

  RenamedElsewhere result() const {
    RenamedElsewhere found;
    for (const auto& [at, edit] : edits_) found.edits.push_back(edit);
    for (const auto& [at, use] : undecided_) found.undecided.push_back(use);
    found.passes_on = passes_on_ && !edits_.empty();
    return found;
  }

  const RenamedForOthers& renamed_;
  std::string_view text_;
  const SyntaxTree* tree_;
  fs::path path_;
  ModuleSystem modules_;
  ImportReader reader_;
  bool passes_on_ = false;
  ImportSource all_ = ImportSource::kAnother;  // whether it knows the home's names by themselves
  std::map<std::string, ImportSource> modules_by_name_;  // names of what may be the home
  std::vector<ByteRange> all_imports_;
  std::vector<ByteRange> imports_;         // that have the name
  std::map<std::size_t, TextEdit> edits_;  // by their places
  std::map<std::size_t, UndecidedUse> undecided_;
};

}  // namespace

RenamedElsewhere rename_elsewhere(const RenamedForOthers& renamed, const Document& other,
                                  const fs::path& path) {
  return OtherFile(renamed, other, path).run();
}

}  // namespace redraft
