#include "workspace/apply/file_sections.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "languages/languages.h"
#include "text/strings/lines.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::string_view kMakefile = "makefile";

bool is_markdown(std::string_view language_id) {
  const Language* const language = find_language(language_id);
  return language != nullptr && language->content == Content::kFencedProse;
}

struct Line {
  std::size_t begin = 0;
  std::string_view text;  // without its ending
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  for (std::string_view line : split_lines(text)) {
    const std::size_t size = line.size() + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({begin, line});
    begin += size;
  }
  return lines;
}

// The level of a heading: 1 to 6; 0: it is none.
int heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  const bool is_heading = level >= 1 && level <= 6 && level < line.size() && line[level] == ' ';
  return is_heading ? static_cast<int>(level) : 0;
}

// The level of the heading that a line of "=" or "-" makes of the line above it.
int underline_level(const Line& line, const Line* above) {
  if (above == nullptr || trimmed(above->text).empty() || heading_level(above->text) > 0) return 0;
  const std::string_view text = trimmed(line.text);
  if (text.size() < 3) return 0;
  if (text.find_first_not_of('=') == std::string_view::npos) return 1;
  return text.find_first_not_of('-') == std::string_view::npos ? 2 : 0;
}

class Sections {
 public:
  explicit Sections(std::string_view text) : lines_(lines_of(text)) {}

  std::vector<NamedDefinition> of_markdown() {
    std::string_view fence;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string_view text = trimmed(lines_[i].text);
      const bool is_fence = text.starts_with("```") || text.starts_with("~~~");
      if (is_fence) fence = fence.empty() ? text.substr(0, 3) : std::string_view();
      if (is_fence || !fence.empty()) continue;
      if (const int level = heading_level(lines_[i].text); level > 0) {
        begin_section(i, level, trimmed(text, "# "));
      } else if (const int under = underline_level(lines_[i], i > 0 ? &lines_[i - 1] : nullptr)) {
        begin_section(i - 1, under, trimmed(lines_[i - 1].text));
      }
    }
    end_sections(1, lines_.size());
    return std::move(found_);
  }

  // A rule ends with its last line that is indented.
  std::vector<NamedDefinition> of_makefile() {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::optional<std::string_view> target = target_of(lines_[i].text);
      if (!target) continue;
      std::size_t end = i + 1;
      for (std::size_t k = i + 1; k < lines_.size(); ++k) {
        const std::string_view line = lines_[k].text;
        const bool continues = lines_[k - 1].text.ends_with('\\');
        const bool is_recipe = !trimmed(line).empty() && !indentation_of(line).empty();
        if (!continues && !is_recipe && !trimmed(line).empty()) break;
        if (continues || is_recipe) end = k + 1;
      }
      add(i, end, std::string(), *target, DefinitionKind::kFunction);
    }
    return std::move(found_);
  }

 private:
  struct Open {
    int level;
    std::size_t index;  // of found_
  };

  // "all test" of "all test: a b"; nullopt: the line begins no rule.
  static std::optional<std::string_view> target_of(std::string_view line) {
    if (line.empty() || is_space(line.front()) || line.front() == '#') return std::nullopt;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos ||
        line.substr(0, colon).find('=') != std::string_view::npos)
      return std::nullopt;
    const std::string_view rest = line.substr(colon + 1);
    if (rest.starts_with('=') || rest.starts_with(":=")) return std::nullopt;
    const std::string_view target = trimmed(line.substr(0, colon));
    return target.empty() || target.starts_with('.') ? std::nullopt : std::optional(target);
  }

  void begin_section(std::size_t line, int level, std::string_view heading) {
    end_sections(level, line);
    std::string around;
    for (const Open& one : open_) around += found_[one.index].name + ".";
    const std::string name = std::string(static_cast<std::size_t>(level), '#') + " ";
    open_.push_back({level, found_.size()});
    add(line, line + 1, around, heading, DefinitionKind::kType);
    found_.back().name = name + found_.back().name;
  }

  // Ends the sections of this level and below it; blank lines at their ends are no part of them.
  void end_sections(int level, std::size_t line) {
    while (line > 0 && trimmed(lines_[line - 1].text).empty()) --line;
    while (!open_.empty() && open_.back().level >= level) {
      NamedDefinition& one = found_[open_.back().index];
      if (line > 0) one.range.end = std::max(one.range.end, end_of(line - 1));
      open_.pop_back();
    }
  }

  void add(std::size_t begin, std::size_t end, std::string around, std::string_view name,
           DefinitionKind kind) {
    const std::size_t at = lines_[begin].begin;
    found_.push_back({kind,
                      std::move(around),
                      std::string(name),
                      {at, at + lines_[begin].text.size()},
                      {at, end_of(end - 1)}});
  }

  std::size_t end_of(std::size_t line) const {
    return lines_[line].begin + lines_[line].text.size();
  }

  std::vector<Line> lines_;
  std::vector<NamedDefinition> found_;
  std::vector<Open> open_;
};

}  // namespace

bool has_sections(std::string_view language_id) {
  return language_id == kMakefile || is_markdown(language_id);
}

std::vector<NamedDefinition> sections_of(std::string_view text, std::string_view language_id) {
  return language_id == kMakefile ? Sections(text).of_makefile() : Sections(text).of_markdown();
}

bool has_tabs_in_sections(std::string_view language_id) { return language_id == kMakefile; }

}  // namespace redraft
