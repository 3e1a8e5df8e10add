#include "decoding/model/tokenizer_json.h"

#include <algorithm>
#include <bitset>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "decoding/model/tokenizer_steps.h"
#include "text/byte_alphabet.h"

namespace redraft {
namespace {

// GGUF's token types, which TokenizerSpec uses.
constexpr std::int32_t kNormal = 1;
constexpr std::int32_t kControl = 3;
constexpr std::int32_t kUserDefined = 4;
constexpr std::int32_t kUnused = 5;
constexpr std::int32_t kByte = 6;

constexpr std::string_view kGemma4 = "gemma4";

constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;

// Vocabularies have gaps, but not large ones: an id far beyond their size is a mistake.
std::int64_t largest_id(std::size_t n_tokens) {
  return static_cast<std::int64_t>(2 * n_tokens + 1024);
}

// Gives the token its id; ids in between that no token has are unused.
Result<void> add_token(const JsonValue& where, std::string_view spelling, std::int64_t id,
                       std::int32_t type, TokenizerSpec& spec) {
  const auto i = static_cast<std::size_t>(id);
  if (i >= spec.tokens.size()) {
    spec.tokens.resize(i + 1);
    spec.types.resize(i + 1, kUnused);
  }
  // An added token may also be in the vocabulary.
  const bool again = type != kNormal && spec.tokens[i] == spelling;
  if (spec.types[i] != kUnused && !again) {
    return where.error("id " + std::to_string(id) + " is already that of another token");
  }
  spec.tokens[i] = spelling;
  spec.types[i] = type;
  return {};
}

Result<void> read_vocabulary(const JsonValue& model, std::size_t n_added, TokenizerSpec& spec) {
  const Result<JsonValue> vocabulary = model.at("vocab");
  if (!vocabulary) return vocabulary.error();
  const Result<JsonValue> object = vocabulary->object();
  if (!object) return object.error();
  const std::int64_t largest = largest_id(object->size() + n_added);
  for (const JsonValue& token : *object) {
    const Result<std::int64_t> id = token.integer(0, largest);
    if (!id) return id.error();
    if (auto added = add_token(token, token.key(), *id, kNormal, spec); !added) return added;
  }
  return {};
}

struct AddedToken {
  std::int64_t id = 0;
  std::string_view content = {};
  bool special = false;
};

Result<AddedToken> read_added_token(const JsonValue& token, std::int64_t largest) {
  const Result<JsonValue> id_value = token.at("id");
  if (!id_value) return id_value.error();
  const Result<std::int64_t> id = id_value->integer(0, largest);
  if (!id) return id.error();
  const Result<JsonValue> content_value = token.at("content");
  if (!content_value) return content_value.error();
  const Result<std::string_view> content = content_value->text();
  if (!content) return content.error();
  if (content->empty()) return content_value->error("a token cannot be empty");
  AddedToken added{.id = *id, .content = *content};
  if (const std::optional<JsonValue> special = token.find("special")) {
    const Result<bool> is_special = special->boolean();
    if (!is_special) return is_special.error();
    added.special = *is_special;
  }
  return added;
}

// What the merges make.
std::unordered_set<std::string> merged_tokens(const TokenizerSpec& spec) {
  std::unordered_set<std::string> merged;
  for (const std::string& line : spec.merges) {
    const std::size_t space = std::min(line.find(' '), line.size());
    merged.insert(line.substr(0, space) + line.substr(std::min(space + 1, line.size())));
  }
  return merged;
}

Result<void> read_added_tokens(const JsonValue& root, bool byte_fallback, TokenizerSpec& spec) {
  const std::optional<JsonValue> tokens = root.find("added_tokens");
  if (!tokens) return {};
  const Result<JsonValue> array = tokens->array();
  if (!array) return array.error();
  const std::int64_t largest = largest_id(spec.tokens.size() + array->size());
  std::unordered_set<std::string> merged;
  if (byte_fallback) merged = merged_tokens(spec);
  for (const JsonValue& token : *array) {
    const Result<AddedToken> added = read_added_token(token, largest);
    if (!added) return added.error();
    if (!added->special && merged.contains(std::string(added->content))) continue;
    const std::int32_t type = added->special ? kControl : kUserDefined;
    if (auto done = add_token(token, added->content, added->id, type, spec); !done) return done;
  }
  return {};
}

// "left right" or ["left", "right"].
Result<std::string> read_merge(const JsonValue& merge) {
  if (merge.kind() == JsonValue::Kind::kText) {
    const Result<std::string_view> line = merge.text();
    if (!line) return line.error();
    return std::string(*line);
  }
  if (merge.kind() != JsonValue::Kind::kArray || merge.size() != 2) {
    return merge.error("expected two tokens, as \"left right\" or [\"left\", \"right\"]");
  }
  std::string line;
  for (const JsonValue& side : merge) {
    const Result<std::string_view> token = side.text();
    if (!token) return token.error();
    if (token->empty() || token->find(' ') != token->npos) {
      return side.error("not a token of a byte-level vocabulary");
    }
    if (!line.empty()) line += ' ';
    line += *token;
  }
  return line;
}

Result<void> read_merges(const JsonValue& model, TokenizerSpec& spec) {
  const Result<JsonValue> merges = model.at("merges");
  if (!merges) return merges.error();
  const Result<JsonValue> array = merges->array();
  if (!array) return array.error();
  spec.merges.reserve(array->size());
  for (const JsonValue& merge : *array) {
    Result<std::string> line = read_merge(merge);
    if (!line) return line.error();
    spec.merges.push_back(std::move(*line));
  }
  return {};
}

// False where the key is missing.
Result<bool> flag(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> value = object.find(key);
  if (!value) return false;
  return value->boolean();
}

bool covers_all_bytes(const TokenizerSpec& spec, bool byte_fallback) {
  std::bitset<256> covered;
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.types[i] != (byte_fallback ? kByte : kNormal)) continue;
    const std::string& token = spec.tokens[i];
    const std::optional<std::string> bytes = byte_fallback       ? from_byte_spelling(token)
                                             : token.size() <= 2 ? from_byte_alphabet(token)
                                                                 : std::nullopt;
    if (bytes && bytes->size() == 1) covered.set(static_cast<unsigned char>(bytes->front()));
  }
  return covered.all();
}

