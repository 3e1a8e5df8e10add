#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

#include "decoding/decoder.h"
#include "support/result.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/prompt.h"
#include "workspace/engine/engine.h"

namespace redraft {

// The limits of this engine for decide(). They refer to `request` and `engine`, which must outlive
// them. On the decode thread.
EditLimits limits_of(Engine& engine, const EditRequest& request);

// PromptForm::overview_bytes: the same in every prompt for a file.
std::size_t overview_bytes(PromptSize size, std::size_t context_bytes);

// How many bytes of the file a prompt shows besides the region: at most a quarter of the context.
std::size_t context_bytes_of(Engine& engine, const EditRequest& request);

// The prompt for a region. `faulty` may be null.
Result<EditPrompt> prompt_of(Engine& engine, const EditRequest& request,
                             const std::string& instruction, const EditRegion& region,
                             std::size_t context_bytes, const FaultyAnswer* faulty = nullptr);

// What the model is shown for a region.
struct EditPlan {
  EditRegion region;
  EditPrompt prompt;
  std::size_t context_bytes;  // that it shows besides the region
};

// The same whether or not the prompt was read ahead. On the decode thread.
Result<EditPlan> plan_region(Engine& engine, const EditRequest& request,
                             const std::string& instruction, const EditRegion& region);

// The decode that writes the region of `plan`, without callbacks. Drafts come from the region, the
// rest of the file, and what the request offers. On the decode thread.
DecodeRequest edit_decode(Engine& engine, const EditRequest& request, const EditPlan& plan,
                          int max_new_tokens);

// Reads the part of the request's prompt that precedes the instruction, which need not be known
// yet, up to PromptLimits::read_ahead. Blocks; runs on the decode thread. Calls `on_read` after
// each chunk with the fraction that is read, 0..1; more urgent work may run within that call. An
// error if there can be no prompt.
Result<void> read_edit_ahead(Engine& engine, const EditRequest& request,
                             const std::function<void(double fraction)>& on_read,
                             const std::stop_token& stop);

}  // namespace redraft
