// Whether a statement that imports is of a certain file.
//
// No build is asked where modules are: a path is compared with that of the file, from its end. So
// "from app.utils import load" is of src/app/utils.py, and "from utils import load" is where that
// file's folder is around the importing one; in another place there is no telling.
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

// Of a file's imports of another file.
class ImportReader {
 public:
  // `family`: language_family(). `file` is what may be imported.
  ImportReader(std::string family, std::filesystem::path importing, std::filesystem::path file);

  // What `name`, which `statement` makes known, is: what the file has by that name?
  ImportSource of_name(std::string_view statement, std::string_view name) const;
  // Whether it makes the file known by `name`, as in "name.load()".
  ImportSource of_module(std::string_view statement, std::string_view name) const;
  // Whether it makes known what the file has, without saying what: "import *", an include.
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
  std::filesystem::path file_;  // without an extension; of a module that is a folder, the folder
};

}  // namespace redraft
