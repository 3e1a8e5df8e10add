#pragma once

#include <string>
#include <string_view>

namespace redraft {

// Removes the opening code fence from an answer, for a server that cannot take it as the beginning
// of the answer. Removes the text before the fence too ("Here is the code:"). An answer without a
// fence is passed on unchanged.
class BegunAnswer {
 public:
  // `opened` is the text that the answer should continue; if it has no fence, nothing is removed.
  explicit BegunAnswer(std::string_view opened);

  // Takes the next bytes of the answer; returns those that certainly do not belong to the opening.
  std::string add(std::string_view piece);
  // Call this at the end of the answer. Returns the bytes that were held back.
  std::string end();

 private:
  bool looking_;
  std::string held_;
};

}  // namespace redraft
