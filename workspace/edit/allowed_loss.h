#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// What an instruction allows an edit to take away.
class AllowedLoss {
 public:
  explicit AllowedLoss(std::string_view instruction);

  // An instruction that drops "the else" wants its lines without it.
  bool to_lose_branch() const;
  bool to_lose(const std::string& name) const;
  bool to_rename(const std::string& name, const std::string& to) const;
  // Many lines: it removes something, or writes something anew.
  bool to_lose_lines() const;

 private:
  void take_object(std::size_t at);

  std::vector<std::string> words_;
  std::vector<std::string> lower_;  // words_ in lower case
  std::vector<std::string> lost_;   // words of what is removed
  bool loses_any_ = false;
};

}  // namespace redraft
