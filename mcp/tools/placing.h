#pragma once

#include <string>
#include <vector>

#include "mcp/message.h"
#include "support/byte_range.h"
#include "support/result.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_result.h"

namespace redraft::mcp {

// A change for one file. `path` and `language` say what the file is; nothing is read from it.
struct PlacingTask {
  std::string path;
  std::string language;
  std::string text;
  std::string change;
};

struct PlacedEdit {
  TextEdit edit;
  std::string decided_by;  // "lines", "tree"
  std::string doubt;       // empty: there is none
};

// Where a change belongs.
struct Placing {
  std::vector<PlacedEdit> edits = {};    // ascending and disjoint; empty: see why_none
  std::vector<std::string> notes = {};   // for people
  std::vector<std::string> doubts = {};  // about the edits, for people
  // Why the change has no certain place, and for an agent what the file has where it may belong.
  // Empty: it has one.
  std::string why_none = {};
};

// Parses the file and the change: call it where a crash does no harm. The error says why the change
// cannot be read.
Result<Placing> place(const PlacingTask& task);

// What an edit that needed no model says.
Placing placing_of(const EditResult& result);

Json to_json(const PlacingTask& task);
PlacingTask task_of(const Json& json);
Json to_json(const Result<Placing>& placing);
// From a process that may have been taken over: an error unless the edits fit the text.
Result<Placing> placing_of(const Json& json, const std::string& text);

}  // namespace redraft::mcp
