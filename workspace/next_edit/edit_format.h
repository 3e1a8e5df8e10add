// The formats of models that were trained to write next edits, as data.
//
// Such a model gets the recent changes and a window of lines around a place; it writes the new
// window. The spelling of this differs between models, and a model with a prompt in another format
// writes nonsense. So a format defines all of it: the blocks of the prompt and their order, the
// size of the window, the spelling of changes, the mark of the cursor, and the beginning and end of
// the answer. next_edit_prompt.h makes prompts from it, next_edit_answer.h reads answers with it;
// neither knows any model.
//
// Names in braces in a block are replaced:
//   {path}      the path of the file; in blocks for a related file or a change, of that file
//   {range}     ":3:23", the numbers of the window's first and last line; for a related file those
//               of its text if they are known, otherwise empty
//   {text}      the text of a related file
//   {before}, {after}   the lines of a change
//   {diff}      a change as a hunk
//   {around}    lines above and below the window (surrounding_lines), without it
//   {start}     `file_start`, if the context above the window begins at the start of the file
//   {above}, {below}    the lines of context, each with its line end
//   {was}       the window as it was before the last change
//   {window}    the current window
//   {marked}    the same with the marks of the cursor and of regions
// Texts of lines end without a line end, except {above} and {below}.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace redraft {

struct PromptBlock {
  enum class For { kPrompt, kRelatedFile, kChange, kSurroundings };

  For each = For::kPrompt;  // one block for each of these; kSurroundings: one if there are any
  std::string_view text = {};
  std::string_view between = {};  // text between two of them
  std::string_view before = {};   // text before the first
  std::string_view behind = {};   // text after the last
};

// A name that may stand between braces, and the blocks that have a value for it.
struct PromptPlaceholder {
  enum class In { kAll, kRelatedFile, kChange };

  std::string_view name;
  In blocks = In::kAll;
};
inline constexpr std::array kPromptPlaceholders = {
    PromptPlaceholder{"path"},
    PromptPlaceholder{"range"},
    PromptPlaceholder{"text", PromptPlaceholder::In::kRelatedFile},
    PromptPlaceholder{"before", PromptPlaceholder::In::kChange},
    PromptPlaceholder{"after", PromptPlaceholder::In::kChange},
    PromptPlaceholder{"diff", PromptPlaceholder::In::kChange},
    PromptPlaceholder{"around"},
    PromptPlaceholder{"start"},
    PromptPlaceholder{"above"},
    PromptPlaceholder{"below"},
    PromptPlaceholder{"was"},
    PromptPlaceholder{"window"},
    PromptPlaceholder{"marked"}};

constexpr bool has_value_for(const PromptBlock& block, std::string_view name) {
  using In = PromptPlaceholder::In;
  for (const PromptPlaceholder& each : kPromptPlaceholders) {
    if (each.name != name) continue;
    return each.blocks == In::kAll ||
           (each.blocks == In::kRelatedFile && block.each == PromptBlock::For::kRelatedFile) ||
           (each.blocks == In::kChange && block.each == PromptBlock::For::kChange);
  }
  return false;
}

// Whether all braces come in pairs, around names that the block has values for. The texts around a
// block's items are not replaced, so they have no braces.
constexpr bool is_well_formed(const PromptBlock& block) {
  constexpr std::string_view kBraces = "{}";
  for (const std::string_view text : {block.between, block.before, block.behind}) {
    if (text.find_first_of(kBraces) != std::string_view::npos) return false;
  }
  std::string_view rest = block.text;
  for (std::size_t open = rest.find_first_of(kBraces); open != std::string_view::npos;
       open = rest.find_first_of(kBraces)) {
    const std::size_t close = rest.find_first_of(kBraces, open + 1);
    if (rest[open] != '{' || close == std::string_view::npos || rest[close] != '}') return false;
    if (!has_value_for(block, rest.substr(open + 1, close - open - 1))) return false;
    rest.remove_prefix(close + 1);
  }
  return true;
}

struct NextEditFormat {
  template <std::size_t n>
  using Texts = std::array<std::string_view, n>;  // empty: none

  enum class Prefill { kNone, kAboveCursor };
  enum class Answer {
    kWindow,  // the whole window
    kSpan,    // the lines that replace those between two marks of the window, with these marks
  };

  struct Window {
    int lines_above = 0, lines_below = 0;  // relative to the cursor's line
    std::size_t bytes = 0;                 // if not 0: as many lines as fit, instead
    std::size_t context_bytes = 0;         // of the lines above and of the lines below it
    int surrounding_lines = 0;             // the same in lines
  };
  struct History {
    int most = 0;                    // maximum number of changes shown, the latest ones
    int of_file = 0, of_others = 0;  // maximum number of them from this file and from others
    std::size_t bytes = 0;           // of all together
    int lines = 0;                   // per side of a change; longer ones are cut in the middle
    bool newest_first = false;
  };

  std::string_view name;    // as in the setting
  std::string_view models;  // for users
  // A model has this format if one of these is in its name: in lower case, words joined by hyphens;
  // an entry with spaces requires all of its parts.
  Texts<3> names = {};
  std::array<PromptBlock, 5> blocks = {};  // each is_well_formed()
  Texts<4> tokens = {};                    // must be in the vocabulary
  Texts<2> marks = {};                     // are tokens if they are in the vocabulary, else text
  Window window = {};
  History history = {};
  std::size_t related_bytes = 0;
  std::string_view file_start = {};
  std::string_view cursor = {};  // its mark in the window
  Prefill prefill = Prefill::kNone;
  Answer answer = Answer::kWindow;
  std::string_view opening = {}, closing = {};  // of the answer, around the window
  Texts<6> stops = {};                  // tokens that end it, besides the tokens that end a text
  Texts<2> nothing = {};                // answers that mean "no edit"
  bool drops_insertions_above = false;  // ignores an answer that only adds lines above the cursor
  int min_region_lines = 0, max_region_lines = 0;  // between two marks, for kSpan
  // Texts with one of these are not shown to the model, which could not tell them from the format.
  Texts<12> reserved = {};
};

// All known formats, the more specific names first.
std::span<const NextEditFormat> next_edit_formats();

// The choice of a format by a setting: a name from the table, or
inline constexpr std::string_view kFormatByModel = "auto";
inline constexpr std::string_view kNoFormat = "none";

// The format of a model with these names (one per line; the last component of a path counts), or
// null: it gets a conversation.
const NextEditFormat* find_next_edit_format(std::string_view choice, std::string_view model_names);

// The region mark with this number, from 1.
std::string region_mark(std::size_t number);

}  // namespace redraft
