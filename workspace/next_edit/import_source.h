// Whether an import statement refers to a certain file.
//
// This uses no build system: it compares the path in the statement with the end of the file's path.
// So "from app.utils import load" refers to src/app/utils.py, and "from utils import load" refers
// to it if that file's folder contains the importing file; otherwise it is unknown.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace redraft {

enum class ImportSource {
  kAnother,
  kPerhaps,
  kFile,
};

// Judges one file's imports of another file.
class ImportReader {
 public:
  // `family`: language_family(). `file` is the file that may be imported.
  ImportReader(std::string family, std::filesystem::path importing, std::filesystem::path file);

  // Whether `name`, which `statement` makes known, is the file's definition of that name.
  ImportSource of_name(std::string_view statement, std::string_view name) const;
  // Whether it makes the file known as `name`, as in "name.load()".
  ImportSource of_module(std::string_view statement, std::string_view name) const;
  // Whether it makes the file's definitions known without naming them: "import *", an include.
  ImportSource of_all(std::string_view statement) const;

 private:
  ImportSource python(std::string_view statement, std::string_view name, bool is_module) const;
  ImportSource script(std::string_view statement) const;
  ImportSource rust(std::string_view statement, std::string_view name) const;
  ImportSource go(std::string_view statement, std::string_view name) const;
  ImportSource java(std::string_view statement, std::string_view name) const;
  ImportSource included(std::string_view statement) const;
  ImportSource by_parts(const std::filesystem::path& parts) const;

  std::string family_;
  std::filesystem::path importing_;
  std::filesystem::path file_;  // without an extension; for a module that is a folder, the folder
};

}  // namespace redraft
