#include "cli/edit_output.h"

#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/common/files.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/diff_printer.h"

namespace redraft::cli {
namespace {

void print_doubts(const EditResult& result) {
  if (result.repair) {
    std::cerr << "redraft: the first answer was doubtful (" << result.repair->because
              << "); the second " << (result.repair->taken ? "was used" : "was no better") << "\n";
  }
  for (const std::string& note : result.tidied) std::cerr << "redraft: " << note << "\n";
  for (const Doubt& doubt : result.doubts)
    std::cerr << "redraft: check this edit: " << doubt.reason << "\n";
}

void print_figures(const EditResult& result, const std::optional<Comparison>& comparison) {
  std::cerr << figures(result.statistics);
  if (comparison) {
    char line[120];
    std::snprintf(line, sizeof line,
                  " · %.1fx plain (%.1f tokens/s) · identical to plain greedy: %s",
                  comparison->speedup, comparison->plain.statistics.tokens_per_second(),
                  comparison->identical ? "yes" : "no");
    std::cerr << line;
  }
  std::cerr << std::endl;
}

void print_json(const EditResult& result, const std::optional<Decoded>& decoded,
                const std::optional<Comparison>& comparison) {
  const Decoded by = decoded.value_or(Decoded());
  nlohmann::ordered_json json =
      to_json(Report{result.text, result.output, result.finish_reason, result.statistics,
                     by.decoder, by.target, by.device, result.prompt_size});
  if (!decoded) json["decoder"] = json["target"] = json["device"] = json["prompt_size"] = nullptr;
  json["doubts"] = nlohmann::ordered_json::array();
  for (const Doubt& doubt : result.doubts) json["doubts"].push_back(doubt.reason);
  json["tidied"] = result.tidied;
  json["placed"] = result.is_placed();
  json["renamed"] = result.is_renamed();
  json["repair"] = nullptr;
  if (result.repair) {
    json["repair"] = {{"because", result.repair->because},
                      {"taken", result.repair->taken},
                      {"new_tokens", result.repair->statistics.new_tokens},
                      {"seconds", result.repair->statistics.prefill_seconds +
                                      result.repair->statistics.decode_seconds}};
  }
  if (comparison) {
    json["plain"] = {{"decode_seconds", comparison->plain.statistics.decode_seconds},
                     {"tokens_per_second", comparison->plain.statistics.tokens_per_second()},
                     {"speedup", comparison->speedup},
                     {"identical", comparison->identical}};
  }
  std::cout << dump(json) << std::endl;
}

}  // namespace

bool EditOutput::shows_live() const {
  return format == Format::kDiff && isatty(STDOUT_FILENO) != 0;
}

Result<void> EditOutput::check() const {
  if (reads_standard_input() && write)
    return Error("--write cannot write to standard input. Use --format text to print the new text");
  return {};
}

Result<std::shared_ptr<const Document>> EditOutput::read(const std::string& language) const {
  if (!reads_standard_input()) return Document::read(file);
  Result<std::shared_ptr<const Document>> document =
      Document::make("stdin", 0, read_standard_input(), language);
  return document ? document : document.error().in("standard input");
}

void add_edit_output(CommandLine command, EditOutput& output, std::string& language) {
  command.add_option("FILE", output.file, "The file to edit; - for standard input").required();
  command.add_option("--language", language, "Language of standard input, such as python");
  const std::vector<std::pair<std::string, Format>> formats = {
      {"diff", Format::kDiff}, {"text", Format::kText}, {"json", Format::kJson}};
  command
      .add_option("--format", output.format,
                  "Output format: the diff, the whole new text, or an object with figures")
      .transform(one_of(formats));
  command.add_flag("--write", output.write, "Write the new text into FILE");
}

void print(const EditOutput& output, const std::string& text, const EditResult& result,
           const std::optional<Decoded>& decoded, const std::optional<Comparison>& comparison) {
  if (output.format == Format::kJson) {
    print_json(result, decoded, comparison);
  } else if (output.format == Format::kText) {
    std::cout << result.text << std::flush;
  } else if (!output.shows_live() || !decoded) {
    std::cout << unified_diff(output.file, text, edits_of(result.hunks)) << std::flush;
  }
  if (result.hunks.empty())
    std::cerr << (decoded
                      ? "redraft: the model changed nothing. Rephrase the instruction, or use a "
                        "wider --range\n"
                      : "redraft: nothing to change: the file already contains this code\n");
  print_doubts(result);
  if (output.format == Format::kJson) return;
  if (decoded) {
    print_figures(result, comparison);
  } else if (!result.hunks.empty()) {
    std::cerr << (result.is_renamed() ? "renamed by the syntax tree, without the model"
                                      : "placed by lines and syntax, without the model")
              << std::endl;
  }
}

Result<void> keep(const EditOutput& output, const std::string& text, const EditResult& result) {
  if (!output.write) return {};
  if (result.finish_reason == FinishReason::kLength) {
    return Error(output.file + ": not written, because the output was cut off after " +
                 std::to_string(result.statistics.new_tokens) + " tokens. Raise --max-new-tokens");
  }
  if (result.text == text) return {};
  const Result<std::string> note = replace_file(output.file, text, result.text);
  if (!note) return note.error();
  if (!note->empty()) std::cerr << "redraft: note: " << *note << std::endl;
  return {};
}

int interrupted(const EditOutput& output) {
  std::cerr << "redraft: interrupted" << (output.write ? "; nothing was written" : "") << std::endl;
  return kInterrupted;
}

}  // namespace redraft::cli
