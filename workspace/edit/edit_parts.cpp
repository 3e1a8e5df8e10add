#include "workspace/edit/edit_parts.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include "support/utf8/utf8.h"
#include "text/strings/blank_text.h"
#include "text/strings/trimmed.h"
#include "workspace/edit/head_line.h"
#include "workspace/edit/line_blocks.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxHead = 100;  // bytes
// Definitions that are nested deeper belong to those around them.
constexpr int kMaxDepth = 32;
constexpr int kNoDefinition = -1;
// Where there is no syntax, lines without a blank one between them are cut beyond this number.
constexpr int kMaxParagraphLines = 40;

bool has_word(std::string_view line) {
  return std::ranges::any_of(line, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || std::isalnum(byte);
  });
}

std::string on_one_line(std::string_view name) {
  std::string line = shortened(name, kMaxHead);
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' '; }, ' ');
  return line;
}

class Divider {
 public:
  Divider(const EditRegion& file, std::size_t max_bytes)
      : file_(file),
        index_(file.document().lines()),
        max_bytes_(max_bytes),
        owners_(file.lines().size(), kNoDefinition) {}

  std::vector<EditPart> divide() {
    const SyntaxTree* tree = file_.document().syntax();
    const std::vector<Definition> definitions =
        tree == nullptr ? std::vector<Definition>() : tree->definitions();
    by_lines_ = definitions.empty();
    if (by_lines_) {
      paint(line_blocks(file_.lines(), max_bytes_));
    } else {
      paint(definitions);
    }
    for (int line = 0; line < n_lines(); ++line) {
      const std::size_t least = is_loose(line) ? max_bytes_ / kMaxParagraphLines : 0;
      sizes_.push_back(
          static_cast<int>(std::min(std::max(line_text(line).size() + 1, least), max_bytes_ + 1)));
    }
    ranks_ = cut_ranks(file_);
    for (int first = 0; first < n_lines();) {
      int last = first + 1;
      while (last < n_lines() && owner(last) == owner(first) && !ends_paragraph(last)) ++last;
      add_run({first, last});
      first = last;
    }
    return std::move(parts_);
  }

 private:
  struct Owner {
    std::string name;
    LineWindow lines;
    int header = 0;  // the line with its name
    bool is_divided = false;
    int around = kNoDefinition;  // the divided one that it stands in
  };

  int n_lines() const { return static_cast<int>(file_.lines().size()); }
  int owner(int line) const { return owners_[static_cast<std::size_t>(line)]; }
  std::string_view line_text(int line) const {
    return file_.lines()[static_cast<std::size_t>(line)];
  }
  bool tells(int line) const { return has_word(line_text(line)); }
  // Whether there is no syntax and the line is in no block that stays whole.
  bool is_loose(int line) const {
    return by_lines_ && (owner(line) == kNoDefinition ||
                         made_[static_cast<std::size_t>(owner(line))].is_divided);
  }
  bool ends_paragraph(int line) const {
    return is_loose(line) && is_blank_text(line_text(line - 1));
  }

  LineWindow lines_of(const Definition& definition) const {
    const int first = std::min(index_.line_of(definition.range.begin), n_lines());
    return {first, std::min(index_.line_of(definition.range.end - 1) + 1, n_lines())};
  }
  std::size_t bytes_of(LineWindow lines) const {
    return index_.start(lines.last) - index_.start(lines.first);
  }

  // Says for each line which definition it belongs to. One that is small enough has its lines to
  // itself; one of a single line is a statement like any other.
  void paint(const std::vector<Definition>& definitions) {
    for (std::size_t i = 0; i < definitions.size(); ++i) {
      const Definition& definition = definitions[i];
      if (definition.range.empty() || definition.depth > kMaxDepth) continue;
      const LineWindow lines = lines_of(definition);
      const std::string_view name = std::string_view(file_.document().text())
                                        .substr(definition.name.begin, definition.name.size());
      paint(lines, name, name.empty() ? lines.first : index_.line_of(definition.name.begin));
      const bool has_inner =
          i + 1 < definitions.size() && definitions[i + 1].range.begin < definition.range.end;
      if (definition.kind == DefinitionKind::kEntry && !has_inner) paint_text_in(lines);
    }
  }

