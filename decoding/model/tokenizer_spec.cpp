#include "decoding/model/tokenizer_spec.h"

#include <limits>
#include <string>
#include <utility>

#include "decoding/text/pre_tokenizer.h"

namespace redraft {

Result<TokenizerSpec> read_tokenizer_spec(const GgufFile& file) {
  constexpr std::string_view kModelKey = "tokenizer.ggml.model";
  Result<std::string_view> model = file.text(kModelKey);
  if (!model)
    return file.key_error(kModelKey,
                          "missing or not text: the file has no tokenizer that redraft can use");
  if (*model != "gpt2") {
    return file.key_error(
        kModelKey, quoted(*model) + " is not supported; redraft reads byte-level BPE ('gpt2')");
  }
  TokenizerSpec spec;
  Result<std::string_view> pre = file.text("tokenizer.ggml.pre");
  if (!pre) return pre.error();
  spec.pre_tokenizer = *pre;
  // Not written in the file: Llama 3 looks words up before it merges, and begins texts with a token
  // unless the file says otherwise.
  const Result<PreTokenizer> known = find_pre_tokenizer(spec.pre_tokenizer);
  const bool is_llama3 = known && *known == PreTokenizer::kLlama3;
  spec.ignore_merges = is_llama3;
  spec.add_bos = is_llama3 && file.has("tokenizer.ggml.bos_token_id");
  Result<std::vector<std::string>> tokens = file.texts("tokenizer.ggml.tokens");
  if (!tokens) return tokens.error();
  spec.tokens = std::move(*tokens);
  Result<std::vector<std::string>> merges = file.texts("tokenizer.ggml.merges");
  if (!merges) return merges.error();
  spec.merges = std::move(*merges);
  if (file.has("tokenizer.ggml.token_type")) {
    Result<std::vector<std::int32_t>> types = file.integers("tokenizer.ggml.token_type");
    if (!types) return types.error();
    spec.types = std::move(*types);
  }
  const auto read_id = [&](std::string_view key, TokenId& out) -> Result<void> {
    if (!file.has(key)) return {};
    Result<std::int64_t> id =
        file.integer(key, 0, static_cast<std::int64_t>(spec.tokens.size()) - 1);
    if (!id) return id.error();
    out = static_cast<TokenId>(*id);
    return {};
  };
  if (auto id = read_id("tokenizer.ggml.eos_token_id", spec.end_of_text); !id) return id.error();
  if (auto id = read_id("tokenizer.ggml.bos_token_id", spec.bos); !id) return id.error();
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id"}) {
    TokenId id = -1;
    if (auto read = read_id(key, id); !read) return read.error();
    if (id >= 0) spec.end_tokens.push_back(id);
  }
  constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
  if (file.has(kTemplateKey)) {
    Result<std::string_view> chat_template = file.text(kTemplateKey);
    if (!chat_template) return chat_template.error();
    spec.chat_template = *chat_template;
  }
  if (file.has("tokenizer.ggml.add_bos_token")) {
    Result<bool> add = file.boolean("tokenizer.ggml.add_bos_token");
    if (!add) return add.error();
    spec.add_bos = *add;
  }
  return spec;
}

}  // namespace redraft
