// Whether an import statement means a certain file.
//
// No build system is asked: the path in the statement is compared with the path of the file, from
// the end. So "from app.utils import load" means src/app/utils.py. "from utils import load" means
// it if the importing file is in src/app or below; elsewhere redraft cannot tell.
#pragma once

#include <filesystem>
#include <string_view>

#include "languages/language.h"

namespace redraft {

enum class ImportSource {
  kAnother,
  kPerhaps,
  kFile,
};

// Reads the imports in one file, to find those of one other file.
class ImportReader {
 public:
  // `modules`: the module system of both languages. `file` is the file that may be imported.
  ImportReader(ModuleSystem modules, std::filesystem::path importing, std::filesystem::path file);

  // Whether `name`, which `statement` makes known, is the definition of that name in the file.
  ImportSource of_name(std::string_view statement, std::string_view name) const;
  // Whether `statement` makes the file known as `name`, as in "name.load()".
  ImportSource of_module(std::string_view statement, std::string_view name) const;
  // Whether `statement` makes everything in the file known: "import *", an include.
  ImportSource of_all(std::string_view statement) const;

 private:
  ImportSource python(std::string_view statement, std::string_view name, bool is_module) const;
  ImportSource script(std::string_view statement) const;
  ImportSource rust(std::string_view statement, std::string_view name) const;
  ImportSource go(std::string_view statement, std::string_view name) const;
  ImportSource java(std::string_view statement, std::string_view name) const;
  ImportSource included(std::string_view statement) const;
  ImportSource by_parts(const std::filesystem::path& parts) const;

  ModuleSystem modules_;
  std::filesystem::path importing_;
  std::filesystem::path file_;  // without an extension; the folder, if a folder is the module
};

}  // namespace redraft
