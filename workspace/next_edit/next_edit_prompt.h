#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"
#include "workspace/next_edit/edit_format.h"

namespace redraft {

// The input of a prompt in the format of a next-edit model. Lines are without their endings and
// counted from 0.
struct NextEditQuestion {
  struct Change {
    std::string path;
    int line = 0;  // where `after` begins in the current version of the file
    std::vector<std::string> before, after;
    std::vector<std::string> above = {}, below = {};  // lines around it
  };
  struct RelatedText {
    std::string path;
    std::string text;                   // whole lines
    int first_line = -1, end_line = 0;  // in its file; -1: unknown
  };

  std::string path;
  std::span<const std::string_view> lines;  // of the file
  int cursor_line = 0;
  std::size_t cursor_column = 0;          // bytes
  std::vector<Change> changes = {};       // the latest at the end
  std::vector<RelatedText> related = {};  // the most helpful at the end
};

struct NextEditPrompt {
  std::vector<PromptPart> parts;
  int first_line = 0, end_line = 0;  // the window
  std::vector<std::string> window;   // its lines
  int cursor_line = 0;               // in the window
  int prefilled = 0;                 // how many of the window's lines the prompt ends with
  std::vector<int> marks = {};       // the lines of the window before which region marks go
  std::string draft;                 // the answer that changes nothing
};

// Pure. Fails if a text contains reserved text of the format, or the cursor is not in the file.
Result<NextEditPrompt> make_next_edit_prompt(const NextEditFormat& format,
                                             const NextEditQuestion& question);

// Whether a text contains reserved text of the format.
bool is_reserved(const NextEditFormat& format, std::string_view text);

// The parts for this vocabulary. Fails if it lacks a token that the format needs.
Result<std::vector<PromptPart>> as_tokens(const NextEditFormat& format, const Tokenizer& tokenizer,
                                          std::vector<PromptPart> parts);

// The tokens that end an answer.
std::vector<TokenId> answer_ends(const NextEditFormat& format, const Tokenizer& tokenizer);

// Where the marks of regions go in a window: at its beginning, before lines such that each region
// has between `least` and `most` lines, and at its end.
std::vector<int> region_marks(std::span<const std::string> window, int least, int most);

}  // namespace redraft
