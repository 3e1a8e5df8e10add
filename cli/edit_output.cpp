#include "cli/edit_output.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <utility>
#include <vector>

#include "cli/common/files.h"
#include "cli/common/misuse_reason.h"
#include "cli/common/report.h"
#include "cli/common/text_range.h"
#include "cli/diff_printer.h"
#include "cli/mismatches.h"

namespace redraft::cli {
namespace {

using Json = nlohmann::ordered_json;

// What became of an edit's file.
struct Kept {
  Result<void> outcome = {};
  std::vector<bool> written = {};        // [hunk]
  std::optional<std::string> text = {};  // of the file now; nothing: it was not written on request
  bool leaves_any() const { return std::ranges::count(written, false) > 0; }
};

// Whether hunks are left out that --yes would write.
bool leaves_out(const EditOutput& output, const Kept& kept) {
  return output.write && kept.outcome && kept.leaves_any();
}

void print_repair(const EditResult& result) {
  if (result.repair) {
    std::cerr << "redraft: the first answer was doubtful (" << result.repair->because
              << "); the second " << (result.repair->taken ? "was used" : "was no better") << "\n";
  }
  for (const std::string& note : result.tidied) std::cerr << "redraft: " << note << "\n";
}

void print_doubts(const EditResult& result) {
  for (const Doubt& doubt : result.doubts)
    std::cerr << "redraft: check this edit: " << doubt.reason << "\n";
}

// "8", "8-63"
std::string lines_of(const Document& document, const ByteRange& range) {
  const LineIndex& index = document.lines();
  const int first = index.line_of(range.begin) + 1;
  const int last = index.line_of(std::max(range.begin, range.end - (range.empty() ? 0 : 1))) + 1;
  return std::to_string(first) + (last == first ? "" : "-" + std::to_string(last));
}

// Each reason once, with the lines of its hunks.
void print_left_out(const EditOutput& output, const Document& document, const EditResult& result,
                    const Kept& kept) {
  std::vector<std::pair<std::string, std::string>> reasons;  // with "line 8" or "lines 8-63, 70"
  for (std::size_t i = 0; i < result.hunks.size(); ++i) {
    if (kept.written[i]) continue;
    const Hunk& hunk = result.hunks[i];
    const std::string lines = lines_of(document, hunk.edit.range);
    const auto same =
        std::ranges::find(reasons, hunk.doubt, &std::pair<std::string, std::string>::first);
    if (same == reasons.end()) {
      reasons.emplace_back(hunk.doubt, lines);
    } else {
      same->second += ", " + lines;
    }
  }
  for (const auto& [reason, lines] : reasons) {
    const bool is_one = lines.find_first_of(",-") == std::string::npos;
    std::cerr << "redraft: not written: " << (is_one ? "line " : "lines ") << lines << ": "
              << reason << "\n";
  }
  const auto n_written = std::ranges::count(kept.written, true);
  std::cerr << "redraft: wrote " << n_written << " of " << kept.written.size() << " changes to "
            << output.file << ". To write all of them, add --yes" << std::endl;
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

Json changes_json(const Document& document, const EditResult& result, const Kept& kept) {
  Json changes = Json::array();
  for (std::size_t i = 0; i < result.hunks.size(); ++i) {
    const Hunk& hunk = result.hunks[i];
    changes.push_back({{"range", to_string(to_text_range(hunk.edit.range, document))},
                       {"old_text", hunk.old_text},
                       {"new_text", hunk.edit.new_text},
                       {"decided_by", to_string(hunk.origin.decided_by)},
                       {"doubt", hunk.doubt.empty() ? Json() : Json(hunk.doubt)},
                       {"written", static_cast<bool>(kept.written[i])}});
  }
  return changes;
}

void print_json(const Document& document, const EditResult& result, const Kept& kept,
                const std::optional<Decoded>& decoded,
                const std::optional<Comparison>& comparison) {
  const Decoded by = decoded.value_or(Decoded());
  Json json = to_json(Report{result.text, result.output, result.finish_reason, result.statistics,
                             by.decoder, by.target, by.device, result.prompt_size});
  if (!decoded) json["decoder"] = json["target"] = json["device"] = json["prompt_size"] = nullptr;
  json["doubts"] = Json::array();
  for (const Doubt& doubt : result.doubts) json["doubts"].push_back(doubt.reason);
  json["changes"] = changes_json(document, result, kept);
  json["written_text"] = kept.text ? Json(*kept.text) : Json();
  json["tidied"] = result.tidied;
  json["placed"] = result.is_placed();
  json["mismatches"] = to_json(by.mismatches);
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

void print(const EditOutput& output, const Document& document, const EditResult& result,
           const Kept& kept, const std::optional<Decoded>& decoded,
           const std::optional<Comparison>& comparison) {
  if (output.format == Format::kJson) {
    print_json(document, result, kept, decoded, comparison);
  } else if (output.format == Format::kText) {
    std::cout << result.text << std::flush;
  } else if (!output.shows_live() || !decoded) {
    std::cout << unified_diff(output.file, document.text(), edits_of(result.hunks)) << std::flush;
  }
  if (result.hunks.empty() && !result.why_carried_out.empty()) {
    std::cerr << "redraft: nothing had to be changed: " << result.why_carried_out << '\n';
  } else if (result.hunks.empty()) {
    std::cerr << (decoded
                      ? "redraft: the model changed nothing. Rephrase the instruction, or use a "
                        "wider --range\n"
                      : "redraft: nothing to change: the file already contains this code\n");
  }
  print_repair(result);
  if (!leaves_out(output, kept)) print_doubts(result);
  if (output.format == Format::kJson) return;
  if (decoded) {
    print_figures(result, comparison);
  } else if (!result.hunks.empty()) {
    std::cerr << (result.is_renamed() ? "renamed by the syntax tree, without the model"
                                      : "placed by lines and syntax, without the model")
              << std::endl;
  }
}

// Writes the file. Prints what the user has to know about how.
Result<void> write(const EditOutput& output, const Document& document, const EditResult& result,
                   const std::string& text) {
  if (result.finish_reason == FinishReason::kLength) {
    return Error(output.file + ": not written, because the output was cut off after " +
                 std::to_string(result.statistics.new_tokens) + " tokens. Raise --max-new-tokens");
  }
  if (text == document.text()) return {};
  const Result<std::string> note = replace_file(output.file, document.text(), text);
  if (!note) return note.error();
  if (!note->empty()) std::cerr << "redraft: note: " << *note << std::endl;
  return {};
}

Kept keep(const EditOutput& output, const Document& document, const EditResult& result) {
  Kept kept{.written = std::vector<bool>(result.hunks.size(), false)};
  if (!output.write) return kept;
  std::string text =
      output.yes ? result.text : apply_edits(document.text(), certain_edits_of(result.hunks));
  kept.outcome = write(output, document, result, text);
  if (!kept.outcome) return kept;
  kept.text = std::move(text);
  for (std::size_t i = 0; i < result.hunks.size(); ++i)
    kept.written[i] = output.yes || result.hunks[i].doubt.empty();
  return kept;
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
  const Option write = command.add_flag(
      "--write", output.write,
      "Write the changes into FILE. Changes that redraft doubts are shown and not written; then "
      "the exit code is 3");
  command.add_flag("--yes", output.yes, "With --write: write also the changes that redraft doubts")
      .needs(write);
}

int deliver(const EditOutput& output, const Document& document, const EditResult& result,
            const std::optional<Decoded>& decoded, const std::optional<Comparison>& comparison) {
  const Kept kept = keep(output, document, result);
  print(output, document, result, kept, decoded, comparison);
  if (!kept.outcome) return fail(kept.outcome.error());
  if (!leaves_out(output, kept)) return kSuccess;
  print_left_out(output, document, result, kept);
  return kLeftOut;
}

int interrupted(const EditOutput& output) {
  std::cerr << "redraft: interrupted" << (output.write ? "; nothing was written" : "") << std::endl;
  return kInterrupted;
}

}  // namespace redraft::cli
