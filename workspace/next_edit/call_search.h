// Finds the calls that must change because the parameters of a function changed.
//
// The change is found by comparing the syntax trees of a document's original and current version.
// Calls of such a function are found in all open documents, by the meaning of the name there
// (NameMeanings): a variable of that name does not count, nor what another file defines under that
// name. A call that was written since the change is assumed to be right. Any other must change if
// it does not agree with the parameters (call_change.h).
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "indexing/syntax/signatures.h"
#include "workspace/documents/document.h"
#include "workspace/documents/document_origins.h"
#include "workspace/documents/text_edit.h"
#include "workspace/next_edit/call_change.h"
#include "workspace/next_edit/certain_edit.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {

struct ChangedFunction {
  std::shared_ptr<const Document> document;
  SignatureChange change;
  std::string before, after;  // for users and models: "load(path)", "load(path, mode)"
  std::filesystem::file_time_type changed_at = {};  // of its document, DocumentOrigin::changed_at
};

struct FoundCall {
  Call call;
  std::size_t function = 0;  // index in ChangedCalls::functions
  bool is_certain = false;   // it certainly calls that function
  bool has_to_follow = false;
};

struct CallsInDocument {
  std::shared_ptr<const Document> document;
  std::vector<FoundCall> calls;
};

struct ChangedCalls {
  std::vector<ChangedFunction> functions;
  std::vector<CallsInDocument> documents;  // documents with at least one call
  bool has_files = false;                  // files that are not open were searched, too

  // For users: what was searched and found; empty: no parameters changed.
  std::string note() const;
};

// Finds documents that are not open in which one of these names occurs, in one of these families of
// languages.
using FindFiles = std::function<std::vector<std::shared_ptr<const Document>>(
    const std::set<std::string>& names, const std::set<std::string>& families)>;

// `origins`: the original version of each document; may be shorter. `find_files` may be empty.
// Parses documents. When stopped, it finds less.
ChangedCalls find_changed_calls(const std::vector<std::shared_ptr<const Document>>& documents,
                                const std::vector<DocumentOrigin>& origins,
                                const FindFiles& find_files = {}, const std::stop_token& stop = {});

// The calls that can be changed without the model, in the first document that has any.
// `is_unwanted`: recognises edits that must not be proposed.
TreeEdits edits_by_tree(const ChangedCalls& changed,
                        const std::function<bool(const Document&, const TextEdit&)>& is_unwanted);

// The places of the other calls that must change: those of certain calls, or those that may call
// another function.
std::vector<NextPlace> call_places(const ChangedCalls& changed, bool certain);
// The task for the model about a place; empty if no such call is in it.
std::string call_task(const ChangedCalls& changed, const NextPlace& place);

}  // namespace redraft
