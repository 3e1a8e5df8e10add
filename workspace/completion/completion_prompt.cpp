#include "workspace/completion/completion_prompt.h"

#include <array>

namespace redraft {
namespace {

// How a family of models spells the parts of a fill-in-the-middle prompt; empty: it has no such
// token.
struct FillTokens {
  std::string_view prefix, suffix, middle;
  std::string_view file;
  std::array<std::string_view, 3> others;  // other tokens that end a completion
};

constexpr FillTokens kFamilies[] = {
    {"<|fim_prefix|>",
     "<|fim_suffix|>",
     "<|fim_middle|>",
     "<|file_sep|>",
     {"<|fim_pad|>", "<|repo_name|>", ""}},
    {"<fim_prefix>",
     "<fim_suffix>",
     "<fim_middle>",
     "<file_sep>",
     {"<fim_pad>", "<repo_name>", "<reponame>"}},
    {"<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>", "", {"", "", ""}},
};

const FillTokens* family_of(const Tokenizer& tokenizer) {
  for (const FillTokens& family : kFamilies) {
    if (tokenizer.special(family.prefix) >= 0 && tokenizer.special(family.suffix) >= 0 &&
        tokenizer.special(family.middle) >= 0)
      return &family;
  }
  return nullptr;
}

PromptPart control(std::string_view spelling) { return {std::string(spelling), true}; }

void add_place(const FillTokens& family, const CompletionContext& context,
               std::vector<PromptPart>& parts) {
  parts.push_back(control(family.prefix));
  parts.push_back({std::string(context.prefix), false});
  parts.push_back(control(family.suffix));
  parts.push_back({std::string(*context.suffix), false});
  parts.push_back(control(family.middle));
}

}  // namespace

Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context) {
  const FillTokens* family = family_of(tokenizer);
  if (!family && context.suffix) {
    return Error(
        "the target's tokenizer has no fill-in-the-middle tokens; take a code model that has, such "
        "as Qwen2.5-Coder");
  }
  const bool has_files = family && tokenizer.special(family->file) >= 0;
  std::vector<PromptPart> parts;
  const auto begin_file = [&](const std::string& file) {
    if (has_files) parts.push_back(control(family->file));
    parts.push_back({(has_files ? "" : "# File: ") + file + "\n", false});
  };
  for (const Snippet& snippet : context.snippets) {
    begin_file(snippet.file);
    parts.push_back({snippet.text, false});
  }
  if (!context.snippets.empty()) begin_file(context.file);
  if (context.suffix) {
    add_place(*family, context, parts);
  } else {
    parts.push_back({std::string(context.prefix), false});
  }
  return parts;
}

std::optional<SpelledFill> read_spelled_fill(std::string_view prompt) {
  for (const FillTokens& family : kFamilies) {
    const std::size_t suffix = prompt.find(family.suffix);
    if (!prompt.starts_with(family.prefix) || !prompt.ends_with(family.middle) ||
        suffix == std::string_view::npos)
      continue;
    const std::size_t after = suffix + family.suffix.size();
    const std::size_t end = prompt.size() - family.middle.size();
    const bool once = prompt.find(family.prefix, 1) == std::string_view::npos &&
                      prompt.find(family.suffix, after) == std::string_view::npos &&
                      prompt.find(family.middle) == end;
    if (!once || suffix < family.prefix.size() || after > end) return {};
    return SpelledFill{prompt.substr(family.prefix.size(), suffix - family.prefix.size()),
                       prompt.substr(after, end - after)};
  }
  return {};
}

std::vector<TokenId> completion_ends(const Tokenizer& tokenizer) {
  std::vector<TokenId> ends;
  const FillTokens* family = family_of(tokenizer);
  if (!family) return ends;
  const auto add = [&](std::string_view spelling) {
    const TokenId id = spelling.empty() ? -1 : tokenizer.special(spelling);
    if (id >= 0) ends.push_back(id);
  };
  for (const std::string_view spelling :
       {family->prefix, family->suffix, family->middle, family->file})
    add(spelling);
  for (const std::string_view spelling : family->others) add(spelling);
  return ends;
}

}  // namespace redraft
