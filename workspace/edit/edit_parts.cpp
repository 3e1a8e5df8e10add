#include "workspace/edit/edit_parts.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <utility>

#include "support/utf8/utf8.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxHead = 100;  // bytes
// Definitions that are nested deeper belong to those around them.
constexpr int kMaxDepth = 32;
constexpr int kNoDefinition = -1;

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
    if (const SyntaxTree* tree = file_.document().syntax()) paint(tree->definitions());
    for (const std::string_view line : file_.lines())
      sizes_.push_back(static_cast<int>(std::min(line.size() + 1, max_bytes_ + 1)));
    ranks_ = cut_ranks(file_);
    for (int first = 0; first < n_lines();) {
      int last = first + 1;
      while (last < n_lines() && owner(last) == owner(first)) ++last;
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
  };

  int n_lines() const { return static_cast<int>(file_.lines().size()); }
  int owner(int line) const { return owners_[static_cast<std::size_t>(line)]; }
  std::string_view line_text(int line) const {
    return file_.lines()[static_cast<std::size_t>(line)];
  }
  bool tells(int line) const { return has_word(line_text(line)); }

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
    std::vector<std::pair<int, std::string>> open;  // around the current one: where it ends, name
    int undivided_end = 0;
    for (const Definition& definition : definitions) {
      if (definition.range.empty() || definition.depth > kMaxDepth) continue;
      const LineWindow lines = lines_of(definition);
      if (lines.last - lines.first < 2 || lines.first < undivided_end) continue;
      while (!open.empty() && open.back().first <= lines.first) open.pop_back();
      const std::string_view own = std::string_view(file_.document().text())
                                       .substr(definition.name.begin, definition.name.size());
      std::string name = open.empty() ? std::string() : open.back().second;
      if (!name.empty() && !own.empty()) name += '.';
      name += on_one_line(own);
      const int header =
          definition.name.empty() ? lines.first : index_.line_of(definition.name.begin);
      std::fill(owners_.begin() + lines.first, owners_.begin() + lines.last,
                static_cast<int>(made_.size()));
      made_.push_back({name, lines, header});
      if (bytes_of(lines) <= max_bytes_) undivided_end = lines.last;
      open.emplace_back(lines.last, std::move(name));
    }
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
      if (definition.header >= lines.first && definition.header < lines.last)
        head = definition.header;
    }
    part.head = shortened(trimmed(line_text(head)), kMaxHead);
    parts_.push_back(std::move(part));
  }

  const EditRegion& file_;
  const LineIndex& index_;
  std::size_t max_bytes_;
  std::vector<Owner> made_;
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
