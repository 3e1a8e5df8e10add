#include "bench/quality/next_edit_quality.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "bench/quality/line_hunks.h"
#include "languages/languages.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/open_documents.h"
#include "workspace/next_edit/next_edit.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string>;

// The document as the person made it.
Result<void> make(const BenchTask& task, const NextEditQuestion& question, const std::string& uri,
                  OpenDocuments& documents) {
  const std::string language =
      task.language.empty() ? std::string(language_of(task.file_name)) : task.language;
  std::string before = join_lines(question.steps.front());
  if (const Result<void> opened = documents.open(uri, 1, before, language); !opened) return opened;
  for (std::size_t i = 1; i < question.steps.size(); ++i) {
    std::string after = join_lines(question.steps[i]);
    const auto changed =
        documents.change(uri, static_cast<std::int64_t>(i) + 1, {edit_between(before, after)});
    if (!changed) return changed.error();
    before = std::move(after);
  }
  return {};
}

Result<NextEditResult> ask(Engine& engine, NextEditRequest request, const std::stop_token& stop) {
  request.memory = std::make_shared<NextEditMemory>();
  if (!request.is_anything_changed()) {
    NextEditResult none;
    none.why_none = "there are no recent changes";
    return none;
  }
  NextEditPlan plan = plan_next_edit(request, stop);
  if (plan.result) return *std::move(plan.result);
  return run_next_edit(engine, request, plan.search, stop);
}

std::string text_of(const std::vector<LineHunk>& hunks) {
  std::string text;
  for (const LineHunk& hunk : hunks) {
    text += "@@ " + std::to_string(hunk.at + 1) + "\n";
    for (const std::string& line : hunk.removed) text += "-" + line + "\n";
    for (const std::string& line : hunk.added) text += "+" + line + "\n";
  }
  return text;
}

}  // namespace

TextEdit edit_between(const std::string& before, const std::string& after) {
  const std::size_t most = std::min(before.size(), after.size());
  std::size_t begin = 0;
  while (begin < most && before[begin] == after[begin]) ++begin;
  while (is_within_character(before, begin) || is_within_character(after, begin)) --begin;
  std::size_t end = 0;
  while (end < most - begin && before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  while (is_within_character(before, before.size() - end)) --end;
  return {{begin, before.size() - end}, after.substr(begin, after.size() - end - begin)};
}

Result<NextEditQuality> measure_next_edit(Engine& engine, const BenchTask& task,
                                          std::string_view name, const NextEditQualityPlan& plan,
                                          const std::stop_token& stop) {
  const std::vector<NextEditQuestion> questions = next_edit_questions(task);
  const auto question = std::ranges::find(questions, name, &NextEditQuestion::name);
  if (question == questions.end()) return Error("has no question " + std::string(name));
  // No such file is there to be looked at.
  const std::string uri =
      "file:///1/" + std::filesystem::path(task.file_name).filename().generic_string();
  OpenDocuments documents;
  if (const Result<void> made = make(task, *question, uri, documents); !made) return made.error();
  NextEditRequest request = next_edit_request(documents, uri);
  request.decoder = plan.decoder;
  request.format = plan.format;
  const Result<NextEditResult> result = ask(engine, std::move(request), stop);
  if (!result) return result.error();

  NextEditQuality quality;
  quality.by_tree = result->by_tree;
  quality.regions = result->regions;
  quality.why_none = result->why_none;
  quality.prompt_tokens = result->statistics.prompt_tokens;
  quality.new_tokens = result->statistics.new_tokens;
  quality.passes = result->statistics.passes;
  quality.prefill_seconds = result->statistics.prefill_seconds;
  quality.decode_seconds = result->statistics.decode_seconds;
  if (!result->document || result->edits.empty()) return quality;
  const Lines proposed = split_lines(apply_edits(result->document->text(), result->edits));
  const ProposalVerdict verdict = judge_proposal(*question, proposed);
  quality.verdict = verdict.verdict;
  quality.reverses = verdict.reverses;
  quality.proposed = text_of(line_hunks(question->steps.back(), proposed));
  return quality;
}

}  // namespace redraft
