#include "indexing/files/file_kind.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "indexing/files/ignore_rules.h"
#include "indexing/files/secret_names.h"
#include "indexing/files/secret_text.h"
#include "support/utf8/utf8.h"

namespace redraft {
namespace {

// The tables have the format of ignore files; paths are compared in lower case.

constexpr std::string_view kVersionControlNames =
    ".git\n.hg/\n.svn/\n.bzr/\n.jj/\n.sl/\n.pijul/\n_darcs/\n";

constexpr std::string_view kUnwantedFolders = R"(
node_modules/
bower_components/
jspm_packages/
site-packages/
__pycache__/
__pypackages__/
.venv/
.tox/
.nox/
.eggs/
.mypy_cache/
.pytest_cache/
.ruff_cache/
.gradle/
.terraform/
.next/
.nuxt/
.yarn/
.pnpm-store/
)";

constexpr std::string_view kUnwantedFiles = R"(
package-lock.json
npm-shrinkwrap.json
yarn.lock
pnpm-lock.yaml
bun.lock
deno.lock
cargo.lock
poetry.lock
pdm.lock
uv.lock
pipfile.lock
gemfile.lock
composer.lock
mix.lock
pubspec.lock
podfile.lock
package.resolved
packages.lock.json
flake.lock
conda-lock.yml
go.sum
go.work.sum
gradle.lockfile
.terraform.lock.hcl
*.min.js
*.min.mjs
*.min.css
*-min.js
*-min.css
*.bundle.js
*.bundle.css
*.chunk.js
*.chunk.css
jquery-[0-9]*.js
*.js.map
*.mjs.map
*.css.map
.pnp.cjs
.pnp.loader.mjs
)";

using LanguageName = std::pair<std::string_view, std::string_view>;

constexpr auto kLanguageOfEnding = std::to_array<LanguageName>({
    {"c", "c"},
    {"h", "cpp"},
    {"cc", "cpp"},
    {"cpp", "cpp"},
    {"cxx", "cpp"},
    {"c++", "cpp"},
    {"hh", "cpp"},
    {"hpp", "cpp"},
    {"hxx", "cpp"},
    {"inl", "cpp"},
    {"ipp", "cpp"},
    {"cu", "cuda-cpp"},
    {"cuh", "cuda-cpp"},
    {"py", "python"},
    {"pyi", "python"},
    {"pyw", "python"},
    {"js", "javascript"},
    {"mjs", "javascript"},
    {"cjs", "javascript"},
    {"jsx", "javascriptreact"},
    {"ts", "typescript"},
    {"mts", "typescript"},
    {"cts", "typescript"},
    {"tsx", "typescriptreact"},
    {"go", "go"},
    {"rs", "rust"},
    {"java", "java"},
    {"cs", "csharp"},
    {"csx", "csharp"},
    {"rb", "ruby"},
    {"rake", "ruby"},
    {"gemspec", "ruby"},
    {"php", "php"},
    {"phtml", "php"},
    {"sh", "shellscript"},
    {"bash", "shellscript"},
    {"json", "json"},
    {"jsonc", "jsonc"},
    {"yaml", "yaml"},
    {"yml", "yaml"},
    {"toml", "toml"},
    {"html", "html"},
    {"htm", "html"},
    {"css", "css"},
    {"md", "markdown"},
    {"markdown", "markdown"},
    {"lua", "lua"},
    {"hs", "haskell"},
    {"kt", "kotlin"},
    {"pl", "perl"},
    {"proto", "proto3"},
    {"r", "r"},
    {"scala", "scala"},
    {"scss", "scss"},
    {"sql", "sql"},
    {"swift", "swift"},
    {"xml", "xml"},
    {"zig", "zig"},
});

constexpr auto kLanguageOfName = std::to_array<LanguageName>({
    {"makefile", "makefile"},
    {"gnumakefile", "makefile"},
    {"dockerfile", "dockerfile"},
    {"cmakelists.txt", "cmake"},
    {"rakefile", "ruby"},
    {"gemfile", "ruby"},
    {".bashrc", "shellscript"},
    {".bash_profile", "shellscript"},
    {".profile", "shellscript"},
    {".clang-format", "yaml"},
    {".clang-tidy", "yaml"},
});

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool listed(const IgnorePatterns& names, std::string_view path, bool is_folder) {
  return names.verdict(path, is_folder) == IgnoreVerdict::kIgnored;
}

