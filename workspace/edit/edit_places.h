// Find first, then edit: an instruction for a file that takes long to write as a whole
//
// A file of thousands of lines is written in minutes, and nearly all of that is lines that stay.
// So the file is divided into parts (divide_into_parts), those that the instruction concerns are
// chosen, and only these are written, each with a prompt of its own.
//
//   "rename `total` to `sum`"    the parts that have the name: rank_parts finds it spelled out
//   "retry when the download     the parts with those words, the rarest counting most
//    times out"
//   "make it faster"             no part has such a word: the model is shown the first lines of as
//                                many parts as PromptLimits::part_list allows, and answers with
//                                numbers: "2, 5"
//
// The model is not asked where words find something, because a small one only adds wrong parts then
// (docs/lab/performance.md has the figures). What is chosen is an opinion, so it is told before
// anything is written, together with the best of the parts that were left; a request may name the
// places itself. The model's answer is text like any other: if it is not a list of such numbers,
// nothing is found.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/decoder.h"
#include "support/result.h"
#include "workspace/edit/edit_parts.h"
#include "workspace/edit/edit_result.h"
#include "workspace/edit/part_ranking.h"
#include "workspace/engine/engine.h"

namespace redraft {

enum class AskModel { kNever, kIfWordsFindNothing, kAlways };

struct FindOptions {
  AskModel ask_model = AskModel::kIfWordsFindNothing;
  DecoderName decoder;
  PromptSize prompt_size = kDefaultPromptSize;
  // How many bytes of each prompt's beginning show the file, see PromptForm.
  std::size_t overview_bytes = 0;
  std::function<void(const DecodeStatistics&)> on_progress = {};
};

struct FoundParts {
  std::vector<EditPart> parts;     // all of the file
  std::vector<RankedPart> ranked;  // all of them
  std::vector<int> shown;          // to the model: indices of parts, in the order shown
  // What it answered; nothing: it was not asked, or its answer was no list.
  std::optional<std::vector<int>> answer;
  std::vector<int> chosen;  // indices of parts, ascending
  bool cancelled = false;
  DecodeStatistics statistics;
};

// Chooses among the parts of a file. On the decode thread.
Result<FoundParts> find_parts(Engine& engine, const EditRegion& file,
                              const std::string& instruction, const FindOptions& options,
                              const std::stop_token& stop);

// The places of the chosen parts, in file order. Parts that follow each other are one place if
// together they have at most `max_bytes`.
std::vector<EditPlace> places_of(const EditRegion& file, const std::vector<EditPart>& parts,
                                 const std::vector<int>& chosen, std::size_t max_bytes);

// For lines that a request names itself.
std::string name_of_lines(const EditRegion& lines);

// Indices from a list of numbers from 1 to `count`, as the model writes it: "2, 5"; without
// repetitions, in its order. Nothing if it is anything else.
std::optional<std::vector<int>> parse_numbers(std::string_view text, int count);

}  // namespace redraft
