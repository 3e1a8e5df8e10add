// redraft tokenize: converts standard input to token ids, and back.
#include <iostream>
#include <optional>
#include <sstream>

#include "cli/common/command.h"
#include "cli/common/files.h"
#include "cli/common/report.h"
#include "decoding/model/model_store.h"
#include "decoding/model/tokenizer_loader.h"

namespace redraft::cli {
namespace {

struct TokenizeOptions {
  CommonOptions common;
  bool detokenize = false;
  Format format = Format::kText;
};

void print_ids(const std::vector<TokenId>& ids, Format format) {
  if (format == Format::kJson) {
    std::cout << dump({{"count", ids.size()}, {"ids", ids}}) << std::endl;
    return;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) std::cout << (i == 0 ? "" : " ") << ids[i];
  std::cout << std::endl;
}

// Accepts the object that `--format json` prints, or a bare array.
std::optional<std::vector<TokenId>> ids_from_json(const std::string& input) {
  const auto json = nlohmann::json::parse(input, nullptr, false);
  const nlohmann::json ids = json.is_object() ? json.value("ids", nlohmann::json()) : json;
  if (!ids.is_array()) return std::nullopt;
  std::vector<TokenId> result;
  for (const nlohmann::json& id : ids) {
    if (!id.is_number_integer()) return std::nullopt;
    result.push_back(id.get<TokenId>());
  }
  return result;
}

std::optional<std::vector<TokenId>> ids_from_words(const std::string& input) {
  std::istringstream words(input);
  std::vector<TokenId> result;
  for (TokenId id = 0; words >> id;) result.push_back(id);
  if (!words.eof()) return std::nullopt;
  return result;
}

Result<std::vector<TokenId>> read_ids(const std::string& input, const Tokenizer& tokenizer) {
  const std::size_t first = input.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && (input[first] == '{' || input[first] == '[');
  std::optional<std::vector<TokenId>> ids = is_json ? ids_from_json(input) : ids_from_words(input);
  if (!ids)
    return Error("standard input is not a list of token ids (numbers between spaces, or JSON)");
  for (const TokenId id : *ids) {
    if (id < 0 || id >= tokenizer.vocabulary_size()) {
      return Error("token id " + std::to_string(id) + " is outside the vocabulary of " +
                   std::to_string(tokenizer.vocabulary_size()));
    }
  }
  return std::move(*ids);
}

int run_tokenize(const TokenizeOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<ModelLocation> model = locate_model(options.common.target);
  if (!model) return fail(model.error());
  const Result<std::shared_ptr<const Tokenizer>> tokenizer = load_tokenizer(model->file);
  if (!tokenizer) return fail(tokenizer.error());
  const std::string input = read_standard_input();
  if (!options.detokenize) {
    print_ids((*tokenizer)->encode(input), options.format);
    return kSuccess;
  }
  const Result<std::vector<TokenId>> ids = read_ids(input, **tokenizer);
  if (!ids) return fail(ids.error());
  const std::string text = (*tokenizer)->decode(*ids);
  if (options.format == Format::kJson) {
    std::cout << dump({{"text", text}}) << std::endl;
  } else {
    std::cout << text << std::flush;
  }
  return kSuccess;
}

}  // namespace

void add_tokenize(CommandLine app, Command& chosen) {
  const CommandLine tokenize =
      app.add_subcommand("tokenize", "Convert standard input to token ids, and back");
  const auto options = std::make_shared<TokenizeOptions>();
  tokenize.add_flag("--detokenize", options->detokenize, "Read token ids and print their text");
  tokenize.add_option("--format", options->format, "Output format").transform(text_or_json());
  add_tokenizer_options(tokenize, options->common);
  tokenize.callback([&chosen, options] { chosen = [options] { return run_tokenize(*options); }; });
}

}  // namespace redraft::cli
