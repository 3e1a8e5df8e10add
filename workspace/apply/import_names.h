#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "languages/language.h"

namespace redraft {

// One import statement as the names that it makes known, so that two statements can be compared.
struct ImportNames {
  // Where they come from: "from os import", "'./a'", "std::"; empty: `names` are whole statements.
  std::string source;
  std::vector<std::string> names;  // "path", "default React", "* as fs", "\"fmt\""; not empty

  bool has_all(const ImportNames& other) const;
  // Those of this statement that none of the others has.
  std::vector<std::string> missing_in(const std::vector<ImportNames>& others) const;
};

// The names of a statement, which may extend over several lines.
ImportNames import_names(std::string_view statement, ModuleSystem modules);

// The lines of a statement with further names; nullopt: redraft cannot write it.
std::optional<std::vector<std::string>> with_more_names(const std::vector<std::string_view>& lines,
                                                        const std::vector<std::string>& more,
                                                        ModuleSystem modules);

// A statement of the same form as another with only these of its names; nullopt: as above.
std::optional<std::string> with_only_names(std::string_view statement,
                                           const std::vector<std::string>& names,
                                           ModuleSystem modules);

}  // namespace redraft
