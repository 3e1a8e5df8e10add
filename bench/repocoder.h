#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "bench/repository_windows.h"
#include "support/result.h"
#include "text/tokenizer.h"

namespace redraft {

// RepoCoder (Zhang et al. 2023): the model's view of a repository is retrieved twice, the second
// time with the output for the first.
//
// An example. The task is to complete a function that will call `convert_unit`, which nothing
// before the cursor mentions. The last lines before it find similar code, with which the model
// writes `return convert_unit(`. With this line in the query, the search finds the file that
// defines the conversion. The second prompt shows that file, and it is the one that is measured.

// The second round's query: the last half of a window of lines before the cursor, and as many of
// the first lines of the output.
std::string second_query(std::string_view before, std::string_view written);

// The windows as comments in the language of `file`, each under its path, the most similar last: as
// many of the most similar ones as have `max_tokens` tokens together. Empty if there are none.
std::string windows_as_comments(std::span<const RepositoryWindow> most_alike_first,
                                std::string_view file, const Tokenizer& tokenizer,
                                std::size_t max_tokens);

struct RepoCoderPlace {
  std::string file;         // the file to complete
  std::string_view before;  // its text before the place
  std::size_t max_tokens;   // for the repository, in either prompt
};
// The beginning of the measured prompt. `write` runs the model: it returns the output at the cursor
// for a prompt that begins with the given text. Its error is returned.
Result<std::string> repocoder_text(
    const RepositoryWindows& windows, const Tokenizer& tokenizer, const RepoCoderPlace& place,
    const std::function<Result<std::string>(const std::string& beginning)>& write);

}  // namespace redraft
