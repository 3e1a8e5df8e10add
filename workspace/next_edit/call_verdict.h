#pragma once

#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"
#include "workspace/next_edit/call_search.h"

namespace redraft {

// What an edit that the model wrote does to calls of functions whose parameters changed.
enum class CallVerdict {
  kNothing,
  kSound,    // calls follow, and nothing else is changed
  kUnsound,  // it changes a call that has not to follow, or does not what it has to
};
CallVerdict verdict_on(const ChangedCalls& changed, const Document& document, const TextEdit& edit);

}  // namespace redraft
