// Declares the rows that languages.inc lists.
#pragma once

#include "languages/language.h"

namespace redraft {

#define REDRAFT_LANGUAGE(row, name, folder) extern const Language row;
#include "languages/languages.inc"
#undef REDRAFT_LANGUAGE

}  // namespace redraft
