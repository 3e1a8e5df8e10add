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

// RepoCoder (Zhang et al. 2023): what the model is shown of a repository is retrieved twice, the
// second time with what it wrote after the first.
//
// An example. A function is to be completed that will call `convert_unit`, which nothing before the
// place mentions. The last lines before it find code that resembles them, and after that the model
// writes `return convert_unit(`. With this line as a part of the query the file that defines the
// conversion is found, and shown in the second prompt, which is the one that is measured.

// The second round's query: the last half of a window of lines before the place, and of what was
// written there as many of the first lines.
std::string second_query(std::string_view before, std::string_view written);

// The windows as comments in the language of `file`, each under its path, the most alike last. As
// many of the most alike ones as have `max_tokens` tokens together. Empty without any.
std::string windows_as_comments(std::span<const LineWindow> most_alike_first, std::string_view file,
                                const Tokenizer& tokenizer, std::size_t max_tokens);

struct RepoCoderPlace {
  std::string file;         // the one that is completed
  std::string_view before;  // its text before the place
  std::size_t max_tokens;   // of the repository, in either prompt
};
// What the measured prompt begins with. `write` is the model: what it writes at the place if its
// prompt begins with that text. Its error is returned.
Result<std::string> repocoder_text(
    const RepositoryWindows& windows, const Tokenizer& tokenizer, const RepoCoderPlace& place,
    const std::function<Result<std::string>(const std::string& beginning)>& write);

}  // namespace redraft
