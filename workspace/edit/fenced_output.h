#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// A fence for `text`: one more back-tick than its longest run of them, at least three.
std::string fence_around(std::string_view text);

// A line that begins with back-ticks that can be a fence: their number, and whether only white
// space follows.
struct FenceLine {
  std::size_t length = 0;  // 0: not a fence
  bool bare = false;
};
FenceLine read_fence(std::string_view line);  // without its ending

// Finds the text in the output of a model that continues an opened fence. The text ends at the
// closing fence: a line that consists of exactly the fence at column 0 and does not close a fence
// opened inside the text by a line like "```python". Other back-ticks are text. Whatever follows
// the closing fence is ignored.
class FencedOutput {
 public:
  explicit FencedOutput(std::string fence);

  // Takes the next bytes; returns the lines that they completed, without their endings ("\n" or
  // "\r\n").
  std::vector<std::string> add(std::string_view bytes);
  // To be called when the model has ended its turn: returns the lines held back. A shorter bare
  // fence as the very last line counts as the closing one, unless it closes a fence inside the
  // text.
  std::vector<std::string> end();
  // Whether the closing fence has come; nothing follows.
  bool closed() const { return closed_; }
  const std::string& fence() const { return fence_; }  // the closing one

 private:
  void end_line(std::vector<std::string>* lines);
  void give_out(std::string line, std::vector<std::string>* lines);

  std::string fence_;
  std::string line_;  // not ended yet
  // A short bare fence that may turn out to be the closing one; empty: none.
  std::string held_;
  std::size_t inner_ = 0;  // length of the fence that is open inside the text; 0: none
  bool closed_ = false;
};

}  // namespace redraft