// Further options of a BPE model, which it must not set.
Result<void> check_options(const JsonValue& model, bool byte_fallback, const TokenizerSpec& spec) {
  if (const std::optional<JsonValue> dropout = model.find("dropout")) {
    const Result<double> rate = dropout->number();
    if (!rate) return rate.error();
    if (*rate != 0) return dropout->error("tokens would be chosen at random");
  }
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    const std::optional<JsonValue> value = model.find(key);
    if (!value) continue;
    const Result<std::string_view> text = value->text();
    if (!text) return text.error();
    if (!text->empty()) return value->error("is not supported; redraft reads plain BPE");
  }
  const std::optional<JsonValue> unknown = model.find("unk_token");
  if (unknown && !covers_all_bytes(spec, byte_fallback)) {
    return unknown->error("some bytes have no token, and a token for the unknown is not supported");
  }
  return {};
}

// The tokens <0x00> to <0xFF>.
void find_byte_tokens(TokenizerSpec& spec) {
  for (std::size_t i = 0; i < spec.tokens.size(); ++i) {
    if (spec.types[i] == kNormal && from_byte_spelling(spec.tokens[i])) spec.types[i] = kByte;
  }
}

Result<void> read_model(const JsonValue& root, bool byte_fallback, TokenizerSpec& spec) {
  const Result<JsonValue> model = root.at("model");
  if (!model) return model.error();
  const Result<JsonValue> type_value = model->at("type");
  if (!type_value) return type_value.error();
  const Result<std::string_view> type = type_value->text();
  if (!type) return type.error();
  if (*type != "BPE") {
    return type_value->error(
        "this kind of tokenizer is not supported; redraft reads byte-level "
        "BPE (\"BPE\")");
  }
  const std::optional<JsonValue> added = root.find("added_tokens");
  if (auto read = read_vocabulary(*model, added ? added->size() : 0, spec); !read) return read;
  if (auto read = read_merges(*model, spec); !read) return read;
  const Result<bool> ignore_merges = flag(*model, "ignore_merges");
  if (!ignore_merges) return ignore_merges.error();
  spec.ignore_merges = *ignore_merges;
  if (byte_fallback) find_byte_tokens(spec);
  return check_options(*model, byte_fallback, spec);
}

