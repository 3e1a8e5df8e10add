#include "workspace/completion/fill_format.h"

#include <string>

#include "text/strings/lower_case.h"

namespace redraft {
namespace {

using Order = FillFormat::Order;
using Files = FillFormat::Files;

// Families that share tokens with others, but use another format, come before them.
constexpr FillFormat kFormats[] = {
    {.name = "mellum",
     .models = "mellum",
     .prefix = "<fim_prefix>",
     .suffix = "<fim_suffix>",
     .middle = "<fim_middle>",
     .file = "<filename>",
     .ends = {"<fim_pad>", "<reponame>"},
     .order = Order::kSuffixFirst},
    // Qwen3.5, 3.6 and 3.8 keep the tokens of Qwen2.5-Coder, but their authors document no training
    // with them. One user reports good completions (llama.vscode#55); nobody has measured them.
    {.name = "qwen3.5",
     .pre_tokenizer = PreTokenizer::kQwen35,
     .prefix = "<|fim_prefix|>",
     .suffix = "<|fim_suffix|>",
     .middle = "<|fim_middle|>",
     .trained = false},
    {.name = "qwen",
     .prefix = "<|fim_prefix|>",
     .suffix = "<|fim_suffix|>",
     .middle = "<|fim_middle|>",
     .file = "<|file_sep|>",
     .ends = {"<|fim_pad|>", "<|repo_name|>"}},
    {.name = "granite",
     .prefix = "<|fim_prefix|>",
     .suffix = "<|fim_suffix|>",
     .middle = "<|fim_middle|>",
     .file = "<|filename|>",
     .ends = {"<|fim_pad|>", "<|reponame|>"}},
    {.name = "starcoder2",
     .prefix = "<fim_prefix>",
     .suffix = "<fim_suffix>",
     .middle = "<fim_middle>",
     .file = "<file_sep>",
     .ends = {"<fim_pad>", "<repo_name>", "<reponame>"}},
    {.name = "starcoder",  // and the first Granite models for code
     .prefix = "<fim_prefix>",
     .suffix = "<fim_suffix>",
     .middle = "<fim_middle>",
     .file = "<filename>",
     .ends = {"<fim_pad>", "<reponame>", "<gh_stars>"}},
    {.name = "deepseek",
     .prefix = "<｜fim▁begin｜>",
     .suffix = "<｜fim▁hole｜>",
     .middle = "<｜fim▁end｜>"},
    // It keeps Seed-Coder's tokens, but its authors document no training with them.
    {.name = "seed-oss",
     .models = "oss",
     .prefix = "<[fim-prefix]>",
     .suffix = "<[fim-suffix]>",
     .middle = "<[fim-middle]>",
     .trained = false},
    {.name = "seed-coder",
     .prefix = "<[fim-prefix]>",
     .suffix = "<[fim-suffix]>",
     .middle = "<[fim-middle]>",
     .file = "<filename>",
     .ends = {"<[end▁of▁sentence]>"},
     .order = Order::kSuffixFirst,
     .files = Files::kBehindPrefixToken},
    // All of Mistral's vocabularies have the tokens. Of their other models, such as Devstral, no
    // document says that they fill in.
    {.name = "mistral",
     .pre_tokenizer = PreTokenizer::kTekken,
     .prefix = "[PREFIX]",
     .suffix = "[SUFFIX]",
     .trained = false},
    {.name = "codestral",
     .prefix = "[PREFIX]",
     .suffix = "[SUFFIX]",
     .heading = "+++++ ",
     .ends = {"[MIDDLE]"},
     .order = Order::kSuffixFirst,
     .files = Files::kBehindPrefixToken},
};

bool has(const Tokenizer& tokenizer, std::string_view spelling) {
  return spelling.empty() || tokenizer.special(spelling) >= 0;
}

// The first format whose tokens the vocabulary has, trained or not; null: none.
const FillFormat* format_by_tokens(const Tokenizer& tokenizer, std::string_view model) {
  const std::string name = lower_case(model);
  const FillFormat* found = nullptr;
  for (const FillFormat& format : kFormats) {
    if (name.find(format.models) == std::string::npos) continue;
    if (format.pre_tokenizer && *format.pre_tokenizer != tokenizer.pre_tokenizer()) continue;
    if (!has(tokenizer, format.prefix) || !has(tokenizer, format.suffix) ||
        !has(tokenizer, format.middle))
      continue;
    if (has(tokenizer, format.file)) return &format;
    if (found == nullptr) found = &format;
  }
  return found;
}

}  // namespace

std::span<const FillFormat> fill_formats() { return kFormats; }

const FillFormat* find_fill_format(const Tokenizer& tokenizer, std::string_view model) {
  const FillFormat* format = format_by_tokens(tokenizer, model);
  return format && format->trained ? format : nullptr;
}

Result<const FillFormat*> require_fill_format(const Tokenizer& tokenizer, std::string_view model) {
  const FillFormat* format = format_by_tokens(tokenizer, model);
  if (format && format->trained) return format;
  return Error(std::string(format ? "the model has fill-in-the-middle tokens, but its authors do "
                                    "not document that it was trained with them"
                                  : "the model has no fill-in-the-middle tokens") +
               ". Set completion.model (`redraft lsp --completion-model`) to a code model that "
               "fills in, such as qwen2.5-coder-1.5b");
}

}  // namespace redraft
