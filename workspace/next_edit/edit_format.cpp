#include "workspace/next_edit/edit_format.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "text/strings/lower_case.h"

namespace redraft {
namespace {

using For = PromptBlock::For;
using Answer = NextEditFormat::Answer;
using Prefill = NextEditFormat::Prefill;

// Zeta counts tokens of three bytes.
constexpr std::size_t kTokenBytes = 3;
constexpr NextEditFormat::Window kZetaWindow = {.bytes = 350 * kTokenBytes,
                                                .context_bytes = 75 * kTokenBytes};
constexpr NextEditFormat::History kZetaHistory = {
    .most = 10, .of_file = 10, .of_others = 10, .bytes = 500 * kTokenBytes, .lines = 40};

constexpr PromptBlock kSweepChange = {
    .each = For::kChange,
    .text = "<|file_sep|>{path}.diff\noriginal:\n{before}\nupdated:\n{after}\n"};

constexpr NextEditFormat kSweepV2 = {
    .name = "sweep-v2",
    .models = "Sweep next-edit v2 7B",
    .names = {"sweep next-edit-v2", "sweep v2-7b"},
    .blocks = {{{.each = For::kSurroundings, .text = "<|file_sep|>{path}\n{around}\n"},
                {.each = For::kRelatedFile, .text = "<|file_sep|>{path}{range}\n{text}\n"},
                kSweepChange,
                {.text = "<|file_sep|>original/{path}{range}\n{was}\n"
                         "<|file_sep|>current/{path}{range}\n{marked}\n"
                         "<|file_sep|>updated/{path}{range}\n"},
                {}}},
    .tokens = {"<|file_sep|>"},
    .window = {.lines_above = 10, .lines_below = 10, .surrounding_lines = 150},
    .history = {.most = 6, .of_file = 3, .of_others = 3, .bytes = 6144, .lines = 40},
    .related_bytes = 6144,
    .cursor = "<|cursor|>",
    .prefill = Prefill::kAboveCursor,
    .closing = "\n",
    .stops = {"<|file_sep|>", "</s>", "<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>",
              "<|fim_middle|>"},
    .drops_insertions_above = true,
    .reserved = {"<|file_sep|>", "</s>", "<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>",
                 "<|fim_middle|>", "<|cursor|>"}};

constexpr NextEditFormat kSweep = {
    .name = "sweep",
    .models = "Sweep next-edit 0.5B, 1.5B, 3B",
    .names = {"sweep next-edit"},
    .blocks = {{{.each = For::kRelatedFile, .text = "<|file_sep|>{path}\n{text}\n"},
                kSweepChange,
                {.text = "<|file_sep|>original/{path}\n{was}\n"
                         "<|file_sep|>current/{path}\n{window}\n"
                         "<|file_sep|>updated/{path}\n"},
                {},
                {}}},
    .tokens = {"<|file_sep|>"},
    .window = {.lines_above = 10, .lines_below = 10},
    .history = {.most = 3, .of_file = 3, .of_others = 3, .bytes = 6144, .lines = 40},
    .related_bytes = 6144,
    .closing = "\n",
    .stops = {"<|file_sep|>", "</s>", "<|endoftext|>"},
    .reserved = {"<|file_sep|>", "</s>", "<|endoftext|>", "<|fim_prefix|>", "<|fim_suffix|>",
                 "<|fim_middle|>"}};

// The words after "### Instruction:" are ours; the model was trained with one sentence of the same
// meaning.
constexpr NextEditFormat kZeta = {
    .name = "zeta",
    .models = "Zeta 1",
    .names = {"zeta"},
    .blocks = {{{.text = "### Instruction:\nComplete code: read what the user edited, then rewrite "
                         "the excerpt with the edits that come next, where the cursor is.\n\n"
                         "### User Edits:\n\n"},
                {.each = For::kChange,
                 .text = "User edited {path}:\n```diff\n{diff}\n```",
                 .between = "\n\n"},
                {.text = "\n\n### User Excerpt:\n\n```{path}\n{start}{above}"
                         "<|editable_region_start|>\n{marked}\n<|editable_region_end|>\n{below}```"
                         "\n\n### Response:\n"},
                {},
                {}}},
    .window = kZetaWindow,
    .history =
        {.most = 16, .of_file = 16, .of_others = 16, .bytes = 500 * kTokenBytes, .lines = 40},
    .file_start = "<|start_of_file|>\n",
    .cursor = "<|user_cursor_is_here|>",
    .opening = "<|editable_region_start|>\n",
    .closing = "\n<|editable_region_end|>",
    .reserved = {"<|start_of_file|>", "<|editable_region_start|>", "<|user_cursor_is_here|>",
                 "<|editable_region_end|>", "<|endoftext|>", "### Response:"}};

constexpr PromptBlock kSeedSuffix = {.text = "<[fim-suffix]>\n{below}<[fim-prefix]>"};
constexpr PromptBlock kSeedFile = {
    .each = For::kRelatedFile, .text = "<filename>{path}\n{text}\n", .behind = "\n"};
constexpr PromptBlock kSeedChange = {.each = For::kChange,
                                     .text = "--- a/{path}\n+++ b/{path}\n{diff}\n",
                                     .before = "<filename>edit_history\n",
                                     .behind = "\n"};
constexpr PromptBlock kSeedWindow = {.text =
                                         "<filename>{path}\n{above}<<<<<<< CURRENT\n{marked}\n"
                                         "=======\n<[fim-middle]>"};
constexpr NextEditFormat::Texts<12> kSeedReserved = {
    "<[fim-suffix]>",  "<[fim-prefix]>", "<[fim-middle]>",  "<[end▁of▁sentence]>",
    "<|user_cursor|>", "<filename>",     "<<<<<<< CURRENT", ">>>>>>> UPDATED"};

constexpr NextEditFormat kZeta2 = {
    .name = "zeta-2",
    .models = "Zeta 2",
    .names = {"zeta-2", "zeta2"},
    .blocks = {{kSeedSuffix, kSeedFile, kSeedChange, kSeedWindow, {}}},
    .tokens = {"<[fim-suffix]>", "<[fim-prefix]>", "<[fim-middle]>"},
    .marks = {"<filename>"},
    .window = kZetaWindow,
    .history = kZetaHistory,
    .related_bytes = 3072,
    .cursor = "<|user_cursor|>",
    .closing = "\n>>>>>>> UPDATED\n",
    .stops = {"<[end▁of▁sentence]>"},
    .nothing = {"NO_EDITS", "KEEP_PREVIOUS"},
    .reserved = kSeedReserved};

constexpr NextEditFormat::Texts<12> with_marks(NextEditFormat::Texts<12> texts) {
  texts.back() = "<|marker_";
  return texts;
}

// Like Zeta 2, but the answer is the span between two marks.
constexpr NextEditFormat kZeta21 = [] {
  NextEditFormat format = kZeta2;
  format.name = "zeta-2.1";
  format.models = "Zeta 2.1";
  format.names = {"zeta-2.1", "zeta2.1", "multi-region-filtered"};
  format.closing = "";
  format.answer = Answer::kSpan;
  format.min_region_lines = 6;
  format.max_region_lines = 16;
  format.reserved = with_marks(kSeedReserved);
  return format;
}();

// The system message is ours; the model was trained with a longer text of the same meaning.
constexpr NextEditFormat kInstinct = {
    .name = "instinct",
    .models = "Instinct",
    .names = {"instinct"},
    .blocks = {{{.text = "<|im_start|>system\nYou predict a developer's next edit of the code "
                         "between <|editable_region_start|> and <|editable_region_end|>, from the "
                         "context, the latest edits and the cursor's place, and answer with that "
                         "code as it should be, and with nothing else.<|im_end|>\n"
                         "<|im_start|>user\n### Context:\n"},
                {.each = For::kRelatedFile,
                 .text = "<|context_file|>: {path}\n<|snippet|>\n{text}\n",
                 .between = "\n"},
                {.text = "\n### User Edits:\n\n"},
                {.each = For::kChange,
                 .text = "User edited file \"{path}\"\n\n```diff\n{diff}\n```\n\n"},
                {.text = "### User Excerpt:\n{path}\n\n{above}<|editable_region_start|>\n{marked}\n"
                         "<|editable_region_end|>\n{below}\n### Response:<|im_end|>\n"
                         "<|im_start|>assistant\n"}}},
    .tokens = {"<|im_start|>", "<|im_end|>"},
    .window = {.lines_above = 1, .lines_below = 5, .context_bytes = 1536},
    .history =
        {.most = 3, .of_file = 3, .of_others = 3, .bytes = 3072, .lines = 40, .newest_first = true},
    .related_bytes = 3072,
    .cursor = "<|user_cursor_is_here|>",
    .closing = "",
    .stops = {"<|im_end|>", "<|endoftext|>"},
    .reserved = {"<|context_file|>", "<|snippet|>", "<|editable_region_start|>",
                 "<|editable_region_end|>", "<|user_cursor_is_here|>", "<|im_start|>", "<|im_end|>",
                 "<|endoftext|>"}};

// Does not compile if a block of the format is not well-formed. For g++ 12, which cannot read
// omitted elements of a constant array at compile time, each row spells out its empty blocks.
consteval const NextEditFormat& checked(const NextEditFormat& format) {
  for (const PromptBlock& block : format.blocks) {
    if (!is_well_formed(block))
      throw "a brace without its pair, or a name that the block has no value for";
  }
  return format;
}

constexpr NextEditFormat kFormats[] = {checked(kSweepV2), checked(kSweep), checked(kZeta21),
                                       checked(kZeta2),   checked(kZeta),  checked(kInstinct)};

// In lower case, the last component of a path, words joined by hyphens.
std::string plain_name(std::string_view name) {
  while (name.ends_with('/')) name.remove_suffix(1);
  std::string plain = lower_case(name.substr(name.rfind('/') + 1));
  std::ranges::replace_if(
      plain, [](char c) { return c == ' ' || c == '_'; }, '-');
  return plain;
}

bool is_part_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Whether `part` is in `name` as one or more whole words.
bool has_words(std::string_view name, std::string_view part) {
  for (std::size_t at = name.find(part); at != std::string_view::npos;
       at = name.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !is_part_of_word(name[at - 1])) &&
        (end == name.size() || !is_part_of_word(name[end])))
      return true;
  }
  return false;
}

