// How much code a request shows to the model, and how much of it the model may write
//
// Everything that decides the text of an answer (prompts, regions, the parts of a file, limits of
// tokens) follows from one of four sizes, and never from how fast the machine is at the moment. So
// a request has the same answer on an idle machine and under load. The speed only decides how a
// pass is cut and what is drafted, which changes no answer.
//
// A slow machine would wait too long for large prompts, so the language server chooses the size
// once for a machine and a model, by the measured speed, and keeps it
// (cli/common/prompt_size_store.h). A command line has the same size everywhere.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace redraft {

enum class PromptSize { kSmall, kMedium, kLarge, kHuge };  // ascending

inline constexpr std::array kPromptSizes = {PromptSize::kSmall, PromptSize::kMedium,
                                            PromptSize::kLarge, PromptSize::kHuge};
// That of a command line that names none.
inline constexpr PromptSize kDefaultPromptSize = PromptSize::kMedium;

// In tokens of a usual vocabulary.
struct PromptLimits {
  int edit_context;  // of the file around a region
  int region;        // the largest region around a cursor; a smaller file is edited as a whole
  int part_list;     // the list of a large file's parts, from which the model chooses
  int completion;    // the text and the snippets of a completion
  int read_ahead;    // of a prompt that is read before the edit is requested
};

const PromptLimits& prompt_limits(PromptSize size);

// "small", "medium", "large", "huge"
std::string_view to_string(PromptSize size);
std::optional<PromptSize> parse_prompt_size(std::string_view name);

// The largest size for a machine that reads so many tokens in a second.
PromptSize prompt_size_for(int tokens_per_second);

}  // namespace redraft
