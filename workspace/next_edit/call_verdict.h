#pragma once

#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"
#include "workspace/next_edit/call_search.h"

namespace redraft {

// The effect of the model's edit on calls of functions whose parameters changed.
enum class CallVerdict {
  kNothing,
  kSound,    // the calls are updated, and nothing else changes
  kUnsound,  // it changes a call that need not change, or changes one incorrectly
};
CallVerdict verdict_on(const ChangedCalls& changed, const Document& document, const TextEdit& edit);

}  // namespace redraft
