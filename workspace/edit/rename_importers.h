#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workspace/edit/edit_request.h"

namespace redraft {

// The files that use what the request's document declares as `name` at its outermost level, in
// order, relative to the document's folder: by the imports of the open documents and of the index,
// or, without an index, of the files in the same repository, those of the same folder first. Reads
// and parses files that have the name.
std::vector<std::string> importers_of(const EditRequest& request, const std::string& name);

// The same for the member `name` of the document's type `owner`: files that use the type, or share
// its names, and have ".name" or "name:".
std::vector<std::string> users_of_member(const EditRequest& request, const std::string& owner,
                                         const std::string& name);

// "a.py, b.py and 3 more files". `files` is not empty.
std::string listed_files(const std::vector<std::string>& files);

}  // namespace redraft
