#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// Back-ticks for a fence around `text`: one more than its longest run of them, at least three.
std::string fence_around(std::string_view text);

// Finds the text in what a model writes after an opened fence. It ends at the closing fence: a line
// of exactly the fence at column 0 that does not close a fence opened inside the text by a line
// like "```python". Back-ticks anywhere else are text. What follows the closing fence is never
// looked at.
class FencedOutput {
 public:
  explicit FencedOutput(std::string fence);

  // Takes the next bytes; returns the lines of the text they completed, without their endings ("\n"
  // or "\r\n").
  std::vector<std::string> add(std::string_view bytes);
  // The model ended its turn: returns the lines that waited. A shorter bare fence as the very last
  // line is taken for the closing one, unless it closes a fence inside the text.
  std::vector<std::string> end();
  // The closing fence has been seen; nothing more comes.
  bool closed() const { return closed_; }

 private:
  void end_line(std::vector<std::string>* lines);
  void give_out(std::string line, std::vector<std::string>* lines);

  std::string fence_;
  std::string line_;  // so far, not ended
  std::string held_;  // a short bare fence that may turn out to be the closing one; empty: none
  std::size_t inner_ = 0;  // length of the fence that is open inside the text; 0: none
  bool closed_ = false;
};

}  // namespace redraft
