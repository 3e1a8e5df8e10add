#include "cli/common/token_trace.h"

#include <iostream>
#include <optional>
#include <string_view>
#include <utility>

#include "support/files/growing_file.h"
#include "support/utf8/utf8.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr std::size_t kBufferBytes = 64 << 10;

// On one line; bytes that are not UTF-8 become U+FFFD.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string hex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text.append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return text;
}

}  // namespace

struct TokenTrace::Out {
  GrowingFile file;
  std::string buffer = {};
  std::optional<Error> problem = {};

  void flush() {
    if (!problem) {
      const Result<void> appended = file.append(buffer);
      if (!appended) problem = appended.error();
    }
    buffer.clear();
  }
};

Result<std::unique_ptr<TokenTrace>> TokenTrace::begin(const std::filesystem::path& file,
                                                      Engine& engine) {
  if (file.empty()) return std::unique_ptr<TokenTrace>();
  Result<GrowingFile> created = GrowingFile::create(file);
  if (!created) return created.error().in("--trace-tokens");
  std::cerr << "redraft: every token is recorded in " << created->path().string()
            << ", which therefore contains your text" << std::endl;
  auto out = std::make_unique<Out>(Out{.file = std::move(*created)});
  return std::unique_ptr<TokenTrace>(new TokenTrace(std::move(out), engine));
}

TokenTrace::TokenTrace(std::unique_ptr<Out> out, Engine& engine)
    : out_(std::move(out)), engine_(engine) {
  write({{"redraft_token_trace", kFormat},
         {"version", REDRAFT_VERSION},
         {"target", engine.target_name()},
         {"device", engine.device().text()}});
  engine.observe(
      {.on_begin = [this](
                       Purpose purpose, const DecoderName& decoder,
                       const DecodeRequest& request) { begin_decode(purpose, decoder, request); },
       .on_emitted = [this](const EmittedToken& token) { add(token); },
       .on_end = [this](const DecodeResult& result) { end_decode(result); }});
}

TokenTrace::~TokenTrace() {
  out_->flush();
  if (out_->problem) {
    std::cerr << "redraft: warning: the trace of tokens is incomplete: " << out_->problem->message()
              << std::endl;
  }
}

void TokenTrace::begin_decode(Purpose purpose, const DecoderName& decoder,
                              const DecodeRequest& request) {
  ++decode_;
  written_ = 0;
  Json line = {{"decode", decode_}};
  if (!task_.empty()) line["task"] = task_;
  line["purpose"] = name_of(purpose);
  line["decoder"] = decoder.text;
  line["prompt_tokens"] = request.prompt.size();
  line["original_tokens"] = request.original.size();
  write(line);
}

void TokenTrace::add(const EmittedToken& token) {
  const std::string_view bytes = engine_.tokenizer().bytes(token.token);
  Json line = {{"decode", decode_}, {"n", written_++}, {"id", token.token}, {"text", bytes}};
  if (first_invalid_utf8(bytes)) line["bytes"] = hex(bytes);  // an incomplete character
  line["origin"] = token.origin ? redraft::to_string(*token.origin) : "target";
  line["phase"] = token.phase;
  line["pass"] = token.pass;
  line["rows"] = token.rows;
  write(line);
}

void TokenTrace::end_decode(const DecodeResult& result) {
  write({{"decode", decode_},
         {"end", redraft::to_string(result.finish_reason)},
         {"tokens", result.tokens.size()},
         {"passes", result.statistics.passes},
         {"rows", result.statistics.rows}});
  out_->flush();
}

void TokenTrace::write(const Json& line) {
  out_->buffer += dump(line) + "\n";
  if (out_->buffer.size() > kBufferBytes) out_->flush();
}

void add_token_trace_option(CommandLine subcommand, std::string& file) {
  subcommand
      .add_option("--trace-tokens", file,
                  "New file that records every token, its draft source, its pass and the "
                  "pass's rows, as JSON lines. It contains your text")
      .group("Seeing inside");
}

}  // namespace redraft::cli