// -1 if no token has this spelling.
TokenId find_token(const TokenizerSpec& spec, std::string_view spelling) {
  // The tokens searched for were mostly added at the end.
  for (std::size_t i = spec.tokens.size(); i-- > 0;) {
    if (spec.types[i] != kUnused && spec.tokens[i] == spelling) return static_cast<TokenId>(i);
  }
  return -1;
}

// "<s>" or {"content": "<s>", …}: the ways tokenizer_config.json writes a token. -1 if missing.
Result<TokenId> read_named_token(const JsonValue& root, std::string_view key,
                                 const TokenizerSpec& spec) {
  std::optional<JsonValue> value = root.find(key);
  if (!value) return TokenId{-1};
  if (value->kind() == JsonValue::Kind::kObject) {
    const Result<JsonValue> content = value->at("content");
    if (!content) return content.error();
    value = *content;
  }
  const Result<std::string_view> spelling = value->text();
  if (!spelling) return spelling.error();
  const TokenId id = find_token(spec, *spelling);
  if (id < 0) return value->error("the vocabulary has no such token");
  return id;
}

void add_end_token(TokenId id, TokenizerSpec& spec) {
  std::vector<TokenId>& ids = spec.end_tokens;
  if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  if (spec.end_of_text < 0) spec.end_of_text = id;
}

// A text, or a list of {"name": …, "template": …} in which "default" is the one for chats.
Result<void> read_chat_template(const JsonValue& value, TokenizerSpec& spec) {
  std::optional<JsonValue> found = value;
  if (value.kind() == JsonValue::Kind::kArray) {
    found.reset();
    for (const JsonValue& item : value) {
      const Result<JsonValue> name = item.at("name");
      if (!name) return name.error();
      const Result<std::string_view> text = name->text();
      if (!text) return text.error();
      if (*text != "default") continue;
      const Result<JsonValue> chat_template = item.at("template");
      if (!chat_template) return chat_template.error();
      found = *chat_template;
    }
    if (!found) return {};
  }
  const Result<std::string_view> text = found->text();
  if (!text) return text.error();
  spec.chat_template = *text;
  return {};
}

Result<void> add_template_file(const std::filesystem::path& path, TokenizerSpec& spec) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error(path.string() + ": cannot be read");
  std::string text(kMaxTemplateBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > kMaxTemplateBytes) return Error(path.string() + ": too large for a template");
  spec.chat_template = std::move(text);
  return {};
}

using AddFile = Result<void> (*)(const JsonDocument&, TokenizerSpec&);

Result<void> add_if_there(const std::filesystem::path& path, AddFile add, TokenizerSpec& spec) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  const Result<JsonDocument> file = JsonDocument::open(path);
  if (!file) return file.error();
  return add(*file, spec);
}

}  // namespace

Result<TokenizerSpec> read_tokenizer_json(const JsonDocument& file) {
  const JsonValue root = file.root();
  TokenizerSpec spec;
  const Result<JsonValue> model = root.at("model");
  if (!model) return model.error();
  const Result<bool> byte_fallback = flag(*model, "byte_fallback");
  if (!byte_fallback) return byte_fallback.error();
  if (auto read = read_model(root, *byte_fallback, spec); !read) return read.error();
  if (auto read = read_added_tokens(root, *byte_fallback, spec); !read) return read.error();
  if (*byte_fallback) {
    if (auto checked = check_marked_spaces(root); !checked) return checked.error();
    spec.pre_tokenizer = kGemma4;
  } else {
    if (auto checked = check_text_stays(root); !checked) return checked.error();
    Result<std::string> pre_tokenizer = read_pre_tokenizer(root);
    if (!pre_tokenizer) return pre_tokenizer.error();
    spec.pre_tokenizer = std::move(*pre_tokenizer);
  }
  const Result<std::optional<JsonValue>> first = read_first_token(root);
  if (!first) return first.error();
  if (*first) {
    const Result<std::string_view> spelling = (*first)->text();
    if (!spelling) return spelling.error();
    spec.bos = find_token(spec, *spelling);
    if (spec.bos < 0) return (*first)->error("the vocabulary has no such token");
    spec.add_bos = true;
  }
  return spec;
}

