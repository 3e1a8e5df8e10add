#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "languages/language.h"

namespace redraft {

// The rows of all languages. They live as long as the program; any thread may read them.
std::span<const Language* const> languages();

// The row that has `id` among its ids; null if no row has.
const Language* find_language(std::string_view id);

// The LSP language id for a file's name; empty for a file that redraft treats as plain lines. A
// path has slashes; case does not matter.
std::string_view language_of(std::string_view path);

// What languages have in common whose functions call each other; the id itself if it is unknown.
std::string_view family_of(std::string_view id);

// Whether `name` is a reserved word of the language; false if the language is unknown.
bool is_keyword(std::string_view id, std::string_view name);

// The words of a fact, of all languages: for texts whose language is unknown or mixed.
std::vector<std::string_view> words_of_all(Fact<std::string_view> Language::*fact);

}  // namespace redraft
