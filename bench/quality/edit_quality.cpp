#include "bench/quality/edit_quality.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "bench/overlap.h"
#include "languages/languages.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/document.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string_view>;

// The lines after those changes, each ended by "\n".
std::string applied(const Lines& lines, const std::vector<LineChange>& changes) {
  std::string text;
  int at = 0;
  const auto keep_to = [&](int end) {
    for (; at < end; ++at) text.append(lines[static_cast<std::size_t>(at)]) += '\n';
  };
  for (const LineChange& change : changes) {
    keep_to(change.old_begin);
    for (const std::string& line : change.new_lines) text += line + '\n';
    at = change.old_end;
  }
  keep_to(static_cast<int>(lines.size()));
  return text;
}

double dice(const Tokenizer& tokenizer, const std::string& a, const std::string& b) {
  const std::vector<TokenId> x = tokenizer.encode(a), y = tokenizer.encode(b);
  if (x.empty() && y.empty()) return 1;
  return 2.0 * longest_common_subsequence(x, y) / static_cast<double>(x.size() + y.size());
}

std::vector<LineChange> changes_between(const std::shared_ptr<const Document>& before,
                                        const std::shared_ptr<const Document>& after) {
  const auto lines_of = [](const std::shared_ptr<const Document>& document) {
    return EditRegion::make(document, EditScope::kFile, {})->lines();
  };
  return diff_lines(lines_of(before), lines_of(after));
}

// The changes within lines [first, end) of the file, relative to the first of them.
std::vector<LineChange> within(const std::vector<LineChange>& changes, int first, int end) {
  std::vector<LineChange> result;
  for (const LineChange& change : changes) {
    if (change.old_begin < first || change.old_end > end) continue;
    result.push_back({change.old_begin - first, change.old_end - first, change.new_lines});
  }
  return result;
}

int count_lines(const std::vector<LineChange>& changes) {
  int n = 0;
  for (const LineChange& change : changes)
    n += change.old_end - change.old_begin + static_cast<int>(change.new_lines.size());
  return n;
}

// A result without an answer of the model: the region and, for one region, the size of the prompt.
Result<EditResult> dry_run(Engine& engine, const EditRequest& request,
                           const EditDecision& decision) {
  EditResult result;
  result.kind = kind_of(decision);
  result.text = request.document->text();
  result.region = region_of(decision);
  const auto* edit = std::get_if<RegionEdit>(&decision);
  if (edit == nullptr) return result;
  const Result<EditPlan> plan = plan_region(engine, request, edit->instruction, edit->region);
  if (!plan) return plan.error();
  result.statistics.prompt_tokens = static_cast<int>(plan->prompt.tokens.size());
  result.statistics.new_tokens = static_cast<int>(plan->prompt.original.size());
  return result;
}

// Decides and carries out the request as every client does.
Result<EditResult> edited(Engine& engine, const EditRequest& request, bool is_dry_run,
                          const std::stop_token& stop) {
  const Result<EditDecision> decision = decide(request, limits_of(engine, request));
  if (!decision) return decision.error();
  if (is_dry_run) return dry_run(engine, request, *decision);
  return carry_out(engine, request, *decision, {}, stop);
}

// Compares what was written in a region with the reference's changes of the file.
EditQuality compared(const Tokenizer& tokenizer, const std::shared_ptr<const Document>& document,
                     const EditRegion& region, const std::vector<LineChange>& changes,
                     const std::shared_ptr<const Document>& made) {
  const int first = document->lines().line_of(region.range().begin);
  const int end = first + static_cast<int>(region.lines().size());
  const std::vector<LineChange> expected = within(changes, first, end);
  const std::vector<LineChange> written = within(changes_between(document, made), first, end);
  const std::string wanted_text = applied(region.lines(), expected);

  EditQuality record;
  record.file_lines = document->lines().line_count();
  record.region_first = first;
  record.region_lines = end - first;
  record.changed_lines = count_lines(changes);
  record.changed_lines_in_region = count_lines(expected);
  record.expected_hunks = static_cast<int>(expected.size());
  record.made_hunks = static_cast<int>(written.size());
  record.exact_hunks =
      static_cast<int>(std::ranges::count_if(expected, [&](const LineChange& each) {
        return std::ranges::find(written, each) != written.end();
      }));
  record.written = applied(region.lines(), written);
  record.similarity = dice(tokenizer, record.written, wanted_text);
  record.similarity_before = dice(tokenizer, region.text(), wanted_text);
  return record;
}

}  // namespace

std::size_t first_change(const std::shared_ptr<const Document>& document,
                         const std::string& after) {
  const Document& before = *document;
  const auto changed = Document::make(before.uri(), 1, after);
  if (!changed) return 0;
  const std::vector<LineChange> changes = changes_between(document, *changed);
  if (changes.empty()) return 0;
  const int line = std::min(changes.front().old_begin, before.lines().line_count() - 1);
  const std::size_t begin = before.lines().start(line);
  const std::size_t text = before.text().find_first_not_of(" \t", begin);
  return text < before.lines().content_end(line) ? text : begin;
}

EditRequest quality_request(const BenchTask& task, const EditQualityPlan& plan,
                            const std::shared_ptr<const Document>& document) {
  EditRequest request;
  request.document = document;
  request.instruction = task.instruction;
  const std::size_t cursor = first_change(document, *task.file->after);
  request.range = ByteRange{cursor, cursor};
  request.scope = plan.scope ? *plan.scope : default_scope(request.range);
  request.decoder = plan.decoder;
  request.remembering = Remembering::kNothing;
  request.prompt_size = plan.prompt_size;
  request.context_bytes = plan.context_bytes;
  return request;
}

Result<EditQuality> measure_edit(
    LocalEngine& engine, const BenchTask& task, const EditQualityPlan& plan,
    const std::function<std::optional<bool>(const BenchTask&, const std::string& text)>& judge,
    const std::stop_token& stop) {
  if (!task.file || !task.file->after) return Error("has no whole file before and after");
  const auto document = Document::make(task.file_name, 0, task.file->before,
                                       std::string(language_of(task.file_name)));
  if (!document) return document.error();
  const auto wanted = Document::make(task.file_name, 1, *task.file->after);
  if (!wanted) return wanted.error();
  const std::vector<LineChange> changes = changes_between(*document, *wanted);
  if (changes.empty()) return Error("changes nothing but the ends of lines");

  const EditRequest request = quality_request(task, plan, *document);
  engine.clear_caches();
  const Result<EditResult> result = edited(engine, request, plan.dry_run, stop);
  if (!result) return result.error();
  const auto made = Document::make(task.file_name, 2, result->text);
  if (!made) return made.error();

  const Result<EditRegion> region =
      EditRegion::make(*document, EditScope::kSelection, result->region);
  if (!region) return region.error();
  EditQuality record = compared(engine.tokenizer(), *document, *region, changes, *made);
  record.decision = to_string(result->kind);
  record.breaks_syntax = result->breaks_syntax();
  record.finish_reason = to_string(result->finish_reason);
  record.prompt_tokens = result->statistics.prompt_tokens;
  record.new_tokens = result->statistics.new_tokens;
  record.passes = result->statistics.passes;
  record.prefill_seconds = result->statistics.prefill_seconds;
  record.decode_seconds = result->statistics.decode_seconds;
  if (judge && task.tests) record.passed = judge(task, result->text);
  return record;
}

}  // namespace redraft
