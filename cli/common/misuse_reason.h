#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class ParseError;
}  // namespace CLI

namespace redraft::cli {

// "edit, index"
std::string listed(const std::vector<std::string>& words);

// "'edti' is not one of edit, index; did you mean edit?"
std::string none_of(std::string_view word, const std::vector<std::string>& candidates);

// Why `app` rejects these arguments: the first unknown command or option with a suggestion,
// otherwise `error`. `args` are in the form in which a shell passes them, without the program's
// name.
std::string misuse_reason(CLI::App& app, const std::vector<std::string>& args,
                          const CLI::ParseError& error);

}  // namespace redraft::cli