  // What the tree knows as mere text: the script of a component, a long list of data.
  void paint_text_in(LineWindow lines) {
    if (bytes_of(lines) <= max_bytes_ || lines.last - lines.first < 3) return;
    const int first = lines.first + 1;
    const auto size = static_cast<std::size_t>(lines.last - 1 - first);
    const auto inside = std::span(file_.lines()).subspan(static_cast<std::size_t>(first), size);
    std::vector<LineBlock> blocks = line_blocks(inside, max_bytes_);
    for (LineBlock& block : blocks) {
      block.lines = {block.lines.first + first, block.lines.last + first};
      block.header += first;
    }
    paint(blocks);
  }

  void paint(const std::vector<LineBlock>& blocks) {
    for (const LineBlock& block : blocks)
      paint(block.lines, declared_name(line_text(block.header)), block.header);
  }

  void paint(LineWindow lines, std::string_view own, int header) {
    if (lines.last - lines.first < 2 || lines.first < undivided_end_) return;
    while (!open_.empty() &&
           made_[static_cast<std::size_t>(open_.back())].lines.last <= lines.first)
      open_.pop_back();
    const int around = open_.empty() ? kNoDefinition : open_.back();
    std::string name =
        around == kNoDefinition ? std::string() : made_[static_cast<std::size_t>(around)].name;
    if (!name.empty() && !own.empty()) name += '.';
    name += on_one_line(own);
    const auto id = static_cast<int>(made_.size());
    std::fill(owners_.begin() + lines.first, owners_.begin() + lines.last, id);
    const bool is_divided = bytes_of(lines) > max_bytes_;
    made_.push_back({std::move(name), lines, header, is_divided, around});
    if (!is_divided) undivided_end_ = lines.last;
    open_.push_back(id);
  }

  // Lines of one definition, or of none.
  void add_run(LineWindow run) {
    const auto at = static_cast<std::size_t>(run.first);
    const auto size = static_cast<std::size_t>(run.last - run.first);
    const int most = static_cast<int>(std::min<std::size_t>(max_bytes_, 1 << 30));
    for (const LineWindow& window : cut_windows(std::span(sizes_).subspan(at, size),
                                                std::span(ranks_).subspan(at, size), most))
      add({run.first + window.first, run.first + window.last});
  }

  void add(LineWindow lines) {
    while (lines.first < lines.last && trimmed(line_text(lines.first)).empty()) ++lines.first;
    while (lines.first < lines.last && trimmed(line_text(lines.last - 1)).empty()) --lines.last;
    int head = lines.first;
    while (head < lines.last && !tells(head)) ++head;
    if (head == lines.last) return;  // nothing, or a lone bracket
    EditPart part{.lines = lines, .name = {}, .head = {}};
    if (owner(lines.first) != kNoDefinition) {
      const Owner& definition = made_[static_cast<std::size_t>(owner(lines.first))];
      part.name = definition.name;
      part.whole = lines == definition.lines;
      part.inside = definition.is_divided ? owner(lines.first) : definition.around;
      part.begins_definition = definition.is_divided && lines.first <= definition.header;
      part.ends_definition = definition.is_divided && lines.last >= last_with_text(definition);
      if (definition.header >= lines.first && definition.header < lines.last)
        head = definition.header;
    }
    part.head = shortened(trimmed(line_text(head)), kMaxHead);
    parts_.push_back(std::move(part));
  }

  // Behind the last line of a definition that says something: not behind its last bracket.
  int last_with_text(const Owner& definition) const {
    int last = definition.lines.last;
    while (last > definition.lines.first && !tells(last - 1)) --last;
    return last;
  }

  const EditRegion& file_;
  const LineIndex& index_;
  std::size_t max_bytes_;
  bool by_lines_ = false;  // there is no syntax
  std::vector<Owner> made_;
  std::vector<int> open_;  // around the current one: indices of made_
  int undivided_end_ = 0;
  std::vector<int> owners_;  // [line]: an index of made_
  std::vector<int> sizes_;   // [line]: bytes
  std::vector<int> ranks_;   // [line]
  std::vector<EditPart> parts_;
};

}  // namespace

std::vector<EditPart> divide_into_parts(const EditRegion& file, std::size_t max_bytes) {
  return Divider(file, max_bytes).divide();
}

}  // namespace redraft
