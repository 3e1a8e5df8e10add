// Writes the seeds for mutation: small valid inputs of every form that the readers know.
// `redraft_fuzz_seeds tests/fuzz/corpus`.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "decoding/kv_entry.h"
#include "indexing/store/checksum.h"
#include "tests/decoding/model/adapter_seeds.h"
#include "tests/decoding/model/gguf_split.h"
#include "tests/decoding/model/gguf_writer.h"
#include "tests/decoding/model/safetensors_writer.h"
#include "tests/decoding/model/tiny_draft_head.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/indexing/syntax/marked_text.h"
#include "tests/indexing/syntax/samples.h"

namespace redraft {
namespace {

using Bytes = std::vector<std::uint8_t>;

void write(const std::filesystem::path& file, const Bytes& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

Bytes seed(char kind, std::string_view text) {
  Bytes bytes{static_cast<std::uint8_t>(kind)};
  bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

void write_gguf(const std::filesystem::path& folder) {
  GgufWriter small;
  small.text("general.architecture", "qwen2");
  small.integer("a.count", 7);
  small.real("a.ratio", 0.5F);
  small.texts("a.names", {"one", "", "three"});
  small.integers("a.types", {1, -2, 3});
  small.tensor({"first", {32, 2}, WeightFormat::kQ8_0, Bytes(68, 1)});
  small.tensor({"second", {3}, WeightFormat::kF32, Bytes(12, 2)});
  write(folder / "small", small.bytes());
  small.version = 2;
  write(folder / "version2", small.bytes());
  GgufWriter tokenizer;
  TinyModel{.vocabulary = 262}.add_tokenizer(tokenizer);
  write(folder / "tokenizer", tokenizer.bytes());
  write(folder / "model", TinyModel{.layers = 1,
                                    .hidden = 32,
                                    .feed_forward = 32,
                                    .heads = 2,
                                    .kv_heads = 1,
                                    .vocabulary = 262,
                                    .tied = true}
                              .writer()
                              .bytes());
  write(folder / "mixture", TinyModel{.architecture = "qwen3moe",
                                      .layers = 1,
                                      .hidden = 32,
                                      .feed_forward = 32,
                                      .heads = 2,
                                      .kv_heads = 1,
                                      .vocabulary = 32,
                                      .experts = 3,
                                      .experts_used = 2,
                                      .tied = true,
                                      .tokenizer = ""}
                                .writer()
                                .bytes());
  for (const char* const scaled : {"granite", "mistral3"}) {
    write(folder / scaled, TinyModel{.architecture = scaled,
                                     .layers = 1,
                                     .hidden = 32,
                                     .feed_forward = 32,
                                     .heads = 2,
                                     .kv_heads = 1,
                                     .vocabulary = 32,
                                     .tied = true,
                                     .tokenizer = ""}
                               .writer()
                               .bytes());
  }
  write(folder / "layer_inputs", TinyModel{.architecture = "gemma4",
                                           .layers = 3,
                                           .hidden = 32,
                                           .feed_forward = 32,
                                           .heads = 2,
                                           .kv_heads = 1,
                                           .vocabulary = 32,
                                           .window_head_dim = 16,
                                           .sharing_layers = 1,
                                           .layer_input = 32,
                                           .tied = true,
                                           .tokenizer = ""}
                                     .writer()
                                     .bytes());
  write(folder / "convolutions", TinyModel{.architecture = "lfm2",
                                           .layers = 2,
                                           .hidden = 32,
                                           .feed_forward = 32,
                                           .heads = 2,
                                           .kv_heads = 1,
                                           .vocabulary = 32,
                                           .tied = true,
                                           .tokenizer = ""}
                                     .writer()
                                     .bytes());
}

// The parts one after the other, each with its length in two bytes before it.
void write_gguf_parts(const std::filesystem::path& folder) {
  GgufWriter whole;
  whole.text("general.architecture", "qwen2");
  for (const char* name : {"first", "second", "third"})
    whole.tensor({name, {3}, WeightFormat::kF32, Bytes(12, 2)});
  for (const std::size_t count : {2, 3}) {
    Bytes bytes;
    for (const GgufWriter& part : split_gguf(whole, count)) {
      const Bytes next = part.bytes();
      bytes.push_back(static_cast<std::uint8_t>(next.size() & 0xff));
      bytes.push_back(static_cast<std::uint8_t>(next.size() >> 8));
      bytes.insert(bytes.end(), next.begin(), next.end());
    }
    write(folder / ("parts" + std::to_string(count)), bytes);
  }
}

void write_safetensors(const std::filesystem::path& folder) {
  SafetensorsWriter writer;
  writer.floats("model.layers.0.self_attn.q_proj.weight", {2, 3}, {1, 2, 3, 4, 5, 6});
  writer.tensor({"lm_head.weight", "BF16", {4}, {0, 1, 2, 3, 4, 5, 6, 7}});
  writer.tensor({"h", "F16", {1, 1, 2}, {0, 1, 2, 3}});
  const Bytes file = writer.bytes();
  write(folder / "file", seed('\1', {reinterpret_cast<const char*>(file.data()), file.size()}));
  Bytes composed = seed('\2', writer.header());
  composed.push_back(0);
  for (const auto& tensor : writer.tensors())
    composed.insert(composed.end(), tensor.data.begin(), tensor.data.end());
  write(folder / "header", composed);
  const std::string common =
      R"("num_hidden_layers": 2, "max_position_embeddings": 512, "hidden_size": 64,)"
      R"("intermediate_size": 96, "num_attention_heads": 4, "num_key_value_heads": 2,)"
      R"("vocab_size": 300, "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "hidden_act": "silu",)"
      R"("tie_word_embeddings": true, "use_sliding_window": false)";
  write(folder / "qwen2", seed('\3', R"({"model_type": "qwen2",)" + common + "}"));
  write(folder / "llama",
        seed('\3', R"({"model_type": "llama",)" + common +
                       R"(,"rope_scaling": {"rope_type": "llama3", "factor": 8.0,)"
                       R"("low_freq_factor": 1.0, "high_freq_factor": 4.0,)"
                       R"("original_max_position_embeddings": 128}})"));
  write(folder / "qwen3",
        seed('\3', R"({"model_type": "qwen3", "head_dim": 32,)" + common +
                       R"(,"layer_types": ["full_attention", "full_attention"],)"
                       R"("rope_parameters": {"type": "yarn", "factor": 4.0, "beta_fast": 32,)"
                       R"("mscale": 1.0, "mscale_all_dim": 0.5, "rope_theta": 1e6}})"));
}

// The two files of a folder, each behind a byte that says which.
void write_pair(const std::filesystem::path& folder, std::string_view config,
                const SafetensorsWriter& weights) {
  write(folder / "config", seed('\0', config));
  Bytes composed = seed('\1', weights.header());
  composed.push_back(0);
  const Bytes file = weights.with_header("");
  composed.insert(composed.end(), file.begin() + 8, file.end());
  write(folder / "weights", composed);
}

std::string framed(std::initializer_list<std::string_view> contents) {
  std::string messages;
  for (const std::string_view content : contents) {
    messages += "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n";
    messages += content;
  }
  return messages;
}

// The first byte is the size of the pieces in which the rest arrives.
void write_lsp(const std::filesystem::path& folder) {
  const std::string messages = framed(
      {R"({"jsonrpc":"2.0","id":1,"method":"redraft/status"})",
       R"({"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"u",)"
       R"("version":2},"contentChanges":[{"range":{"start":{"line":0,"character":0},)"
       R"("end":{"line":1,"character":1}},"text":"b"}]}})",
       R"({"jsonrpc":"2.0","id":2,"method":"workspace/executeCommand","params":{"command":)"
       R"("redraft.edit","arguments":[{"textDocument":{"uri":"u","version":2},)"
       R"("instruction":"i"}]}})"});
  write(folder / "messages", seed('\x7F', messages));
  write(folder / "pieces", seed('\0', messages));
  // What a message is about, in every possible order and spelling.
  const std::string outlines = framed(
      {R"({"params":{"textDocument":{"text":"{\"uri\":\"no\"}\\","uri":"u"}},"method":"m"})",
       R"({"id":"\u0031","id":{},"m\u0065thod":"a\/b","params":{},"params":{"textDocument":1}})",
       R"([{"id":1}, {"params": [{"textDocument": {"uri": "no"}}]}])",
       R"({"id" : -1.5 , "method" : null , "x" : {"id" : 2}, "params" : {"uri" : "no"}})"});
  write(folder / "outlines", seed('\2', outlines));
}

