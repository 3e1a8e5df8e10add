#include "workspace/apply/change_path.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "languages/languages.h"
#include "text/strings/lines.h"
#include "text/strings/lower_case.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

// Files that redraft has no row for.
constexpr std::string_view kEndings =
    "txt rst adoc cfg ini conf env lock csv tsv xml svg kt kts swift dart ex exs erl hs ml clj jl "
    "r m mm pl pm vue svelte tf hcl sql graphql proto cmake mk gradle sbt bat ps1 fish zsh tex "
    "sass "
    "scss less mdx ipynb plist csproj sln zig nim v sv vhd f90 cu cuh groovy editorconfig patch";
constexpr std::string_view kNames =
    "makefile gnumakefile dockerfile containerfile cmakelists.txt gemfile rakefile procfile "
    "vagrantfile jenkinsfile justfile license readme .gitignore .dockerignore .env .editorconfig "
    ".gitattributes .npmrc .bashrc .eslintrc .prettierrc go.mod go.sum cargo.lock";
// Products whose names look like files.
constexpr std::string_view kProducts =
    "node.js vue.js next.js nuxt.js react.js express.js three.js d3.js chart.js ember.js nest.js "
    "moment.js backbone.js angular.js p5.js alpine.js solid.js discord.js";
// Words before a file that the code is not for.
constexpr std::string_view kMentions =
    "from using uses use import imports imported see like unlike with than calls by via unchanged";

// The endings that people leave out: "README".
constexpr std::string_view kProseEndings = "md markdown mdx rst adoc txt";

std::string_view name_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool is_path_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0 ||
         std::string_view("_-./\\@+~()[]$").find(c) != std::string_view::npos;
}

// Whether a word is the path of a file rather than an expression with a dot.
bool is_path(std::string_view word) {
  if (word.empty() || !std::ranges::all_of(word, is_path_char)) return false;
  if (word.ends_with('/') || word.ends_with('.') || word.starts_with("...")) return false;
  const std::string small = lower_case(plain_path(word));
  const std::string_view name = name_of(small);
  if (has_word(kProducts, name)) return false;
  if (has_word(kNames, name)) return word.find('/') != std::string_view::npos || name.size() > 3;
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot + 1 == name.size() || dot == 0) return false;
  if (name.find_first_of("()") != std::string_view::npos &&
      word.find('/') == std::string_view::npos)
    return false;
  return !language_of(name).empty() || has_word(kEndings, name.substr(dot + 1));
}

// Without quotes, back-ticks, emphasis and punctuation around it.
std::string_view bare(std::string_view word) {
  constexpr std::string_view kAround = "`*\"'<>,;:!?{}#| \t";
  word = trimmed(word, kAround);
  if (word.starts_with('(') && word.find(')') == word.size() - 1) word = word.substr(1);
  if (word.ends_with(')') && word.find('(') == std::string_view::npos) word.remove_suffix(1);
  return trimmed(word, kAround);
}

std::string_view without_prefix_word(std::string_view text) {
  constexpr std::string_view kPrefixes[] = {"file path", "file name", "filepath", "filename",
                                            "file",      "path",      "in",       "update file",
                                            "add file",  "modified",  "updated",  "new file"};
  const std::string small = lower_case(text);
  for (const std::string_view prefix : kPrefixes) {
    if (!small.starts_with(prefix)) continue;
    const std::string_view rest = text.substr(prefix.size());
    if (rest.starts_with(':') || rest.starts_with(' ') || rest.starts_with('='))
      return trimmed(rest, ": =\t*_`\"'");
  }
  return text;
}

// Whether a name is that of a text without its ending: "README" of "README.md".
bool is_short_for(std::string_view name, std::string_view file) {
  const std::size_t dot = file.find_last_of('.');
  return dot != std::string_view::npos && has_word(kProseEndings, file.substr(dot + 1)) &&
         lower_case(name) == lower_case(file.substr(0, dot));
}

// "license" is a word, too, and "makefile" a language.
bool is_plain_word(std::string_view word) {
  return word.find_first_of("./`") == std::string_view::npos && lower_case(word) == word;
}

std::optional<std::string> path_of(std::string_view word) {
  if (is_plain_word(word)) return std::nullopt;
  word = bare(word);
  return is_path(word) ? std::optional(plain_path(word)) : std::nullopt;
}

// Without the number of a list's item: "1. ", "2) ", "- ".
std::string_view without_item(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits > 0 && digits + 1 < text.size() && (text[digits] == '.' || text[digits] == ')') &&
      text[digits + 1] == ' ')
    return trimmed(text.substr(digits + 1));
  if (text.starts_with("- ") || text.starts_with("* ")) return trimmed(text.substr(2));
  return text;
}

