#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/diff.h"
#include "workspace/next_edit/edit_format.h"
#include "workspace/next_edit/next_edit_prompt.h"

namespace redraft {

// Reads the answer to a prompt in the format of a next-edit model, while it is written.
//
// Most of an answer is a copy of the window. Once it has changed something and then continues with
// the window's lines (IncrementalDiff decides when that is certain), its first edit is known, and
// the rest is not needed: other changes in the window come with the next request.
class NextEditAnswer {
 public:
  // Both outlive this.
  NextEditAnswer(const NextEditFormat& format, const NextEditPrompt& prompt);
  NextEditAnswer(const NextEditAnswer&) = delete;
  NextEditAnswer& operator=(const NextEditAnswer&) = delete;

  // Adds the next bytes. False: the rest is not needed.
  bool add(std::string_view bytes);
  // The window's lines in the answer; nullopt: no edit follows from it, because it says so, changes
  // nothing, is not in this format, or ended before its first edit was known. `complete`: the model
  // has ended it.
  std::optional<std::vector<std::string>> window(bool complete) const;

 private:
  using Lines = std::vector<std::string>;

  void take(std::string line);
  std::optional<Lines> whole_window() const;
  std::optional<Lines> with_span() const;
  std::optional<Lines> with_changes() const;
  // The lines, unless the format forbids them.
  std::optional<Lines> checked(Lines lines) const;
  bool means_nothing(std::string_view text) const;
  bool only_adds_above(const Lines& lines) const;

  const NextEditFormat& format_;
  const NextEditPrompt& prompt_;
  std::vector<std::string_view> original_;
  IncrementalDiff diff_;
  std::string text_;
  std::size_t taken_ = 0;  // bytes of the answer that were converted to lines
  bool begun_ = false;     // whether a line was converted
  bool closed_ = false, nothing_ = false;
  std::vector<LineChange> changes_;
};

}  // namespace redraft