// Entries with two blocks, of the names given.
Bytes kv_entry(char kind, const KvEntryHead& head) {
  const std::vector<std::byte> begin = KvEntry::write_head(head);
  Bytes bytes = seed(kind, {reinterpret_cast<const char*>(begin.data()), begin.size()});
  for (int block = 0; block < KvEntry::block_count(head); ++block) {
    const std::size_t size =
        static_cast<std::size_t>(KvEntry::slots_of_block(head, block)) * head.slot_bytes;
    const std::vector<std::byte> rows(size, static_cast<std::byte>(block));
    const std::uint64_t sum = checksum(rows);
    bytes.insert(bytes.end(), size, static_cast<std::uint8_t>(block));
    const auto* const end = reinterpret_cast<const std::uint8_t*>(&sum);
    bytes.insert(bytes.end(), end, end + sizeof sum);
  }
  return bytes;
}

void write_kv_entries(const std::filesystem::path& folder) {
  KvEntryHead head{
      .model = "m", .build = "b", .source = "/a", .tokens = std::vector<TokenId>(66, 7)};
  head.slot_bytes = 2;
  write(folder / "file", kv_entry('r', head));
  write(folder / "counts", kv_entry('w', head));
  head.source.clear();
  head.tokens = {1};
  write(folder / "one", kv_entry('w', head));
}

// The first three bytes are the language and the change.
void write_syntax(const std::filesystem::path& folder) {
  char language = 0;
  for (const Sample& sample : samples()) {
    const std::string head{language, static_cast<char>(20 + 5 * language), '\x53'};
    write(folder / sample.language, seed(head[0], head.substr(1) + MarkedText(sample.marked).text));
    ++language;
  }
}

}  // namespace
}  // namespace redraft

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: redraft_fuzz_seeds CORPUS\n");
    return 2;
  }
  const std::filesystem::path corpus = argv[1];
  redraft::write_pair(corpus / "adapter_fuzz", redraft::kAdapterSeedConfig,
                      redraft::adapter_seed_weights());
  const redraft::TinyDraftHead head = redraft::draft_head_seed();
  redraft::write_pair(corpus / "draft_head_fuzz", head.config(), head.weights("BF16"));
  redraft::write_gguf(corpus / "gguf_fuzz");
  redraft::write_gguf_parts(corpus / "gguf_parts_fuzz");
  redraft::write_kv_entries(corpus / "kv_entry_fuzz");
  redraft::write_lsp(corpus / "lsp_fuzz");
  redraft::write_safetensors(corpus / "safetensors_fuzz");
  redraft::write_syntax(corpus / "syntax_fuzz");
  return 0;
}
