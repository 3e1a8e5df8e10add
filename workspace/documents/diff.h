// What changed between two texts, line by line; and the same while the second is being written.
//
// Why not any diff. An edit is shown while the model writes it, so a change must be given out
// before the end of the text is known, and what was given out is never taken back. An ordinary diff
// of an unfinished text says that all the rest is deleted. So IncrementalDiff holds a change back
// until what follows it shows where the original goes on. It asks for the more evidence, the more
// would be deleted: where the model goes on with the very next line, that line is enough; a place
// further on must match over several lines that are not just "}" or empty.
//
// An example. The original, what the model writes, and what add() gives:
//
//   0  def total(items):        def total(items):
//   1      result = 0               result = 0.0           held back
//   2      for item in items:       for item in items:     {1, 2, result = 0.0}: line 2 goes on
//   3          result += item           result += item
//   4      return result            return round(result)   held back
//                                   the end                finish(): {4, 5, return round(result)}
//
// Had the second line been "return sum(items)" and then the end, finish() would give
// {1, 5, return sum(items)}. Had the writer been cut short there, finish() would not be called, and
// lines 1 to 4 would stay as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace redraft {

// Lines [old_begin, old_end) of the original give way to `new_lines`; one of the two is not empty.
// Lines are without their endings.
struct LineChange {
  int old_begin = 0;
  int old_end = 0;
  std::vector<std::string> new_lines;
  friend bool operator==(const LineChange&, const LineChange&) = default;
};

// What makes `after` of `before`: ascending, with at least one kept line between any two changes.
// Fewest changed lines up to some hundreds of them; beyond that lines that occur once on both sides
// divide the work, so that the time grows with the length of the texts and not with its square.
std::vector<LineChange> diff_lines(std::span<const std::string_view> before,
                                   std::span<const std::string_view> after);

// The same while `after` is still being written. A change is given out as soon as enough of the
// original follows it unaltered, and is final then. Evidence is asked in proportion to what would
// be deleted: the next line of the original itself continues it at once, a place further on must
// match over several telling lines.
class IncrementalDiff {
 public:
  // `original` outlives this.
  explicit IncrementalDiff(std::span<const std::string_view> original);

  // Takes the next line of the new text; returns the changes that became final with it.
  std::vector<LineChange> add(std::string line);
  // The new text is complete: the rest of the original that nothing matched is deleted. Not called
  // when the writer was cut short: the changes so far stand then, and everything after them stays
  // as it is.
  std::vector<LineChange> finish();
  // Lines of the original that are dealt with for good.
  int passed() const { return position_; }

 private:
  // A place where the new text may be following the original again.
  struct Alignment {
    int next;    // line of the original expected next
    int length;  // lines matched up to here
    int weight;  // how telling they are together
  };
  void advance_alignments(int line_id);
  int weight_of(int line_id) const;
  int needed_weight(const Alignment& alignment) const;
  std::vector<LineChange> compare(int old_end, std::size_t n_pending);

  std::span<const std::string_view> original_;
  std::unordered_map<std::string_view, int> id_of_line_;
  std::vector<std::vector<int>> places_;  // [id]: where the line occurs, ascending
  std::vector<bool> telling_;             // [id]: has enough letters or digits to be recognised by
  int position_ = 0;                      // lines before it are dealt with
  std::vector<std::string> pending_;      // new lines since; empty: in step with the original
  std::vector<Alignment> alignments_;     // ascending in next
};

}  // namespace redraft