std::string_view find(std::span<const LanguageName> table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &LanguageName::first);
  return found == table.end() ? std::string_view{} : found->second;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The comments at the beginning of a file, in lower case; reads only its first lines.
std::string opening_comment(std::string_view text) {
  constexpr int kMaxLines = 30;
  constexpr std::size_t kMaxBytes = 4096;
  constexpr std::string_view kOpenings[] = {"//", "#",  "/*", "*",  "--",    ";",
                                            "%",  "<!", "'",  "\"", "<?php", "{-"};
  text = text.substr(0, kMaxBytes);
  std::string comment;
  bool in_block = false;  // whether it is in a comment whose lines need no prefix
  for (int line_idx = 0; line_idx < kMaxLines && !text.empty(); ++line_idx) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r\xEF\xBB\xBF"), line.size()));
    const bool is_comment = std::ranges::any_of(
        kOpenings, [&](std::string_view opening) { return line.starts_with(opening); });
    if (!line.empty() && !is_comment && !in_block) break;
    if (line.starts_with("/*")) in_block = true;
    if (line.find("*/") != std::string_view::npos) in_block = false;
    comment += lower_case(line) + "\n";
  }
  return comment;
}

bool says_generated(std::string_view text) {
  const std::string comment = opening_comment(text);
  if (has(comment, "@generated")) return true;
  if (!has(comment, "generated")) return false;
  for (const std::string_view plea :
       {"do not edit", "don't edit", "do not modify", "do not change", "do not manually edit",
        "file is generated", "file was generated", "file is auto-generated",
        "file is autogenerated", "file is automatically generated", "file has been generated",
        "file was auto-generated", "file was autogenerated", "file was automatically generated"}) {
    if (has(comment, plea)) return true;
  }
  return false;
}

// Lines that nobody writes by hand. In prose, a paragraph may be one long line.
bool is_minified(std::string_view path, std::string_view text) {
  constexpr std::size_t kLongestLine = 20'000;
  constexpr std::size_t kMeanLine = 400;
  constexpr std::size_t kMinBytes = 4'000;
  if (text.size() < kMinBytes) return false;
  std::size_t lines = 1;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end - at > kLongestLine) return true;
    at = end + 1;
  }
  const std::string_view language = language_of(path);
  const bool is_prose = language == "markdown" || language.empty();
  return !is_prose && text.size() / lines > kMeanLine;
}

}  // namespace

std::string_view language_of(std::string_view path) {
  const std::string name = lower_case(name_of(path));
  if (const std::string_view known = find(kLanguageOfName, name); !known.empty()) return known;
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? "" : find(kLanguageOfEnding, name.substr(dot + 1));
}

std::optional<SkipReason> forbidden_name(std::string_view path, bool is_folder) {
  static const IgnorePatterns version_control(kVersionControlNames);
  const std::string lower = lower_case(path);
  if (listed(version_control, lower, is_folder)) return SkipReason::kVersionControl;
  if (is_secret_name(lower, is_folder)) return SkipReason::kSecret;
  return std::nullopt;
}

std::optional<SkipReason> unwanted_name(std::string_view path, bool is_folder) {
  static const IgnorePatterns folders(kUnwantedFolders);
  static const IgnorePatterns files(kUnwantedFiles);
  const std::string lower = lower_case(path);
  if (is_folder) {
    if (listed(folders, lower, true)) return SkipReason::kDependencies;
  } else if (listed(files, lower, false)) {
    return SkipReason::kGenerated;
  }
  return std::nullopt;
}

std::optional<SkipReason> unwanted_text(std::string_view path, std::string_view text,
                                        bool complete) {
  if (has_secret(text)) return SkipReason::kSecret;
  if (text.find('\0') != std::string_view::npos) return SkipReason::kBinary;
  if (!is_utf8(text, complete)) return SkipReason::kBinary;
  if (is_minified(path, text) || says_generated(text)) return SkipReason::kGenerated;
  return std::nullopt;
}

std::string_view to_text(SkipReason reason) {
  static constexpr std::array<std::string_view, kSkipReasonCount> kTexts = {
      "ignored",
      "version control",
      "installed dependencies or a cache",
      "a secret",
      "a symbolic link",
      "not a regular file",
      "too large",
      "binary",
      "generated",
      "a name that is not UTF-8",
      "unreadable",
      "nested too deeply",
      "seen before",
      "vanished"};
  return kTexts[static_cast<std::size_t>(reason)];
}

}  // namespace redraft
