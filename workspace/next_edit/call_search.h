// Calls that have to follow when the parameters of a function changed.
//
// What changed is told by the syntax trees of a document as it was and as it is. Calls of such a
// function are found in all open documents, by what its name means there (NameMeanings): a variable
// of that name is none, nor is what another file has under that name. A call that was written since
// is taken as it is; any other has to follow if it does not agree (call_change.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
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

  // For people, what was looked for and found; empty: no parameters changed.
  std::string note() const;
};

// `origins`: what each of the documents was; may be shorter. Parses documents.
ChangedCalls find_changed_calls(const std::vector<std::shared_ptr<const Document>>& documents,
                                const std::vector<DocumentOrigin>& origins);

// Edits of whole lines of one document.
struct TreeEdits {
  std::shared_ptr<const Document> document;  // null: there are none
  std::vector<TextEdit> edits;
};
// Calls that the tree knows how to change, in the first document that has any. `is_unwanted`: an
// edit that is not to be proposed.
TreeEdits edits_by_tree(const ChangedCalls& changed,
                        const std::function<bool(const Document&, const TextEdit&)>& is_unwanted);

// The places of the other calls that have to follow, the certain ones first.
std::vector<NextPlace> call_places(const ChangedCalls& changed, int most);
// What to tell the model about a place: empty if no such call is in it.
std::string call_task(const ChangedCalls& changed, const NextPlace& place);

// What an edit that the model wrote does to calls of that name.
enum class CallVerdict {
  kNothing,
  kSound,    // calls follow, and nothing else is changed
  kUnsound,  // it changes a call that has not to follow, or does not what it has to
};
CallVerdict verdict_on(const ChangedCalls& changed, const Document& document, const TextEdit& edit);

}  // namespace redraft
