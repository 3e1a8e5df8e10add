#include "decoding/model/tokenizer_spec.h"

#include <string>
#include <utility>

#include "text/pre_tokenizer.h"

namespace redraft {
namespace {

Result<void> read_vocabulary(const GgufFile& file, TokenizerSpec& spec) {
  Result<std::string_view> pre = file.text("tokenizer.ggml.pre");
  if (!pre) return pre.error();
  spec.pre_tokenizer = *pre;
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
  return {};
}

// -1 where the key is missing.
Result<TokenId> read_id(const GgufFile& file, std::string_view key, const TokenizerSpec& spec) {
  if (!file.has(key)) return TokenId{-1};
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  const Result<std::int64_t> id = file.integer(key, 0, last);
  if (!id) return id.error();
  return static_cast<TokenId>(*id);
}

// The tokens that begin and end a text and its turns.
Result<void> read_ends(const GgufFile& file, TokenizerSpec& spec) {
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id"}) {
    const Result<TokenId> id = read_id(file, key, spec);
    if (!id) return id.error();
    if (*id >= 0) spec.end_tokens.push_back(*id);
  }
  const Result<TokenId> eos = read_id(file, "tokenizer.ggml.eos_token_id", spec);
  if (!eos) return eos.error();
  spec.end_of_text = *eos;
  const Result<TokenId> bos = read_id(file, "tokenizer.ggml.bos_token_id", spec);
  if (!bos) return bos.error();
  spec.bos = *bos;
  constexpr std::string_view kAddBosKey = "tokenizer.ggml.add_bos_token";
  if (file.has(kAddBosKey)) {
    const Result<bool> add = file.boolean(kAddBosKey);
    if (!add) return add.error();
    spec.add_bos = *add;
  }
  constexpr std::string_view kTemplateKey = "tokenizer.chat_template";
  if (file.has(kTemplateKey)) {
    const Result<std::string_view> chat_template = file.text(kTemplateKey);
    if (!chat_template) return chat_template.error();
    spec.chat_template = *chat_template;
  }
  return {};
}

}  // namespace

Result<TokenizerSpec> read_tokenizer_spec(const GgufFile& file) {
  constexpr std::string_view kModelKey = "tokenizer.ggml.model";
  const Result<std::string_view> model = file.text(kModelKey);
  if (!model) {
    return file.key_error(kModelKey,
                          "missing or not text: the file has no tokenizer that redraft can use");
  }
  if (*model != "gpt2") {
    return file.key_error(
        kModelKey, quoted(*model) + " is not supported; redraft reads byte-level BPE ('gpt2')");
  }
  TokenizerSpec spec;
  if (auto read = read_vocabulary(file, spec); !read) return read.error();
  // Not written in the file: Llama 3 looks words up before it merges, and begins texts with a token
  // unless the file says otherwise.
  const Result<PreTokenizer> known = find_pre_tokenizer(spec.pre_tokenizer);
  const bool is_llama3 = known && *known == PreTokenizer::kLlama3;
  spec.ignore_merges = is_llama3;
  spec.add_bos = is_llama3 && file.has("tokenizer.ggml.bos_token_id");
  if (auto read = read_ends(file, spec); !read) return read.error();
  return spec;
}

}  // namespace redraft