bool has_all_parts(std::string_view name, std::string_view parts) {
  while (!parts.empty()) {
    const std::string_view part = parts.substr(0, parts.find(' '));
    if (!has_words(name, part)) return false;
    parts.remove_prefix(std::min(part.size() + 1, parts.size()));
  }
  return true;
}

bool is_of(const NextEditFormat& format, std::string_view name) {
  return std::ranges::any_of(format.names, [&](std::string_view parts) {
    return !parts.empty() && has_all_parts(name, parts);
  });
}

}  // namespace

std::span<const NextEditFormat> next_edit_formats() { return kFormats; }

const NextEditFormat* find_next_edit_format(std::string_view choice, std::string_view model_names) {
  if (choice == kNoFormat) return nullptr;
  if (choice != kFormatByModel) {
    const auto* found = std::ranges::find(kFormats, choice, &NextEditFormat::name);
    return found == std::end(kFormats) ? nullptr : found;
  }
  while (!model_names.empty()) {
    const std::string_view line = model_names.substr(0, model_names.find('\n'));
    const std::string name = plain_name(line);
    const auto* found = std::ranges::find_if(
        kFormats, [&](const NextEditFormat& format) { return is_of(format, name); });
    if (found != std::end(kFormats)) return found;
    model_names.remove_prefix(std::min(line.size() + 1, model_names.size()));
  }
  return nullptr;
}

std::string region_mark(std::size_t number) { return "<|marker_" + std::to_string(number) + "|>"; }

}  // namespace redraft
