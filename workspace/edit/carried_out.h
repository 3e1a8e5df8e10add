#pragma once

#include <string>
#include <string_view>

#include "workspace/documents/document.h"

namespace redraft {

// Why the document already is as the instruction asks, for people: "'save' does not occur in the
// file". It is known of names that the instruction removes or replaces, and of imports that it
// adds. Empty: it is not, or nobody can tell. May parse the document.
std::string why_carried_out(const Document& document, std::string_view instruction);

}  // namespace redraft
