#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>

#include "cli/build_info.h"
#include "cli/common/misuse_reason.h"
#include "cli/self_description.h"
#include "cli/serve.h"
#include "support/log/log.h"

namespace redraft::cli {
namespace {

// The subcommand that was being parsed, for the hint about its help.
std::string name_of_parsed(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? "redraft" : "redraft " + parsed.front()->get_name();
}

// Output that was lost is a failure: a full disk, a closed descriptor.
int after_output(int code) {
  const bool is_lost = !std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!is_lost || code != kSuccess) return code;
  return fail(Error("cannot write all of the output to standard output"));
}

int run(int argc, char** argv, const Program& program) {
  CLI::App parser("Edits code with a local language model: losslessly, and many tokens at a time.",
                  "redraft");
  parser.set_version_flag("--version", version_text());
  parser.require_subcommand(1);
  const CommandLine app(&parser);
  Command chosen;
  add_edit(app, chosen);
  add_apply(app, chosen);
  add_complete(app, chosen);
  add_generate(app, chosen);
  add_tokenize(app, chosen);
  add_models(app, chosen);
  add_index(app, chosen);
  add_cache(app, chosen);
  add_decoders(app, chosen);
  add_doctor(app, chosen);
  add_lsp(app, chosen);
  add_mcp(app, chosen);
  add_remote_bridge(app, chosen);
  add_chat_templates(app, chosen);
  add_serve(app, chosen);
  add_self_description(app, chosen);
  program.add_commands(app, chosen);
  try {
    parser.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help and --version
    return after_output(parser.exit(request));
  } catch (const CLI::ParseError& error) {
    misuse(Error(misuse_reason(parser, {argv + 1, argv + argc}, error)));
    std::cerr << "Run `" << name_of_parsed(parser) << " --help` for what it takes." << std::endl;
    return kWrongUsage;
  }
  if (program.before) {
    if (const std::optional<int> end = program.before(app)) return *end;
  }
  return after_output(chosen());
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  // Libraries throw; an exception ends the command with its message.
  try {
    logging::to_stderr();  // stdout is for results and the protocol
    return run(argc, argv, program);
  } catch (const std::bad_alloc&) {
    return fail(Error("out of memory"));
  } catch (const std::exception& error) {
    return fail(Error(error.what()));
  }
}

}  // namespace redraft::cli
