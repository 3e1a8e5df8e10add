#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redraft {

// The built-in texts that check a model (model_check.h). Any thread.

// A Python module of some 80 lines, which was written for this purpose: ordinary code that any
// language model predicts well. Changing it invalidates the limits of model_check.h.
std::string_view check_code();

// The lines of `text` in another order, always the same one: what the model knows of single lines
// helps as before, what it reads from the lines before does not.
std::string with_shuffled_lines(std::string_view text);

// Texts that have to come back from a tokenizer byte for byte: code, blanks and line endings, other
// scripts, the spellings of control tokens, and bytes that are not UTF-8.
const std::vector<std::string>& round_trip_texts();

}  // namespace redraft
