#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "decoding/text/tokenizer.h"
#include "workspace/edit/edit_session.h"

namespace redraft {

// The names that the request's problems are about, without duplicates: those that a message quotes,
// then those at the place, then others on its lines.
std::vector<std::string> names_in_problems(const EditRequest& request);

// The beginnings of the definitions of these names in other files, by the index; each below a line
// that says where it is, at most `max_bytes`. Empty: there are none. Parses the document.
std::string definitions_elsewhere(const EditRequest& request, const Tokenizer& tokenizer,
                                  const std::vector<std::string>& names, std::size_t max_bytes);

}  // namespace redraft
