#include "workspace/engine/prompt_size.h"

#include <algorithm>
#include <cstddef>

namespace redraft {
namespace {

struct Size {
  std::string_view name;
  int tokens_per_second;  // of the slowest machine that reads such prompts in a few seconds
  PromptLimits limits;
};

// In the order of PromptSize. With 320 tokens around a region instead of 160, a 1.5B writes more
// destructive edits (docs/lab/performance.md).
constexpr std::array<Size, kPromptSizes.size()> kSizes = {{{"small",
                                                            0,
                                                            {.edit_context = 128,
                                                             .region = 384,
                                                             .part_list = 128,
                                                             .completion = 384,
                                                             .read_ahead = 1024}},
                                                           {"medium",
                                                            160,
                                                            {.edit_context = 160,
                                                             .region = 1024,
                                                             .part_list = 512,
                                                             .completion = 1024,
                                                             .read_ahead = 4096}},
                                                           {"large",
                                                            512,
                                                            {.edit_context = 1024,
                                                             .region = 2048,
                                                             .part_list = 1024,
                                                             .completion = 2048,
                                                             .read_ahead = 16384}},
                                                           {"huge",
                                                            4096,
                                                            {.edit_context = 8192,
                                                             .region = 2048,
                                                             .part_list = 2048,
                                                             .completion = 3072,
                                                             .read_ahead = 65536}}}};

const Size& row_of(PromptSize size) { return kSizes[static_cast<std::size_t>(size)]; }

}  // namespace

const PromptLimits& prompt_limits(PromptSize size) { return row_of(size).limits; }

std::string_view to_string(PromptSize size) { return row_of(size).name; }

std::optional<PromptSize> parse_prompt_size(std::string_view name) {
  const auto found =
      std::ranges::find_if(kPromptSizes, [&](PromptSize size) { return to_string(size) == name; });
  return found == kPromptSizes.end() ? std::nullopt : std::optional(*found);
}

PromptSize prompt_size_for(int tokens_per_second) {
  PromptSize largest = kPromptSizes.front();
  for (const PromptSize size : kPromptSizes) {
    if (row_of(size).tokens_per_second <= tokens_per_second) largest = size;
  }
  return largest;
}

}  // namespace redraft
