#pragma once

#include <string>
#include <string_view>

namespace redraft {

// Takes the opening of a code fence off an answer, where a server could not be given it as the
// beginning of the answer. What comes before the fence goes with it ("Here is the code:"). An
// answer without one is passed on as it is.
class BegunAnswer {
 public:
  // `opened` is what the answer should go on behind; without a fence nothing is looked for.
  explicit BegunAnswer(std::string_view opened);

  // Takes the next bytes of the answer; returns what is known not to be the opening.
  std::string add(std::string_view piece);
  // At the end of the answer: what was held back.
  std::string end();

 private:
  bool looking_;
  std::string held_;
};

}  // namespace redraft
