// Calls that have to follow when the parameters of a function changed.
//
// What changed is told by the syntax trees of a document as it was and as it is. Calls of such a
// function are found in all open documents, by what its name means there (NameMeanings): a variable
// of that name is none, nor is what another file has under that name. A call that was written since
// is taken as it is; any other has to follow if it does not agree (call_change.h).
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
#include "workspace/next_edit/next_place.h"

namespace redraft {

struct ChangedFunction {
  std::shared_ptr<const Document> document;
  SignatureChange change;
  std::string before, after;  // for people and models: "load(path)", "load(path, mode)"
  std::filesystem::file_time_type changed_at = {};  // of its document, DocumentOrigin::changed_at
};

struct FoundCall {
  Call call;
  std::size_t function = 0;  // of ChangedCalls::functions
  bool is_certain = false;   // it is of that function
  bool has_to_follow = false;
};

struct CallsInDocument {
  std::shared_ptr<const Document> document;
  std::vector<FoundCall> calls;
};

struct ChangedCalls {
  std::vector<ChangedFunction> functions;
  std::vector<CallsInDocument> documents;  // in which there are any
  bool has_files = false;                  // files that are not open were looked at, too

  // For people, what was looked for and found; empty: no parameters changed.
  std::string note() const;
};

// Documents that are not open, in which one of these names stands, in one of these families of
// languages.
using FindFiles = std::function<std::vector<std::shared_ptr<const Document>>(
    const std::set<std::string>& names, const std::set<std::string>& families)>;

// `origins`: what each of the documents was; may be shorter. `find_files` may be empty. Parses
// documents. Stopped it finds less.
ChangedCalls find_changed_calls(const std::vector<std::shared_ptr<const Document>>& documents,
                                const std::vector<DocumentOrigin>& origins,
                                const FindFiles& find_files = {}, const std::stop_token& stop = {});

// Edits of whole lines of one document.
struct TreeEdits {
  std::shared_ptr<const Document> document;  // null: there are none
  std::vector<TextEdit> edits;
};
// Calls that the tree knows how to change, in the first document that has any. `is_unwanted`: an
// edit that is not to be proposed.
TreeEdits edits_by_tree(const ChangedCalls& changed,
                        const std::function<bool(const Document&, const TextEdit&)>& is_unwanted);

// The places of the other calls that have to follow: of those that are certain, or of those that
// may be another function's.
std::vector<NextPlace> call_places(const ChangedCalls& changed, bool certain);
// What to tell the model about a place: empty if no such call is in it.
std::string call_task(const ChangedCalls& changed, const NextPlace& place);

}  // namespace redraft
