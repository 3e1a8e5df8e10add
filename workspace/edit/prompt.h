#pragma once

#include <string>
#include <vector>

#include "decoding/replacement.h"
#include "decoding/text/prompt_encoder.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"
#include "support/token.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"

namespace redraft {

// Which comes first, the file or the instruction. The product puts the file first, so that a second
// instruction for the same text costs only its own tokens; the bench measures the other order too.
enum class PromptOrder { kBufferFirst, kInstructionFirst };

// What the model is given for one edit. The assistant's turn is opened with the fence, so that its
// first token is already the region's first line.
struct EditPrompt {
  std::vector<TokenId> tokens;
  // The region's tokens as they stand in the prompt, and the closing fence: what an edit that
  // changes nothing writes.
  std::vector<TokenId> original;
  std::vector<Replacement> replacements;  // in it, that the instruction names
  std::vector<TokenId> stop_tokens;
  std::string fence;
};

// `encoder` makes the next prompt for a text that has changed little cost little. Around a region
// that is not the whole file up to `context_bytes` of it are shown, see file_around().
Result<EditPrompt> make_edit_prompt(PromptEncoder& encoder, const EditRegion& region,
                                    const std::string& instruction,
                                    PromptOrder order = PromptOrder::kBufferFirst,
                                    std::size_t context_bytes = kMaxDocumentBytes);

// The line that opens a fence around code of the document.
std::string opening_fence(const std::string& fence, const Document& document);

// The most tokens that the answer may have: `asked`, or if that is 0 what suits the size of the
// region, and no more than the context has room for. An error when the region does not fit twice,
// in the prompt and in the answer.
Result<int> edit_token_budget(const EditPrompt& prompt, int asked, int context_length);

// The tokens that spell bytes [range.begin, range.end) of the text of `tokens` (special tokens
// spell nothing). A token that reaches over an edge is replaced by an encoding of the part of it
// inside.
std::vector<TokenId> tokens_within(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens,
                                   ByteRange range);

}  // namespace redraft
