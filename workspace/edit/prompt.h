#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/replacement.h"
#include "support/result.h"
#include "support/token.h"
#include "text/prompt_encoder.h"
#include "text/thoughts.h"
#include "text/tokenizer.h"
#include "workspace/documents/document.h"
#include "workspace/documents/edit_region.h"

namespace redraft {

// Whether the file or the instruction comes first. redraft itself puts the file first, so that
// another instruction for the same text costs only its own tokens; the bench measures the other
// order too.
enum class PromptOrder { kBufferFirst, kInstructionFirst };

struct PromptForm {
  PromptOrder order = PromptOrder::kBufferFirst;
  // Of the file around a region, see edit_context().
  std::size_t context_bytes = kMaxDocumentBytes;
  std::size_t overview_bytes = kMaxDocumentBytes;
  // Besides those that the region has, names whose definitions in the file are shown.
  std::vector<std::string> names = {};
  std::string elsewhere = {};  // code of other files, each below a line that says whose
};

// The model's input for one edit. It opens the assistant's turn with the fence, so the model's
// first token already belongs to the region's first line. If the model's template opens a thought,
// the model opens the fence after it (code_answer.h).
struct EditPrompt {
  std::vector<TokenId> tokens;
  // How many of them, from the first, are the same for any other instruction.
  int before_instruction = 0;
  // The region's tokens as they occur in the prompt, and the closing fence: the output of an edit
  // that changes nothing.
  std::vector<TokenId> original;
  std::vector<Replacement> replacements;  // in it, as named by the instruction
  std::vector<TokenId> stop_tokens;
  std::string fence;
  AnswerBeginning beginning = AnswerBeginning::kMayThink;
};

// An answer to a prompt that has to be written again.
struct FaultyAnswer {
  std::string text;   // as the model wrote it
  std::string fault;  // "the definition of 'a' is gone"
};

// `encoder` makes the next prompt cheap if the text has changed little. With `faulty` the
// conversation goes on behind that answer, and `original` is its tokens.
Result<EditPrompt> make_edit_prompt(PromptEncoder& encoder, const EditRegion& region,
                                    const std::string& instruction, const PromptForm& form = {},
                                    const FaultyAnswer* faulty = nullptr);

// A question about a file whose answer is not code.
struct QuestionPrompt {
  std::vector<TokenId> tokens;
  std::vector<TokenId> stop_tokens;
  // Whether the model thinks before it answers. Then `opening` is left out.
  bool thinks = false;
};

// How an answer with code begins after these parts of a chat. kNoThought if the region begins
// with the tag of a thought or the instruction contains it: then the code may begin with it.
AnswerBeginning beginning_of_code(std::span<const PromptPart> parts, const EditRegion& region,
                                  std::string_view instruction);

// Begins like the prompts for regions of a large file, so that these do not pay for it again. The
// answer goes on behind `opening`.
Result<QuestionPrompt> make_question_prompt(PromptEncoder& encoder, const Document& document,
                                            const std::string& question, const std::string& opening,
                                            std::size_t overview_bytes);

// The line that opens a fence around code of the document.
std::string opening_fence(const std::string& fence, const Document& document);

// The maximum number of tokens of the answer: `asked` or, if that is 0, a number that suits the
// size of the region and, if the prompt opens a thought, of thoughts; never more than the context
// has room for. An error if the region does not fit twice, in the prompt and in the answer.
Result<int> edit_token_budget(const EditPrompt& prompt, int asked, int context_length);

// The tokens that spell bytes [range.begin, range.end) of the text of `tokens` (special tokens
// spell nothing). A token that crosses an edge is replaced by an encoding of its part inside.
std::vector<TokenId> tokens_within(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens,
                                   ByteRange range);

}  // namespace redraft
