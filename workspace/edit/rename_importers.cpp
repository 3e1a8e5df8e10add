#include "workspace/edit/rename_importers.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <system_error>

#include "indexing/files/file_scan.h"
#include "indexing/files/source_file.h"
#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "languages/languages.h"
#include "text/strings/names.h"
#include "workspace/documents/file_uri.h"
#include "workspace/edit/import_source.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// The user waits for the answer: some thousand files are read in a tenth of a second.
constexpr std::size_t kMaxFiles = 4000;
constexpr std::size_t kMaxShown = 3;
constexpr int kMaxEntries = 20000;  // of a repository, in any language

// The file that declares the name.
class Home {
 public:
  Home(const Document& document, fs::path path, const std::string& name)
      : document_(document), path_(std::move(path)), name_(name) {}

  const fs::path& path() const { return path_; }
  std::string family() const { return std::string(family_of(document_.language())); }

  // Whether `other`, a file of the same family of languages at `path`, means this file by the name.
  bool is_used_in(const Document& other, const fs::path& path) const {
    const std::string_view text = other.text();
    if (!has_name(text, name_) || other.syntax() == nullptr) return false;
    const auto meanings = other.syntax()->meanings_of(name_);
    if (!meanings) return false;
    const ModuleSystem modules = *other.syntax()->language().modules;
    const bool is_undeclared = !meanings->unknown.empty();
    if (is_undeclared && shares_names(modules, path)) return true;
    if (modules == ModuleSystem::kInclude && is_included(other, path)) return true;
    const ImportReader reader(modules, path, path_);
    for (const Import& import : other.syntax()->imports().all) {
      const std::string_view statement = text.substr(import.range.begin, import.range.size());
      if (has_name(statement, name_) && reader.of_name(statement, name_) != ImportSource::kAnother)
        return true;
      if (is_undeclared && reader.of_all(statement) != ImportSource::kAnother) return true;
      if (is_member_of_module(reader, statement, text)) return true;
    }
    return false;
  }

  // Whether a file at `path` knows the names of this one without an import.
  bool shares_names(ModuleSystem modules, const fs::path& path) const {
    if (modules == ModuleSystem::kCSharp) return true;
    const bool is_of_folder = modules == ModuleSystem::kGo || modules == ModuleSystem::kJava;
    return is_of_folder && path.parent_path() == path_.parent_path();
  }

 private:
  // Whether this file includes `other`, which declares the name, too: a header.
  bool is_included(const Document& other, const fs::path& path) const {
    const auto meanings = other.syntax()->meanings_of(name_);
    if (!meanings || meanings->things.empty()) return false;
    const std::string_view text = document_.text();
    const ImportReader reader(ModuleSystem::kInclude, path_, path);
    return std::ranges::any_of(document_.syntax()->imports().all, [&](const Import& import) {
      const std::string_view statement = text.substr(import.range.begin, import.range.size());
      return reader.of_all(statement) == ImportSource::kFile;
    });
  }

  // "module.name" or "module::name", by what the statement makes known.
  bool is_member_of_module(const ImportReader& reader, std::string_view statement,
                           std::string_view text) const {
    bool is_any = false;
    for_each_name(statement, [&](std::string_view module) {
      const auto is_there = [&](const char* between) {
        return text.find(std::string(module) + between + name_) != std::string_view::npos;
      };
      is_any = is_any || ((is_there(".") || is_there("::")) &&
                          reader.of_module(statement, module) != ImportSource::kAnother);
    });
    return is_any;
  }

  const Document& document_;
  fs::path path_;
  const std::string& name_;
};

// The path of a document that an editor or the command line has.
std::optional<fs::path> path_of(const Document& document) {
  if (auto path = path_of_uri(document.uri())) return path;
  if (document.uri().find(':') != std::string::npos) return std::nullopt;
  std::error_code error;
  const fs::path path = fs::absolute(document.uri(), error);
  return error || !fs::is_regular_file(path, error) ? std::nullopt
                                                    : std::optional(path.lexically_normal());
}

