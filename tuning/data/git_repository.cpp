#include "tuning/data/git_repository.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "text/strings/lines.h"
#include "tuning/data/program.h"

namespace redraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxCommits = 1'000'000;
constexpr std::size_t kMaxLicenceBytes = 64 << 10;

// Disables everything that git could start or read besides the objects.
const std::vector<std::string> kOverrides = {
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.excludesFile=/dev/null",
    "-c",
    "core.alternateRefsCommand=",
    "-c",
    "core.sshCommand=false",
    "-c",
    "core.gitProxy=false",
    "-c",
    "credential.helper=",
    "-c",
    "diff.external=",
    "-c",
    "diff.orderFile=",
    "-c",
    "gpg.program=false",
    "-c",
    "log.showSignature=false",
    "-c",
    "protocol.allow=never",
};

std::vector<std::string> environment() {
  const char* path = std::getenv("PATH");
  return {std::string("PATH=") + (path ? path : "/usr/bin:/bin"),
          "LC_ALL=C",
          "HOME=/nonexistent",
          "XDG_CONFIG_HOME=/nonexistent",
          "GIT_CONFIG_NOSYSTEM=1",
          "GIT_CONFIG_GLOBAL=/dev/null",
          "GIT_ATTR_NOSYSTEM=1",
          "GIT_ALLOW_PROTOCOL=none",
          "GIT_NO_LAZY_FETCH=1",
          "GIT_NO_REPLACE_OBJECTS=1",
          "GIT_OPTIONAL_LOCKS=0",
          "GIT_TERMINAL_PROMPT=0",
          "GIT_ASKPASS=false",
          "GIT_PAGER=cat"};
}

bool is_object_name(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Parses ":100644 100644 BEFORE AFTER M", a modified regular file; nullopt for any other change.
std::optional<ChangedFile> changed_file(std::string_view entry, std::string_view path) {
  const std::vector<std::string_view> parts = split_terminated(entry.substr(1), ' ');
  const auto is_regular = [](std::string_view mode) {
    return mode == "100644" || mode == "100755";
  };
  if (parts.size() != 5 || parts[4] != "M" || !is_regular(parts[0]) || !is_regular(parts[1]) ||
      !is_object_name(parts[2]) || !is_object_name(parts[3]))
    return std::nullopt;
  return ChangedFile{std::string(path), std::string(parts[2]), std::string(parts[3])};
}

Error unexpected(const fs::path& folder) {
  return Error(folder.string() + ": redraft cannot parse the output of git");
}

}  // namespace

Result<GitRepository> GitRepository::open(const fs::path& folder) {
  std::error_code problem;
  const fs::path plain = fs::canonical(folder, problem);
  if (problem) return Error(folder.string() + ": " + problem.message());
  const bool has_tree = fs::exists(plain / ".git", problem);
  const fs::path given = fs::absolute(folder).lexically_normal();  // keeps the name of a link
  GitRepository repository(given.has_filename() ? given : given.parent_path(),
                           has_tree ? plain / ".git" : plain);
  const Result<std::string> head =
      repository.git({"rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"});
  if (!head)
    return Error(folder.string() + ": not a git repository with a commit (" +
                 head.error().message() + ")");
  return repository;
}

Result<std::string> GitRepository::git(const std::vector<std::string>& arguments,
                                       std::string_view input) const {
  std::vector<std::string> all = {"git", "--git-dir=" + git_folder_.string()};
  all.insert(all.end(), kOverrides.begin(), kOverrides.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(all, environment(), input);
}

Result<std::vector<std::string>> GitRepository::commits() const {
  const Result<std::string> listed =
      git({"rev-list", "--min-parents=1", "--max-parents=1",
           "--max-count=" + std::to_string(kMaxCommits), "--end-of-options", "HEAD"});
  if (!listed) return listed.error();
  std::vector<std::string> out;
  for (const std::string_view name : split_lines(*listed)) {
    if (!is_object_name(name)) return unexpected(folder_);
    out.emplace_back(name);
  }
  return out;
}

// With -z each commit is its name, then for every file the entry and the path, each terminated by a
// zero byte. A path always follows an entry, so a path that looks like a commit is not mistaken for
// one.
Result<std::vector<CommitChange>> GitRepository::changes(
    const std::vector<std::string>& commits) const {
  const Result<std::string> listed =
      git({"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
           "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"},
          text_of_lines(commits));
  if (!listed) return listed.error();
  std::vector<CommitChange> out;
  const std::vector<std::string_view> parts = split_terminated(*listed, '\0');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_object_name(parts[i])) {
      out.push_back({std::string(parts[i]), {}, false});
    } else if (parts[i].starts_with(':') && i + 1 < parts.size() && !out.empty()) {
      if (std::optional<ChangedFile> file = changed_file(parts[i], parts[i + 1]))
        out.back().files.push_back(std::move(*file));
      else
        out.back().others = true;
      ++i;
    } else {
      return unexpected(folder_);
    }
  }
  return out;
}

