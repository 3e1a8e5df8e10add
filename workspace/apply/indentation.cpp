#include "workspace/apply/indentation.h"

#include <algorithm>
#include <map>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/indent_unit.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxUnit = 8;

bool is_blank_line(std::string_view line) { return trimmed(line).empty(); }

std::string levels_of(std::size_t n, IndentStep unit) {
  const char blank = unit.is_tab() ? '\t' : ' ';
  return std::string(n * static_cast<std::size_t>(std::max(unit.width, 1)), blank);
}

// `blanks` with each level as `to`; what is not a whole level stays.
std::string in_unit(std::string_view blanks, IndentStep from, IndentStep to) {
  const char blank = from.is_tab() ? '\t' : ' ';
  const std::size_t size = std::min(blanks.find_first_not_of(blank), blanks.size());
  const std::size_t levels = size / static_cast<std::size_t>(std::max(from.width, 1));
  const std::size_t used = levels * static_cast<std::size_t>(std::max(from.width, 1));
  return levels_of(levels, to) + std::string(blanks.substr(used));
}

}  // namespace

std::optional<IndentStep> indent_step_of(const std::vector<std::string_view>& lines) {
  std::map<int, int> votes;               // by the unit's width
  std::optional<std::string_view> above;  // the first line may be at any depth
  bool has_tabs = false;
  for (const std::string_view line : lines) {
    if (is_blank_line(line)) continue;
    const std::string_view here = indentation_of(line);
    has_tabs |= here.starts_with('\t');
    const std::string_view before = indentation_of(above.value_or(line));
    if (here.size() > before.size() && here.starts_with(before) && !continues_line(*above, line)) {
      const std::string_view more = here.substr(before.size());
      const bool is_tab = more == "\t";
      const bool is_spaces = more.find_first_not_of(' ') == std::string_view::npos;
      if (is_tab) ++votes[0];
      if (is_spaces && more.size() > 1 && more.size() <= kMaxUnit)
        ++votes[static_cast<int>(more.size())];
    }
    above = line;
  }
  const auto most = std::ranges::max_element(
      votes, [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != votes.end()) return IndentStep{most->first};
  return has_tabs ? std::optional(IndentStep{0}) : std::nullopt;
}

std::optional<IndentStep> indent_step_of(const std::vector<std::string>& lines) {
  return indent_step_of(std::vector<std::string_view>(lines.begin(), lines.end()));
}

void IndentMap::learn(std::string_view line, std::string_view there) {
  if (is_blank_line(line)) return;
  const std::string from(indentation_of(line)), to(indentation_of(there));
  const auto known = std::ranges::find(known_, from, &Known::from);
  if (known == known_.end()) {
    known_.push_back({from, to});
  } else if (known->to != to) {
    known->is_certain = false;
  }
}

// Whether lines that both have show that the change indents as the file does.
bool IndentMap::has_same_depths() const {
  return std::ranges::any_of(known_, [](const Known& one) { return !one.from.empty(); }) &&
         std::ranges::all_of(known_,
                             [](const Known& one) { return one.is_certain && one.from == one.to; });
}

// Whether all lines that both have are as many blanks deeper, or less deep, in the file.
bool IndentMap::are_moved_alike() const {
  return std::ranges::all_of(known_, [&](const Known& one) {
    const auto moved = [](const Known& known) {
      return static_cast<std::ptrdiff_t>(known.to.size()) -
             static_cast<std::ptrdiff_t>(known.from.size());
    };
    const bool is_of_one = one.from.starts_with(one.to) || one.to.starts_with(one.from) ||
                           one.to.ends_with(one.from) || one.from.ends_with(one.to);
    return one.is_certain && is_of_one && moved(one) == moved(known_.front());
  });
}

bool IndentMap::is_guess(std::string_view line) const {
  if (is_blank_line(line) || known_.empty() || are_moved_alike() || other_units()) return false;
  if (from_ && to_ && fits(*from_, *to_)) return false;
  const std::string_view here = indentation_of(line);
  return std::ranges::none_of(known_, [&](const Known& one) { return one.from == here; });
}

// Whether these units explain every indentation that both have.
bool IndentMap::fits(IndentStep from, IndentStep to) const {
  bool says_something = false;
  for (const Known& one : known_) {
    if (!one.is_certain || in_unit(one.from, from, to) != one.to) return false;
    says_something |= !one.from.empty();
  }
  return says_something;
}

// Units that explain it, if those of the change and the file as wholes do not: lines that continue
// a statement have others, and a change may be short. Nothing: the known depths are better.
std::optional<std::pair<IndentStep, IndentStep>> IndentMap::other_units() const {
  if (has_same_depths() || (from_ && to_ && fits(*from_, *to_))) return std::nullopt;
  constexpr int kWidths[] = {0, 2, 4, 8, 3};
  std::optional<std::pair<IndentStep, IndentStep>> found;
  for (const int from : kWidths) {
    for (const int to : kWidths) {
      if (from == to || !fits({from}, {to})) continue;
      const bool is_units_of_file = to_ && to_->width == to;
      if (!found || is_units_of_file) found.emplace(IndentStep{from}, IndentStep{to});
    }
  }
  return found;
}

// The file's blanks for blanks of the change that go beyond an indentation that is known.
std::optional<std::string> IndentMap::converted(std::string_view deeper) const {
  if (deeper.empty()) return std::string();
  if (!to_ || from_ == to_ || has_same_depths()) return std::string(deeper);
  if (from_) return in_unit(deeper, *from_, *to_);
  // The change has one depth only: its blanks are one level.
  const bool is_spaces = deeper.find_first_not_of(' ') == std::string_view::npos;
  if (to_->is_tab() && is_spaces && deeper.size() > 1) return std::string("\t");
  return std::string(deeper);
}

std::optional<std::string> IndentMap::operator()(std::string_view line) const {
  if (is_blank_line(line)) return std::string();
  const std::string_view here = indentation_of(line);
  const std::string text(line.substr(here.size()));
  if (const auto units = other_units()) return in_unit(here, units->first, units->second) + text;
  const Known* base = nullptr;    // the deepest one that the line is within
  const Known* deeper = nullptr;  // the least deep one that is within the line's depth
  for (const Known& one : known_) {
    if (here == one.from) {
      return one.is_certain ? std::optional(one.to + text) : std::nullopt;
    }
    if (!one.is_certain) continue;
    if (here.starts_with(one.from) && (!base || one.from.size() > base->from.size())) base = &one;
    if (one.from.starts_with(here) && (!deeper || one.from.size() < deeper->from.size()))
      deeper = &one;
  }
  if (base != nullptr) {
    const auto more = converted(here.substr(base->from.size()));
    return more ? std::optional(base->to + *more + text) : std::nullopt;
  }
  if (deeper != nullptr) {
    const auto less = converted(std::string_view(deeper->from).substr(here.size()));
    if (!less || !deeper->to.ends_with(*less)) return std::nullopt;
    return deeper->to.substr(0, deeper->to.size() - less->size()) + text;
  }
  if (!known_.empty()) return std::nullopt;
  const auto all = converted(here);
  return all ? std::optional(*all + text) : std::nullopt;
}

std::optional<std::vector<std::string>> IndentMap::operator()(
    const std::vector<std::string>& lines) const {
  std::vector<std::string> result;
  for (const std::string& line : lines) {
    std::optional<std::string> one = (*this)(line);
    if (!one) return std::nullopt;
    result.push_back(*std::move(one));
  }
  return result;
}

std::vector<std::string> with_unit(std::vector<std::string> lines, IndentStep from, IndentStep to) {
  if (from == to) return lines;
  for (std::string& line : lines) {
    const std::string_view here = indentation_of(line);
    if (here.size() == line.size()) continue;
    line = in_unit(here, from, to) + line.substr(here.size());
  }
  return lines;
}

}  // namespace redraft