// The top of the repository that has `folder`, or nothing.
std::optional<fs::path> repository_of(fs::path folder) {
  std::error_code error;
  for (; folder.has_relative_path(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder;
  }
  return std::nullopt;
}

// The files that the index has, or else those in the folder of `home` and in its repository.
std::set<fs::path> files_to_search(const EditRequest& request, const Home& home) {
  std::set<fs::path> files;
  const auto add = [&](const fs::path& file) {
    const bool is_alike = family_of(language_of(file.generic_string())) == home.family();
    if (is_alike && files.size() < kMaxFiles) files.insert(file);
    return files.size() < kMaxFiles;
  };
  if (request.definitions) {
    for (const IndexSnapshot::Part& part : request.definitions->parts()) {
      for (std::size_t i = 0; part.names && i < part.names->size(); ++i) add((*part.names)[i]);
    }
    return files;
  }
  std::error_code error;
  if (!fs::is_regular_file(home.path(), error)) return files;
  const fs::path folder = home.path().parent_path();
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) add(entry->path());
  if (const std::optional<fs::path> top = repository_of(folder)) {
    ScanOptions options;
    options.look_inside = false;
    int n_seen = 0;
    const auto on_file = [&](const SourceFile& file) {
      return add(*top / file.path) && ++n_seen < kMaxEntries;
    };
    scan_roots({&*top, 1}, options, {.on_file = on_file});
  }
  return files;
}

std::shared_ptr<const Document> read(const fs::path& file, const std::string& name) {
  Result<std::string> text = read_source(file.parent_path(), file.filename().string());
  if (!text || !has_name(*text, name)) return nullptr;
  auto document = Document::make(uri_of_path(file.string()), 0, *std::move(text),
                                 std::string(language_of(file.generic_string())));
  return document ? *std::move(document) : nullptr;
}

// The files, relative to the home's folder, of which `is_meant` is true. All have `name`.
template <typename Is>
std::vector<std::string> files_where(const EditRequest& request, const Home& home,
                                     const std::string& name, const Is& is_meant) {
  std::set<fs::path> found, open = {home.path()};
  for (const auto& document : request.beside) {
    const auto other = path_of(*document);
    if (!other || family_of(document->language()) != home.family()) continue;
    open.insert(*other);
    if (home.path() != *other && is_meant(*document, *other)) found.insert(*other);
  }
  for (const fs::path& file : files_to_search(request, home)) {
    if (open.contains(file)) continue;
    const std::shared_ptr<const Document> document = read(file, name);
    if (document && is_meant(*document, file)) found.insert(file);
  }
  std::vector<std::string> files;
  for (const fs::path& file : found)
    files.push_back(file.lexically_relative(home.path().parent_path()).generic_string());
  return files;
}

// Whether the text has the name behind a dot, an arrow or "::", or before a colon as the key of an
// object. A parameter looks like a key unless it is the first one.
bool has_member(std::string_view text, std::string_view name) {
  for (std::size_t at = find_name(text, name); at != text.npos;
       at = find_name(text, name, at + 1)) {
    const std::string_view before = text.substr(0, at), after = text.substr(at + name.size(), 2);
    const bool is_key = after.starts_with(':') && after != "::" && !before.ends_with('(');
    if (before.ends_with('.') || before.ends_with("->") || before.ends_with("::") || is_key)
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> importers_of(const EditRequest& request, const std::string& name) {
  const auto path = path_of(*request.document);
  if (!path || request.document->syntax() == nullptr) return {};
  const Home home(*request.document, *path, name);
  return files_where(request, home, name, [&](const Document& other, const fs::path& file) {
    return home.is_used_in(other, file);
  });
}

std::vector<std::string> users_of_member(const EditRequest& request, const std::string& owner,
                                         const std::string& name) {
  const auto path = path_of(*request.document);
  if (!path || request.document->syntax() == nullptr) return {};
  const Home home(*request.document, *path, owner);
  return files_where(request, home, name, [&](const Document& other, const fs::path& file) {
    if (!has_member(other.text(), name) || other.syntax() == nullptr) return false;
    return home.shares_names(*other.syntax()->language().modules, file) ||
           home.is_used_in(other, file);
  });
}

std::string listed_files(const std::vector<std::string>& files) {
  const std::size_t n_shown = std::min(files.size(), kMaxShown);
  std::string list;
  for (std::size_t i = 0; i < n_shown; ++i) {
    const bool is_last = i + 1 == files.size();
    list += (i == 0 ? "" : is_last ? " and " : ", ") + files[i];
  }
  const std::size_t n_more = files.size() - n_shown;
  if (n_more == 0) return list;
  return list + " and " + std::to_string(n_more) + (n_more == 1 ? " more file" : " more files");
}

}  // namespace redraft
