#include "workspace/apply/change_text.h"

#include <algorithm>
#include <utility>

#include "languages/languages.h"
#include "support/utf8/utf8.h"
#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/change_blocks.h"
#include "workspace/apply/change_path.h"
#include "workspace/apply/diff_reader.h"
#include "workspace/apply/ellipsis.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/search_blocks.h"

namespace redraft {
namespace {

// Without their line ends, "\n" or "\r\n".
ChangeLines lines_of(std::string_view text) {
  ChangeLines lines = split_lines(text);
  for (std::string_view& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

bool is_prose(const ChangedFile& file) {
  const Language* const language = find_language(file.language_id);
  return language != nullptr &&
         (language->content == Content::kFencedProse || language->content == Content::kProse);
}

std::optional<CodeSnippet> snippet_of(const ChangeBlock& block, const ChangedFile& file) {
  CodeSnippet snippet;
  const auto at = [&](std::size_t i) {
    return i < block.lines.size() ? block.lines[i] : std::string_view();
  };
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string_view line = block.lines[i];
    if (snippet.lines.empty() && is_blank_text(line)) continue;
    const bool stays = is_ellipsis_between(i > 0 ? at(i - 1) : std::string_view(), line, at(i + 1),
                                           file.language_id) &&
                       !file.has_line(trimmed(line));
    snippet.lines.push_back({std::string(line), stays});
  }
  while (!snippet.lines.empty() && is_blank_text(snippet.lines.back().text))
    snippet.lines.pop_back();
  const bool says_something = std::ranges::any_of(
      snippet.lines, [](const CodeSnippet::Line& line) { return !line.is_ellipsis; });
  if (block.file) snippet.files = {*block.file};
  return says_something ? std::optional(std::move(snippet)) : std::nullopt;
}

// Reads fenced code, diffs, or plain code.
void read_blocks(const ChangeLines& lines, const ChangedFile& file, ProposedChange& change) {
  const std::vector<ChangeBlock> blocks = blocks_of(lines, file);
  for (const ChangeBlock& block : blocks) {
    if (is_diff(block, is_prose(file))) {
      for (Replaced& hunk : read_diff(block.lines, file)) {
        if (hunk.files.empty() && block.file) hunk.files = {*block.file};
        change.replaced.push_back(std::move(hunk));
      }
      continue;
    }
    std::optional<CodeSnippet> snippet = snippet_of(block, file);
    if (!snippet) continue;
    if (!block.is_closed) change.doubt = "a block of code has no end: the change may be cut off";
    change.snippets.push_back(std::move(*snippet));
  }
  // A fence within the code may have ended a block too early.
  const auto is_inside = [&](std::string_view line) {
    return std::ranges::any_of(blocks, [&](const ChangeBlock& block) {
      return !block.lines.empty() && line.data() >= block.lines.front().data() &&
             line.data() <= block.lines.back().data();
    });
  };
  if (is_prose(file) || !change.doubt.empty()) return;
  for (const std::string_view line : lines) {
    if (fence_length(line) == 0 && !is_inside(line) && is_telling(line) && !path_on_line(line) &&
        file.has_line(trimmed(line))) {
      change.doubt = "'" + std::string(trimmed(line)) + "' is outside of the blocks of code";
    }
  }
}

// Keeps the parts for the file, and those that state none.
class PartsOfFile {
 public:
  PartsOfFile(const ChangedFile& file, std::vector<std::string>& others)
      : file_(file), others_(others) {}

  template <typename Part>
  void keep(std::vector<Part>& parts) {
    std::string other;  // the file of the last part that states one, if it is another file
    std::erase_if(parts, [&](Part& part) {
      if (part.files.empty()) {
        part.after_other = other;
        return false;
      }
      const bool is_ours =
          file_.path.empty() || std::ranges::any_of(part.files, [&](const std::string& path) {
            return is_same_file(path, file_.path);
          });
      other = is_ours ? std::string() : part.files.back();
      stated_.insert(stated_.end(), part.files.begin(), part.files.end());
      if (!is_ours && std::ranges::find(others_, other) == others_.end()) others_.push_back(other);
      return !is_ours;
    });
  }

  // Whether the parts are for several files.
  bool has_several() const {
    return std::ranges::any_of(
        stated_, [&](const std::string& path) { return !is_same_file(path, stated_.front()); });
  }

 private:
  const ChangedFile& file_;
  std::vector<std::string>& others_;
  std::vector<std::string> stated_;
};

std::string listed(const std::vector<std::string>& files) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(files.size(), kMost); ++i)
    text += (i == 0 ? "" : i + 1 == files.size() ? " and " : ", ") + files[i];
  if (files.size() > kMost) text += " and " + std::to_string(files.size() - kMost) + " others";
  return text;
}

// As many components of the file's path as the other path has.
std::string shown_path(const std::string& path, const std::string& other) {
  const auto n_slashes = std::ranges::count(other, '/');
  std::size_t begin = path.size();
  for (std::ptrdiff_t i = 0; i <= n_slashes && begin != 0 && begin != std::string::npos; ++i)
    begin = path.rfind('/', begin - 1);
  return begin == std::string::npos || begin == 0 ? path : path.substr(begin + 1);
}

Result<void> check_text(std::string_view text) {
  if (text.size() > kMaxChangeBytes)
    return Error("the change has " + std::to_string(text.size()) + " bytes; the limit is " +
                 std::to_string(kMaxChangeBytes) + " bytes");
  if (const auto invalid = first_invalid_utf8(text))
    return Error("the change is not UTF-8 text at byte " + std::to_string(*invalid));
  if (text.find('\0') != std::string_view::npos) return Error("the change has a NUL byte");
  return {};
}

ProposedChange all_parts(const ChangeLines& lines, const ChangedFile& file) {
  ProposedChange change;
  if (const ChangeLines patches = codex_patches(lines); !patches.empty()) {
    change.replaced = read_diff(patches, file);
    if (!change.replaced.empty()) return change;
  }
  // Their marks are not fences, and may be inside or outside of one.
  ChangeLines outside;
  if (read_search_blocks(lines, file, change, outside)) {
    const bool has_code =
        std::ranges::any_of(blocks_of(outside, file), [](const ChangeBlock& block) {
          return block.is_fenced && std::ranges::any_of(block.lines, is_telling);
        });
    if (has_code) change.notes.emplace_back("left out the code outside of SEARCH and REPLACE");
    return change;
  }
  read_blocks(lines, file, change);
  return change;
}

}  // namespace

Result<ProposedChange> parse_change(std::string_view text, const ChangedFile& file) {
  if (const Result<void> checked = check_text(text); !checked) return checked.error();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  ProposedChange change = all_parts(lines_of(text), file);
  std::vector<std::string> others;
  PartsOfFile parts(file, others);
  parts.keep(change.replaced);
  parts.keep(change.snippets);
  if (file.path.empty() && parts.has_several())
    return Error("the change is for several files: name the one to change");
  if (!change.replaced.empty() || !change.snippets.empty()) {
    if (!others.empty()) change.notes.push_back("left out what is for " + listed(others));
    return change;
  }
  if (!others.empty())
    return Error("the change is for " + listed(others) + ", not for " +
                 shown_path(file.path, others.front()));
  if (!change.doubt.empty()) return Error(change.doubt);
  return Error(trimmed(text).empty() ? "the change is empty: copy some code first"
                                     : "the change contains no code");
}

}  // namespace redraft
