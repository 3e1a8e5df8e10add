#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common/command.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// Writes every token of every decode, and how it was produced, as JSON lines to a new file (see
// docs/seeing-inside.md). The file contains the user's text.
class TokenTrace {
 public:
  // Traces all decodes of the engine from now on; none may follow after this object is destroyed.
  // Null if `file` is empty.
  static Result<std::unique_ptr<TokenTrace>> begin(const std::filesystem::path& file,
                                                   Engine& engine);
  ~TokenTrace();
  TokenTrace(const TokenTrace&) = delete;
  TokenTrace& operator=(const TokenTrace&) = delete;

  // What the next decodes belong to: a task of the bench.
  void set_task(std::string task) { task_ = std::move(task); }

 private:
  struct Out;
  TokenTrace(std::unique_ptr<Out> out, Engine& engine);

  void begin_decode(Purpose purpose, const DecoderName& decoder, const DecodeRequest& request);
  void add(const EmittedToken& token);
  void end_decode(const DecodeResult& result);
  void write(const nlohmann::ordered_json& line);

  std::unique_ptr<Out> out_;
  Engine& engine_;
  std::string task_;
  // From 1; each alternative of a completion is a decode of its own.
  int decode_ = 0;
  int written_ = 0;
};

void add_token_trace_option(CommandLine subcommand, std::string& file);

}  // namespace redraft::cli
