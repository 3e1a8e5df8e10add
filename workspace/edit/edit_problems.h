#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizer.h"
#include "workspace/edit/edit_request.h"

namespace redraft {

// The names that the request's problems are about, without duplicates: those that a message quotes,
// then those at the place, then others on its lines, then what else of the document it mentions.
std::vector<std::string> names_in_problems(const EditRequest& request);

// The beginning of a definition in another file.
struct ForeignDefinition {
  std::string title;  // "In store.py:\n"
  std::string text;
};

// Those of these names, by the index, in at most half of `context_bytes`. Parses the document.
std::vector<ForeignDefinition> definitions_elsewhere(const EditRequest& request,
                                                     const Tokenizer& tokenizer,
                                                     const std::vector<std::string>& names,
                                                     std::size_t context_bytes);

// The first name on the lines of a problem whose message mentions it, if neither the document says
// what it is nor `elsewhere`, the text of definitions in other files. Without these nothing is
// certain, so there is none. Parses the document.
struct UnknownName {
  std::string name;
  ByteRange place;  // of the document
};
std::optional<UnknownName> unknown_name_in_problems(const EditRequest& request,
                                                    std::string_view elsewhere);

}  // namespace redraft