Result<void> add_tokenizer_config(const JsonDocument& file, TokenizerSpec& spec) {
  const JsonValue root = file.root();
  const Result<TokenId> bos = read_named_token(root, "bos_token", spec);
  if (!bos) return bos.error();
  if (*bos >= 0) spec.bos = *bos;
  if (const std::optional<JsonValue> add = root.find("add_bos_token")) {
    const Result<bool> adds = add->boolean();
    if (!adds) return adds.error();
    if (*adds && spec.bos < 0) return add->error("but bos_token is missing");
    spec.add_bos = *adds;
  }
  const Result<TokenId> eos = read_named_token(root, "eos_token", spec);
  if (!eos) return eos.error();
  if (*eos >= 0) add_end_token(*eos, spec);
  const std::optional<JsonValue> chat_template = root.find("chat_template");
  return chat_template ? read_chat_template(*chat_template, spec) : Result<void>();
}

Result<void> add_gemma4_config(const JsonDocument& file, TokenizerSpec& spec) {
  const JsonValue root = file.root();
  const JsonValue config = root.find("text_config").value_or(root);
  // Unified models have no embeddings per layer, and no key for them.
  const std::optional<JsonValue> type = config.find("model_type");
  const Result<std::string_view> name = type ? type->text() : std::string_view();
  if (!name) return name.error();
  spec.answers_after_thought = name->starts_with("gemma4_unified");
  for (const JsonValue& member : config) {
    if (member.key() != "hidden_size_per_layer_input") continue;
    const Result<double> width = member.is_null() ? Result<double>(0) : member.number();
    if (!width) return width.error();
    spec.answers_after_thought = *width == 0;
  }
  return {};
}

Result<void> add_generation_config(const JsonDocument& file, TokenizerSpec& spec) {
  const std::optional<JsonValue> eos = file.root().find("eos_token_id");
  if (!eos) return {};
  const auto add = [&](const JsonValue& value) -> Result<void> {
    const Result<std::int64_t> id =
        value.integer(0, static_cast<std::int64_t>(spec.tokens.size()) - 1);
    if (!id) return id.error();
    add_end_token(static_cast<TokenId>(*id), spec);
    return {};
  };
  if (eos->kind() != JsonValue::Kind::kArray) return add(*eos);
  for (const JsonValue& id : *eos) {
    if (auto added = add(id); !added) return added;
  }
  return {};
}

Result<TokenizerSpec> read_tokenizer_folder(const std::filesystem::path& folder) {
  const Result<JsonDocument> file = JsonDocument::open(folder / "tokenizer.json");
  if (!file) return file.error();
  Result<TokenizerSpec> spec = read_tokenizer_json(*file);
  if (!spec) return spec;
  const std::filesystem::path config = folder / "tokenizer_config.json";
  if (auto added = add_if_there(config, add_tokenizer_config, *spec); !added) return added.error();
  const std::filesystem::path generation = folder / "generation_config.json";
  if (auto added = add_if_there(generation, add_generation_config, *spec); !added) {
    return added.error();
  }
  if (spec->pre_tokenizer == kGemma4) {
    if (auto added = add_if_there(folder / "config.json", add_gemma4_config, *spec); !added)
      return added.error();
  }
  const std::filesystem::path chat_template = folder / "chat_template.jinja";
  std::error_code ignored;
  if (std::filesystem::exists(chat_template, ignored)) {
    if (auto added = add_template_file(chat_template, *spec); !added) return added.error();
  }
  return spec;
}

}  // namespace redraft
