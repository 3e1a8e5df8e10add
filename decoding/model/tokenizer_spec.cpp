#include "decoding/model/tokenizer_spec.h"

#include <string>
#include <utility>

#include "text/pre_tokenizer.h"

namespace redraft {
namespace {

Result<void> read_vocabulary(const GgufFile& file, TokenizerSpec& spec) {
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

constexpr std::string_view kGemma4 = "gemma4";
constexpr std::int64_t kMaxWidth =
    1 << 20;  // of the embeddings per layer, which only E2B and E4B have

Result<void> read_pre_tokenizer(const GgufFile& file, std::string_view model, TokenizerSpec& spec) {
  if (model == kGemma4) {
    spec.pre_tokenizer = model;
    return {};
  }
  if (model != "gpt2") {
    return file.key_error("tokenizer.ggml.model",
                          quoted(model) +
                              " is not supported; redraft reads byte-level BPE "
                              "('gpt2') and the BPE of Gemma 4 ('gemma4')");
  }
  constexpr std::string_view kPreKey = "tokenizer.ggml.pre";
  const Result<std::string_view> pre = file.text(kPreKey);
  if (!pre) return pre.error();
  spec.pre_tokenizer = *pre;
  const Result<PreTokenizer> known = find_pre_tokenizer(*pre);
  if (known && merges_characters(*known)) {
    return file.key_error(kPreKey, quoted(*pre) + " is not supported with byte-level BPE");
  }
  return {};
}

// What the published tokenizers do, although GGUF files do not say it.
struct Unwritten {
  bool ignore_merges = false;
  bool add_bos = false;  // unless the file says otherwise
};

Unwritten not_in_the_file(std::string_view pre_tokenizer) {
  const Result<PreTokenizer> known = find_pre_tokenizer(pre_tokenizer);
  if (!known) return {};
  const bool llama3 = *known == PreTokenizer::kLlama3;
  const bool tekken = *known == PreTokenizer::kTekken;
  // Llama 3's words in files whose texts begin with no token.
  const bool without_first = pre_tokenizer == "smaug-bpe" || pre_tokenizer == "dbrx";
  return {.ignore_merges = llama3 || tekken || *known == PreTokenizer::kGpt4o,
          .add_bos = tekken || (llama3 && !without_first)};
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
  TokenizerSpec spec;
  if (auto read = read_pre_tokenizer(file, *model, spec); !read) return read.error();
  if (auto read = read_vocabulary(file, spec); !read) return read.error();
  const Unwritten unwritten = not_in_the_file(spec.pre_tokenizer);
  spec.ignore_merges = unwritten.ignore_merges;
  spec.add_bos = unwritten.add_bos && file.has("tokenizer.ggml.bos_token_id");
  if (auto read = read_ends(file, spec); !read) return read.error();
  if (*model == kGemma4) {
    // Early files say false, but the models were trained with it.
    if (spec.bos >= 0) spec.add_bos = true;
    constexpr std::string_view kPerLayerKey = "gemma4.embedding_length_per_layer_input";
    if (file.has(kPerLayerKey)) {
      const Result<std::int64_t> width = file.integer(kPerLayerKey, 0, kMaxWidth);
      if (!width) return width.error();
      spec.answers_after_thought = *width == 0;
    }
  }
  return spec;
}

}  // namespace redraft
