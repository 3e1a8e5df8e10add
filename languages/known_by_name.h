#pragma once

#include <span>

#include "languages/language.h"

namespace redraft {

// Languages without a grammar: redraft knows their names and files, and treats the files as lines.
std::span<const Language> languages_known_by_name();

}  // namespace redraft
