#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mcp/message.h"
#include "mcp/tools/placing.h"
#include "support/result.h"

namespace redraft::mcp {

// A file's text, with its absolute path.
struct NamedText {
  std::string path, language, text;
};

// Another name for something that a file declares.
struct HomeTask {
  NamedText home;
  std::string name;  // "load", or "Store.load" for a member
  std::string new_name;
  std::optional<int> line;  // from 1: the thing that the name means there. Nothing: in the file
};

struct HomeRenaming {
  Placing placing = {};
  std::string from = {};      // without its owner
  bool is_elsewhere = false;  // other files may use it
  bool is_member = false;
};

// Errors, for an agent: no such name, no name of the language, not followed by the syntax tree.
Result<HomeRenaming> rename_at_home(const HomeTask& task);

// The same in another file.
struct OtherTask {
  NamedText home, other;
  std::string from, to;
  bool is_member = false;
};

struct UndecidedPlace {
  std::size_t offset = 0;
  int line = 1;
  std::string text;  // of the line
  std::string why;
};

struct OtherRenaming {
  Placing placing = {};
  std::vector<UndecidedPlace> undecided = {};
  bool passes_on = false;  // RenamedElsewhere::passes_on
};

OtherRenaming rename_in(const OtherTask& task);

Json to_json(const HomeTask& task);
HomeTask home_task_of(const Json& json);
Json to_json(const OtherTask& task);
OtherTask other_task_of(const Json& json);
Json to_json(const Result<HomeRenaming>& renaming);
Json to_json(const OtherRenaming& renaming);
// As placing_of().
Result<HomeRenaming> home_renaming_of(const Json& json, const std::string& text);
Result<OtherRenaming> other_renaming_of(const Json& json, const std::string& text);

}  // namespace redraft::mcp
