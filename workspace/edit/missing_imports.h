#pragma once

#include <vector>

#include "workspace/edit/import_statements.h"
#include "workspace/edit/undefined_names.h"

namespace redraft {

// The imports that a change made necessary. Each is for something of the standard library
// (Language::standard_modules): the changed text uses the name of a module before a dot, or one of
// its names, neither is declared there, and the file as it was did not use it. A model that writes
// the lines of one method cannot add them itself.
std::vector<NeededImport> missing_imports(const ChangedTrees& trees);

}  // namespace redraft
