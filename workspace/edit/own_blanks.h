// The blanks of a file stay as they are
//
// A model that has seen more spaces than tabs answers with spaces, and then every line of a file
// that is indented with tabs differs. So redraft compares each line of an answer with the lines of
// the region by what stands between the blanks, and takes the file's own blanks:
//
//   the region          the answer             becomes
//   ⇥if a:                  if a:              ⇥if a:              the region's line, unchanged
//   ⇥⇥return 1                  return b       ⇥⇥return b          a new line, in the file's unit
//   ⇥return 2···            return 2           ⇥return 2···        the region's line, unchanged
//
// Which unit an answer is indented with shows at two lines that follow each other in both: the step
// from one to the other is one level in the region. Until then lines are held back. This hardly
// delays a hunk, because a hunk needs lines that are the region's again. An
// answer in the file's own unit passes as it is, so that a line that is moved to the right or to
// the left really moves, and so does an answer whose instruction is about blanks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workspace/documents/edit_region.h"
#include "workspace/documents/indent_unit.h"

namespace redraft {

// Whether an instruction asks for other blanks: "use tabs", "remove trailing whitespace".
bool asks_for_blanks(std::string_view instruction);

// Gives the lines of one answer for `region` the file's blanks.
class OwnBlanks {
 public:
  // `region` outlives this. An instruction that asks for blanks gets those that the model writes.
  OwnBlanks(const EditRegion& region, std::string_view instruction);

  // Takes the next line of the answer. Returns the lines that are certain now, in order.
  std::vector<std::string> add(std::string line);
  // The answer ends: the lines that were held back.
  std::vector<std::string> end();

 private:
  // What the answer is indented with.
  enum class Answer : std::uint8_t { kUnknown, kOwn, kForeign };
  // A line of the region, and the answer's line that has the same text.
  struct Pair {
    int line;
    std::string answer;
  };

  std::optional<int> line_like(std::string_view line) const;
  std::string_view region_line(int line) const;
  int next_line_with_text(int from) const;
  void learn(const std::string& line);
  void decide();
  void learn_from_step(const Pair& before, int line, std::string_view answer);
  bool is_certain(std::string_view line) const;
  std::string with_own_blanks(const std::string& line);
  bool is_as_deep(std::string_view own, std::string_view there) const;
  std::string with_own_indentation(const std::string& line, const std::optional<int>& like) const;
  std::string converted(std::string_view line) const;
  bool is_foreign(std::string_view line) const;
  bool is_in_long_string() const { return n_long_quotes_ % 2 != 0; }
  std::string with_tab_of_recipe(std::string line);
  void pass(const std::string& line);

  const EditRegion& region_;
  bool is_active_;
  bool has_recipes_;
  IndentUnit unit_;
  std::unordered_map<std::string_view, std::vector<int>> lines_like_;  // [text]: lines, ascending
  Answer answer_ = Answer::kUnknown;
  int answer_width_ = 0;           // spaces of a level, if it is kForeign; 0: a tab
  std::optional<Pair> last_;       // learned from
  std::string last_line_;          // likewise, whether or not the region has it
  std::vector<std::string> held_;  // while the answer is kUnknown
  int position_ = 0;               // in the region, behind the last line that was passed
  int n_new_ = 0;                  // lines since then that the region does not have
  bool is_in_recipe_ = false;
  int n_long_quotes_ = 0;  // in the lines that were passed
};

}  // namespace redraft
