#include "bench/doubts/damaged_texts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <random>
#include <string_view>

#include "text/strings/joined.h"
#include "text/strings/lines.h"
#include "workspace/edit/head_line.h"
#include "workspace/edit/line_blocks.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t kMinLines = 12;  // of an answer that is damaged
constexpr std::size_t kRepeated = 8;   // lines
constexpr std::size_t kMaxBlockBytes = 1500;
constexpr std::array<const char*, 6> kStandIns = {
    "// ... existing code ...",   "...", "# rest of the code", "<!-- rest -->", "/* ... */",
    "// remaining code unchanged"};

class Damage {
 public:
  explicit Damage(const ChangedFile& file) : first_(file.new_first), end_(file.new_end) {
    for (const std::string_view line : split_lines(file.after)) lines_.emplace_back(line);
    std::seed_seq seeds(file.id.begin(), file.id.end());
    random_.seed(seeds);
  }

  std::vector<DamagedText> all() {
    std::vector<DamagedText> texts;
    const std::size_t n = end_ - first_;
    if (n < kMinLines) return texts;
    const std::size_t cut = first_ + n * (40 + below(40)) / 100;
    texts.push_back({"ends too early", with(cut, end_, {})});
    const std::size_t third = first_ + below(n - n / 3);
    texts.push_back({"a third left out", with(third, third + n / 3, {})});
    texts.push_back({"a line stands for a third",
                     with(third, third + n / 3, {kStandIns[below(kStandIns.size())]})});
    const std::size_t repeated = first_ + below(n - kRepeated);
    texts.push_back({"lines written twice", twice(repeated, repeated + kRepeated)});
    if (auto text = defined_twice()) texts.push_back({"a definition twice", *std::move(text)});
    if (auto text = without_bracket()) texts.push_back({"a bracket lost", *std::move(text)});
    return texts;
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  // The text with the lines [first, end) replaced.
  std::string with(std::size_t first, std::size_t end, const Lines& others) const {
    const auto at = [&](std::size_t line) {
      return lines_.begin() + static_cast<std::ptrdiff_t>(line);
    };
    Lines all(lines_.begin(), at(first));
    all.insert(all.end(), others.begin(), others.end());
    all.insert(all.end(), at(end), lines_.end());
    return text_of_lines(all);
  }

  std::string twice(std::size_t first, std::size_t end) const {
    const auto at = [&](std::size_t line) {
      return lines_.begin() + static_cast<std::ptrdiff_t>(line);
    };
    return with(end, end, Lines(at(first), at(end)));
  }

  // Definitions are those that the check without a tree recognises.
  std::optional<std::string> defined_twice() {
    const std::vector<std::string_view> views(lines_.begin(), lines_.end());
    std::vector<LineBlock> blocks = line_blocks(views, kMaxBlockBytes);
    std::erase_if(blocks, [&](const LineBlock& block) {
      const auto first = static_cast<std::size_t>(block.lines.first);
      const auto end = static_cast<std::size_t>(block.lines.last);
      return first < first_ || end > end_ ||
             declared_name(lines_[static_cast<std::size_t>(block.header)]).empty();
    });
    if (blocks.empty()) return std::nullopt;
    const LineWindow block = blocks[below(blocks.size())].lines;
    Lines copy = {""};
    copy.insert(copy.end(), lines_.begin() + block.first, lines_.begin() + block.last);
    const auto end = static_cast<std::size_t>(block.last);
    return with(end, end, copy);
  }

  std::optional<std::string> without_bracket() {
    std::vector<std::size_t> closing;  // lines that have one
    for (std::size_t i = first_; i < end_; ++i) {
      if (lines_[i].find_first_of(")]}") != std::string::npos) closing.push_back(i);
    }
    if (closing.empty()) return std::nullopt;
    const std::size_t i = closing[below(closing.size())];
    std::string line = lines_[i];
    line.erase(line.find_last_of(")]}"), 1);
    return with(i, i + 1, {line});
  }

  Lines lines_;
  std::size_t first_, end_;  // those of the answer
  std::mt19937 random_;
};

}  // namespace

std::vector<DamagedText> damaged_texts(const ChangedFile& file) { return Damage(file).all(); }

const std::vector<std::string>& damages() {
  static const std::vector<std::string> all = {
      "ends too early",      "a third left out",   "a line stands for a third",
      "lines written twice", "a definition twice", "a bracket lost"};
  return all;
}

}  // namespace redraft
