#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common/command.h"
#include "support/result.h"
#include "workspace/engine/engine.h"

namespace redraft::cli {

// Every token that decodes write, and how it came to be there, as JSON lines in a new file (see
// docs/seeing-inside.md). It holds the user's text.
class TokenTrace {
 public:
  // Of all decodes of the engine from now on; there are none after this has gone. Null when no file
  // is named (`file` is empty).
  static Result<std::unique_ptr<TokenTrace>> begin(const std::filesystem::path& file,
                                                   Engine& engine);
  ~TokenTrace();
  TokenTrace(const TokenTrace&) = delete;
  TokenTrace& operator=(const TokenTrace&) = delete;

  // What the next decodes are of: a bench's task.
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
  int decode_ = 0;  // from 1; a completion's alternatives are decodes of their own
  int written_ = 0;
};

void add_token_trace_option(CLI::App& subcommand, std::string& file);

}  // namespace redraft::cli