// Each object is "NAME TYPE SIZE\n", its bytes and "\n", or "NAME missing\n". Sizes are requested
// first, so that no object that is too large is read.
Result<std::vector<std::optional<std::string>>> GitRepository::contents(
    const std::vector<std::string>& objects, std::size_t max_bytes) const {
  for (const std::string& object : objects)
    if (!is_object_name(object))
      return Error(folder_.string() + ": '" + object + "' is not an object name");
  const Result<std::string> sizes =
      git({"cat-file", "--batch-check=%(objectname) %(objectsize)"}, text_of_lines(objects));
  if (!sizes) return sizes.error();
  std::vector<std::optional<std::string>> out(objects.size());
  std::vector<std::string> wanted;
  std::vector<std::size_t> places;
  const std::vector<std::string_view> lines = split_lines(*sizes);
  if (lines.size() != objects.size()) return unexpected(folder_);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view size =
        lines[i].substr(std::min(lines[i].find(' ') + 1, lines[i].size()));
    std::size_t bytes = 0;
    const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), bytes);
    if (problem != std::errc() || end != size.data() + size.size() || bytes > max_bytes) continue;
    wanted.push_back(objects[i]);
    places.push_back(i);
  }
  const Result<std::string> read =
      git({"cat-file", "--batch=%(objectsize)"}, text_of_lines(wanted));
  if (!read) return read.error();
  std::string_view rest = *read;
  for (const std::size_t place : places) {
    std::size_t bytes = 0;
    const auto [end, problem] = std::from_chars(rest.data(), rest.data() + rest.size(), bytes);
    const auto header = static_cast<std::size_t>(end - rest.data()) + 1;
    if (problem != std::errc() || bytes > max_bytes || rest.size() < header + bytes + 1)
      return unexpected(folder_);
    out[place] = std::string(rest.substr(header, bytes));
    rest.remove_prefix(header + bytes + 1);
  }
  return out;
}

Result<std::vector<NamedText>> GitRepository::licence_files() const {
  const Result<std::string> tree = git({"ls-tree", "-z", "--end-of-options", "HEAD"});
  if (!tree) return tree.error();
  std::vector<std::string> names, objects;
  for (const std::string_view entry : split_terminated(*tree, '\0')) {  // "100644 blob NAME\tPATH"
    const std::size_t tab = entry.find('\t');
    if (tab == entry.npos) return unexpected(folder_);
    const std::vector<std::string_view> parts = split_terminated(entry.substr(0, tab), ' ');
    const std::string_view name = entry.substr(tab + 1);
    if (parts.size() != 3 || parts[1] != "blob" || parts[0] == "120000") continue;
    if (!is_licence_file(name) && !is_package_metadata(name)) continue;
    names.emplace_back(name);
    objects.emplace_back(parts[2]);
  }
  Result<std::vector<std::optional<std::string>>> read = contents(objects, kMaxLicenceBytes);
  if (!read) return read.error();
  std::vector<NamedText> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out.push_back({names[i], (*read)[i].value_or("")});  // too large: an unknown licence
  return out;
}

std::string GitRepository::name() const {
  const std::string name = folder_.filename().string();
  return name.ends_with(".git") ? name.substr(0, name.size() - 4) : name;
}

std::string GitRepository::message_of(const std::string& commit_object) {
  const std::size_t end = commit_object.find("\n\n");
  return end == std::string::npos ? std::string() : commit_object.substr(end + 2);
}

}  // namespace redraft
