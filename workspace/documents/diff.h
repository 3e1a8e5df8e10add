// The changes between two texts, line by line, also while the second is still being written.
//
// Why not an ordinary diff. An edit is shown while the model writes it, so a change has to be
// emitted before the end of the text is known, and an emitted change is never taken back. An
// ordinary diff of an unfinished text says that all the rest is deleted. So IncrementalDiff holds a
// change back until the lines after it show where the original continues. The more lines the change
// would delete, the more evidence it requires. If the model continues with the very next line, that
// line is enough; a place further on must match over several lines that are not just "}" or empty.
//
// An example: the original, the model's output, and the result of add():
//
//   0  def total(items):        def total(items):
//   1      result = 0               result = 0.0           held back
//   2      for item in items:       for item in items:     {1, 2, result = 0.0}: line 2 continues
//   3          result += item           result += item
//   4      return result            return round(result)   held back
//                                   the end                finish(): {4, 5, return round(result)}
//
// If the second line were "return sum(items)" and then the end, finish() would return {1, 5, return
// sum(items)}. If the model stopped early there, finish() would not be called, and lines 1 to 4
// would remain.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace redraft {

// `new_lines` replace lines [old_begin, old_end) of the original; one of the two is not empty.
// Lines are without their endings.
struct LineChange {
  int old_begin = 0;
  int old_end = 0;
  std::vector<std::string> new_lines;
  friend bool operator==(const LineChange&, const LineChange&) = default;
};

// The changes that turn `before` into `after`: ascending, with at least one kept line between any
// two. Up to some hundreds of changed lines, the number of changed lines is minimal. Beyond that,
// lines that occur once on both sides divide the work, so that the time is linear in the length of
// the texts rather than quadratic.
std::vector<LineChange> diff_lines(std::span<const std::string_view> before,
                                   std::span<const std::string_view> after);

// The same while `after` is still being written. A change is emitted, and final, as soon as enough
// unaltered lines of the original follow it. How many depends on how much the change would delete,
// see above.
class IncrementalDiff {
 public:
  // `original` outlives this object.
  explicit IncrementalDiff(std::span<const std::string_view> original);

  // Takes the next line of the new text; returns the changes that became final with it.
  std::vector<LineChange> add(std::string line);
  // Call it when the new text is complete: deletes unmatched lines at the end of the original. Do
  // not call it if the model stopped early: then the changes so far remain, and everything after
  // them is unchanged.
  std::vector<LineChange> finish();
  // The number of lines of the original that are decided.
  int passed() const { return position_; }

 private:
  // A place where the new text may have returned to the original.
  struct Alignment {
    int next;    // line of the original expected next
    int length;  // lines matched up to here
    int weight;  // how distinctive they are together
  };
  void advance_alignments(int line_id);
  int weight_of(int line_id) const;
  int needed_weight(const Alignment& alignment) const;
  std::vector<LineChange> compare(int old_end, std::size_t n_pending);

  std::span<const std::string_view> original_;
  std::unordered_map<std::string_view, int> id_of_line_;
  std::vector<std::vector<int>> places_;  // [id]: where the line occurs, ascending
  std::vector<bool> telling_;             // [id]: has enough letters or digits to identify a place
  int position_ = 0;                      // lines before it are decided
  std::vector<std::string> pending_;      // new lines since; empty: in step with the original
  std::vector<Alignment> alignments_;     // ascending in next
};

}  // namespace redraft
