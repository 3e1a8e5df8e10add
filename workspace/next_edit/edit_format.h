// The formats of models that were trained to write next edits, as data.
//
// Such a model gets what was changed, and a window of lines around a place; it writes the window as
// it should be. How that is put differs from model to model, and a model that is asked otherwise
// writes nonsense. So a format says all of it: which blocks the prompt has, in which order, how
// large the window is, how changes look, how the cursor is marked, with what the answer begins and
// ends. next_edit_prompt.h makes prompts by it, next_edit_answer.h reads answers by it; neither
// knows any model.
//
// What stands between braces in a block is replaced:
//   {path}      of the file; in blocks for a related file or a change, of that file
//   {range}     ":3:23", the numbers of the window's first and last line; of a related file those
//               of its text if they are known, else nothing
//   {text}      of a related file
//   {before}, {after}   the lines of a change
//   {diff}      a change as a hunk
//   {around}    lines above and below the window (surrounding_lines), without it
//   {start}     `file_start`, if the context above the window begins where the file does
//   {above}, {below}    the lines of context, each with its line end
//   {was}       the window as it was before the last change
//   {window}    the window as it is
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

  For each = For::kPrompt;  // one for each of these; kSurroundings: one if there are any
  std::string_view text = {};
  std::string_view between = {};  // two of them
  std::string_view before = {};   // the first
  std::string_view behind = {};   // the last
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
    kWindow,  // all of it
    kSpan,    // what replaces the lines between two of the marks in it, with these marks
  };

  struct Window {
    int lines_above = 0, lines_below = 0;  // of the cursor's line
    std::size_t bytes = 0;                 // if not 0: instead, as many lines as fit
    std::size_t context_bytes = 0;         // of the lines above and below it, each
    int surrounding_lines = 0;             // likewise
  };
  struct History {
    int most = 0;                    // how many changes are shown, the latest
    int of_file = 0, of_others = 0;  // of them, at most
    std::size_t bytes = 0;           // of all together
    int lines = 0;                   // of one side of a change; what is more is cut in the middle
    bool newest_first = false;
  };

  std::string_view name;    // as the setting has it
  std::string_view models;  // for people
  // A model has this format if one of these is in its name: in lower case, words joined by hyphens;
  // with spaces between them, all of the parts.
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
  Texts<6> stops = {};                          // tokens that end it, besides those that end a text
  Texts<2> nothing = {};                        // answers that mean that there is no edit
  bool drops_insertions_above = false;          // an answer that only adds lines above the cursor
  int min_region_lines = 0, max_region_lines = 0;  // between two marks, for kSpan
  // Texts with one of these are not shown to the model: it could not tell them from the format's.
  Texts<12> reserved = {};
};

// All that are known, the more particular names first.
std::span<const NextEditFormat> next_edit_formats();

// The choice of a format by a setting: a name from the table, or
inline constexpr std::string_view kFormatByModel = "auto";
inline constexpr std::string_view kNoFormat = "none";

// That of a model of these names (one a line; of a path the last part counts), or null: it is asked
// as any other.
const NextEditFormat* find_next_edit_format(std::string_view choice, std::string_view model_names);

// The mark number `number`, from 1, of the regions of a window.
std::string region_mark(std::size_t number);

}  // namespace redraft