// The one file that a sentence before a block names.
std::optional<std::string> path_in_sentence(std::string_view line) {
  std::optional<std::string> found;
  std::string word_before, before;
  for (const std::string_view word : split_separated(line, ' ')) {
    if (std::optional<std::string> path = path_of(word); path) {
      if (found && *found != *path) return std::nullopt;
      found = std::move(path);
      before = word_before;
    }
    word_before = lower_case(bare(word));
  }
  return found && !has_word(kMentions, before) ? found : std::nullopt;
}

}  // namespace

std::string plain_path(std::string_view path, bool is_of_diff) {
  path = trimmed(path);
  std::string text;
  if (path.size() > 1 && path.front() == '"' && path.back() == '"') {
    path = path.substr(1, path.size() - 2);
    // git writes bytes beyond ASCII as octal numbers.
    for (std::size_t i = 0; i < path.size(); ++i) {
      const auto is_octal = [&](std::size_t at) { return path[at] >= '0' && path[at] <= '7'; };
      if (path[i] == '\\' && i + 3 < path.size() && is_octal(i + 1) && is_octal(i + 2) &&
          is_octal(i + 3)) {
        text += static_cast<char>((path[i + 1] - '0') * 64 + (path[i + 2] - '0') * 8 + path[i + 3] -
                                  '0');
        i += 3;
      } else if (path[i] != '\\' || i + 1 == path.size()) {
        text += path[i];
      }
    }
  } else {
    text = path;
    std::ranges::replace(text, '\\', '/');
  }
  if (text == "/dev/null") return {};
  constexpr std::string_view kPrefixes[] = {"a/", "b/", "i/", "w/", "c/", "o/"};
  const bool has_prefix = std::ranges::any_of(
      kPrefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
  if (is_of_diff && has_prefix) text.erase(0, 2);
  std::string plain;
  for (const std::string_view part : split_separated(text, '/')) {
    if (part.empty() || part == ".") continue;
    if (!plain.empty()) plain += '/';
    plain += part;
  }
  return plain;
}

bool is_same_file(std::string_view path, std::string_view other) {
  while (!path.empty() && !other.empty()) {
    const std::string_view a = name_of(path), b = name_of(other);
    if (a != b && !is_short_for(a, b) && !is_short_for(b, a)) return false;
    path.remove_suffix(std::min(path.size(), a.size() + 1));
    other.remove_suffix(std::min(other.size(), b.size() + 1));
  }
  return true;
}

std::optional<std::string> path_on_line(std::string_view line) {
  line = trimmed(line);
  for (const std::string_view tag : {"path", "file_path", "file", "filename"}) {
    const std::string open = "<" + std::string(tag) + ">";
    if (!line.starts_with(open)) continue;
    line.remove_prefix(open.size());
    return path_of(line.substr(0, line.find('<')));
  }
  const bool ends_with_colon = trimmed(line, "*_` \t").ends_with(':');
  line = trimmed(without_item(trimmed(line, "#> \t")), "*_ \t:");
  line = without_prefix_word(without_item(line));
  if (std::optional<std::string> path = path_of(line)) return path;
  // "`src/a.py` (new)", "src/a.py - the loader"
  const std::size_t blank = line.find(' ');
  if (blank != std::string_view::npos) {
    const std::string_view rest = trimmed(line.substr(blank));
    const bool is_aside = rest.starts_with('(') || rest.starts_with("- ") ||
                          rest.starts_with("\u2014") || rest.starts_with("\u2013");
    if (is_aside) {
      if (std::optional<std::string> path = path_of(line.substr(0, blank))) return path;
    }
  }
  return ends_with_colon ? path_in_sentence(line) : std::nullopt;
}

std::optional<std::string> path_in_info(std::string_view info) {
  info = trimmed(info);
  for (const std::string_view word : split_separated(info, ' ')) {
    std::string_view value = trimmed(word, "{}");
    const std::size_t equals = value.find('=');
    if (equals != std::string_view::npos) value.remove_prefix(equals + 1);
    // "python:src/a.py", "12:15:src/a.py"
    const std::size_t colon = value.find_last_of(':');
    if (colon != std::string_view::npos) value.remove_prefix(colon + 1);
    if (std::optional<std::string> path = path_of(value)) return path;
  }
  return std::nullopt;
}

std::optional<std::string> path_in_comment(std::string_view text) {
  return path_of(without_prefix_word(trimmed(text)));
}

}  // namespace redraft
