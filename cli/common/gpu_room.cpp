#include "cli/common/gpu_room.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace redraft::cli {
namespace {

// Memory for passes in addition to weights and caches: hidden states, partial sums of attention,
// logits, recordings. (A 7B model needs about 250 MiB of it.)
constexpr std::size_t kPassBytes = std::size_t{384} << 20;
// Shorter prompts are of little use.
constexpr int kShortestContext = 2048;

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

// The memory of a sequence of `length` tokens in all models while it grows: its new size, plus half
// of that for the old copy.
std::size_t bytes_of_sequence(std::span<const LanguageModel* const> models, int length) {
  std::size_t bytes = 0;
  for (const LanguageModel* model : models) {
    const int own = std::min(length, model->context_length());
    bytes += model->new_cache(own)->bytes_of(own);
  }
  return bytes + bytes / 2;
}

}  // namespace

Result<GpuRoom> share_gpu_memory(std::span<const LanguageModel* const> models,
                                 std::size_t free_bytes, const EngineOptions& wanted) {
  const std::size_t room = free_bytes - std::min(free_bytes, kPassBytes);
  int context = wanted.context_limit;
  for (const LanguageModel* model : models) context = std::min(context, model->context_length());
  const int longest = context;
  const int shortest = std::min(kShortestContext, longest);
  while (context > shortest && bytes_of_sequence(models, context) > room)
    context =
        std::max(shortest, static_cast<int>(std::bit_floor(static_cast<unsigned>(context - 1))));
  const std::size_t sequence = bytes_of_sequence(models, context);
  if (sequence > room) {
    return Error("with the model loaded, the GPU has " + mebibytes(free_bytes) +
                 " of memory left, too little to run it (it needs " +
                 mebibytes(kPassBytes + sequence) + ")");
  }
  GpuRoom shared{.options = wanted, .notice = {}};
  shared.options.context_limit = std::min(wanted.context_limit, context);
  shared.options.cache_bytes = std::min(wanted.cache_bytes, room - sequence / 3);
  if (context < longest) {
    shared.notice = "The GPU's memory is short: prompt and answer are limited to " +
                    std::to_string(context) + " tokens instead of " + std::to_string(longest) + ".";
  } else if (shared.options.cache_bytes < wanted.cache_bytes) {
    shared.notice = "The GPU's memory is short: " + mebibytes(shared.options.cache_bytes) +
                    " instead of " + mebibytes(wanted.cache_bytes) +
                    " are used to cache earlier requests.";
  }
  return shared;
}

}  // namespace redraft::cli
