// Turns the bytes of tokens into the text that a client gets.
//
// A token may end within a character, or within the beginning of a string that ends the answer.
// Neither may reach the client: half a character is not valid JSON, and a client that names a stop
// string relies on never seeing a part of it. Bytes that could still become either are held back
// until the next bytes decide. The text depends only on the bytes, not on how they were cut into
// tokens, and it is the same with and without streaming.
//
// An example. The stops are "\n\n" and "END", the model writes "a\n" · "E" · "N" · "Ts\n" · "\nb".
//
//   add("a\n")   ready "a"    "\n" could begin the first stop
//   add("E")     ready "\n"   it did not; "E" could begin the second
//   add("N")     ready ""     held back: "EN"
//   add("Ts\n")  ready "ENTs" held back: "\n"
//   add("\nb")   false        the first stop is complete: the answer is "a\nENTs"

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redraft::http {

// Finds the first of several strings that is complete in a text that arrives byte by byte. If two
// end with the same byte, the longer one counts.
class StopStrings {
 public:
  explicit StopStrings(const std::vector<std::string>& stops);

  // The index of the stop that this byte completes.
  std::optional<std::size_t> add(char byte);
  // The maximum number of last bytes that could be the beginning of a stop.
  std::size_t held() const;
  const std::string& stop(std::size_t index) const { return matchers_[index].stop; }

 private:
  // Knuth-Morris-Pratt: `matched` bytes of `stop` are the last ones of the text.
  struct Matcher {
    std::string stop;
    std::vector<std::size_t> borders;  // of each prefix: the length of its longest border
    std::size_t matched = 0;
    bool add(char byte);
  };
  std::vector<Matcher> matchers_;
};

class AnswerText {
 public:
  using Clock = std::chrono::steady_clock;
  // The same as in Generation.
  struct Limits {
    std::vector<std::string> stops = {};
    int min_indent = 0;
    std::optional<std::chrono::milliseconds> time = {};
  };
  enum class End { kNone, kStop, kLimit };

  explicit AnswerText(Limits limits, std::function<Clock::time_point()> now = Clock::now);

  // Returns false if the answer ends, within these bytes or after them.
  bool add(std::string_view bytes);
  // No bytes follow: the bytes that were held back belong to the answer.
  void finish();
  // The text that is certain and was not taken yet, as UTF-8. Invalid bytes became U+FFFD.
  std::string take();

  // How many of the added bytes certainly belong to the answer.
  std::size_t certain_bytes() const { return certain_bytes_; }
  End end() const { return end_; }
  const std::string& stopping_word() const { return stopping_word_; }  // empty if none

 private:
  bool add(char byte);
  bool passes_line_limits(char byte);
  void release(std::size_t held);
  void repair(bool complete);

  StopStrings stops_;
  Limits limits_;
  std::function<Clock::time_point()> now_;
  std::optional<Clock::time_point> begin_;  // of the first byte
  int indent_ = 0;                          // of the line so far
  bool in_indent_ = false;                  // the line so far is blank
  std::string held_;                        // could become a stop
  std::size_t certain_bytes_ = 0;
  std::string raw_;  // certain, but may end within a character
  std::string ready_;
  End end_ = End::kNone;
  std::string stopping_word_;
};

}  // namespace redraft::http
