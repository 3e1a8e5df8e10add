#include "workspace/edit/edit_session.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/trace/trace.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_windows.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/prompt.h"

namespace redraft {
namespace {

// Passing over a token of the original takes about as long as reading so many of the prompt.
constexpr double kTokensReadPerWritten = 4;
// How long reading the file around a region may take: when the user waits for it, and when it is
// read while the user types the instruction.
constexpr double kReadingSeconds = 1;
constexpr double kReadAheadSeconds = 5;
// An instruction, and what comes after it.
constexpr int kInstructionTokens = 64;

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n\f\v") == std::string::npos;
}

// From tokens to hunks: bytes, lines, changes of lines, edits.
class HunkStream {
 public:
  HunkStream(const Tokenizer& tokenizer, const EditRegion& region, const std::string& fence,
             const EditObserver& observer)
      : tokenizer_(tokenizer),
        region_(region),
        fence_(fence),
        output_(fence),
        diff_(region.lines()),
        observer_(observer) {}

  // False once the closing fence is written.
  bool add(TokenId token) {
    const std::string_view bytes = tokenizer_.bytes(token);
    raw_ += bytes;
    take(output_.add(bytes));
    return !output_.closed();
  }
  // The model has written all it wanted to, of one part if it is given several: what it writes next
  // goes on where this ends.
  void end_part() {
    take(output_.end());
    output_ = FencedOutput(fence_);
  }
  // There is no more.
  void finish() {
    const Span span("diff");
    emit(diff_.finish());
  }

  bool closed() const { return output_.closed(); }
  // How much of these lines is dealt with.
  double fraction(int first, int last) const {
    const int passed = std::clamp(diff_.passed(), first, last) - first;
    return first == last ? 1.0 : static_cast<double>(passed) / (last - first);
  }
  std::string& raw() { return raw_; }
  std::vector<Hunk>& hunks() { return hunks_; }

 private:
  void take(std::vector<std::string> lines) {
    if (lines.empty()) return;
    const Span span("diff", "lines", std::ssize(lines));
    for (std::string& line : lines) {
      const bool text = !first_invalid_utf8(line) && line.find('\0') == std::string::npos;
      emit(diff_.add(text ? std::move(line) : with_replacement_characters(line)));
    }
  }

  void emit(const std::vector<LineChange>& changes) {
    for (const LineChange& change : changes) {
      Hunk hunk{static_cast<int>(hunks_.size()), region_.edit(change), {}};
      const ByteRange range = hunk.edit.range;
      hunk.old_text = region_.document().text().substr(range.begin, range.size());
      hunks_.push_back(std::move(hunk));
      if (observer_.on_hunk) observer_.on_hunk(hunks_.back());
    }
  }

  const Tokenizer& tokenizer_;
  const EditRegion& region_;
  std::string fence_;
  FencedOutput output_;
  IncrementalDiff diff_;
  const EditObserver& observer_;
  std::string raw_;
  std::vector<Hunk> hunks_;
};

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks) {
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : hunks) edits.push_back(hunk.edit);
  return edits;
}

double fraction_done(const DecodeStatistics& statistics, double passed, double n_original) {
  const double to_read = statistics.prompt_tokens - statistics.cached_prompt_tokens - 1.0;
  const double to_write = kTokensReadPerWritten * n_original;
  return (statistics.prefilled_tokens + passed * to_write) / std::max(to_read + to_write, 1.0);
}

bool breaks_syntax_of(const Document& document, const std::string& text) {
  const Span span("check syntax");
  const SyntaxTree* before = document.syntax();
  if (!before || text == document.text()) return false;
  const auto after = before->edited(std::make_shared<const std::string>(text));
  return after && breaks_syntax(*before, *after);
}

// Of an edit that was cancelled before the model wrote anything.
EditResult unchanged(const EditRequest& request) {
  EditResult result;
  result.text = request.document->text();
  result.finish_reason = FinishReason::kCancelled;
  return result;
}

Result<EditPrompt> prompt_of(Engine& engine, const EditRequest& request, const EditRegion& region,
                             std::size_t context_bytes) {
  const Span span("prompt");
  // The same in every prompt for the file.
  const std::size_t overview_bytes =
      std::min(edit_context_bytes(engine.cost_curve(), kReadingSeconds), context_bytes) / 2;
  return make_edit_prompt(engine.prompt_encoder(Purpose::kEdit), region, request.instruction,
                          {.context_bytes = context_bytes, .overview_bytes = overview_bytes});
}

int unread_tokens(Engine& engine, const EditPrompt& prompt) {
  return static_cast<int>(prompt.tokens.size()) - engine.known_tokens(prompt.tokens);
}

// What one request is made of, part by part: the region as a whole, or the windows of a file.
class EditRun {
 public:
  EditRun(Engine& engine, const EditRequest& request, const EditRegion& region,
          std::size_t context_bytes, const EditObserver& observer, std::stop_token stop)
      : engine_(engine),
        request_(request),
        region_(region),
        context_bytes_(context_bytes),
        observer_(observer),
        stop_(std::move(stop)),
        stream_(engine.tokenizer(), region, fence_around(request.document->text()), observer) {}

  Result<EditResult> whole(EditPrompt prompt, int budget) {
    const int n_lines = static_cast<int>(region_.lines().size());
    const Result<FinishReason> reason = write({0, n_lines}, 0, 1, std::move(prompt), budget);
    if (!reason) return reason.error();
    return result(*reason);
  }
  Result<EditResult> in_windows(const EditWindows& windows);

 private:
  // A part of the region, and of the work.
  Result<FinishReason> write(LineWindow lines, double from, double to, EditPrompt prompt,
                             int budget);
  EditResult result(FinishReason reason);
  // What the prompt for these lines may not show of the file.
  std::shared_ptr<const std::vector<std::vector<TokenId>>> rest_of_file(LineWindow lines);

  Engine& engine_;
  const EditRequest& request_;
  const EditRegion& region_;
  std::size_t context_bytes_;
  const EditObserver& observer_;
  std::stop_token stop_;
  HunkStream stream_;
  DecodeStatistics statistics_;  // of the parts that are done
};

Result<FinishReason> EditRun::write(LineWindow lines, double from, double to, EditPrompt prompt,
                                    int budget) {
  const auto n_original = static_cast<double>(prompt.original.size());
  const auto on_progress = [&](const DecodeStatistics& statistics) {
    if (!observer_.on_progress) return;
    const double passed = stream_.fraction(lines.first, lines.last);
    const double fraction = fraction_done(statistics, passed, n_original);
    DecodeStatistics so_far = statistics_;
    so_far += statistics;
    observer_.on_progress({from + (to - from) * fraction, so_far});
  };
  const auto sink = [&](TokenId token) { return stream_.add(token); };
  const DecodeRequest decode{.prompt = std::move(prompt.tokens),
                             .original = std::move(prompt.original),
                             .replacements = std::move(prompt.replacements),
                             .stop_tokens = std::move(prompt.stop_tokens),
                             .max_new_tokens = budget,
                             .on_progress = on_progress,
                             .rest_of_file = rest_of_file(lines),
                             .open_files = engine_.open_files(request_.beside),
                             .repository = request_.repository,
                             .common = request_.common};
  Result<DecodeResult> decoded =
      engine_.decode(Purpose::kEdit, request_.decoder, decode, sink, stop_, request_.remembering);
  if (!decoded) return decoded.error();
  statistics_ += decoded->statistics;
  const bool complete = decoded->finish_reason == FinishReason::kStop || stream_.closed();
  if (complete) stream_.end_part();
  return complete ? FinishReason::kStop : decoded->finish_reason;
}

std::shared_ptr<const std::vector<std::vector<TokenId>>> EditRun::rest_of_file(LineWindow lines) {
  const Document& document = *request_.document;
  const int first = document.lines().line_of(region_.range().begin);
  const ByteRange written{document.lines().start(first + lines.first),
                          document.lines().start(first + lines.last)};
  if (document.text().size() - written.size() <= context_bytes_) return nullptr;  // it shows all
  return engine_.rest_of_file(Purpose::kEdit, document, written);
}

// One after the other; where one is cut short the edit ends. What the model writes is one text to
// the differ, so that hunks are the same wherever the file is cut.
Result<EditResult> EditRun::in_windows(const EditWindows& windows) {
  const double n_tokens = std::accumulate(windows.tokens.begin(), windows.tokens.end(), 0);
  FinishReason reason = FinishReason::kStop;
  LineWindow lines;
  double from = 0;
  for (std::size_t i = 0; i < windows.regions.size() && reason == FinishReason::kStop; ++i) {
    const EditRegion& window = windows.regions[i];
    lines = {lines.last, lines.last + static_cast<int>(window.lines().size())};
    const double to = from + windows.tokens[i] / n_tokens;
    Result<EditPrompt> prompt = prompt_of(engine_, request_, window, windows.context_bytes);
    if (!prompt) return prompt.error();
    const int asked = request_.max_new_tokens;
    const int left = asked > 0 ? asked - statistics_.new_tokens : 0;
    if (asked > 0 && left <= 0) return result(FinishReason::kLength);
    const Result<int> budget = edit_token_budget(*prompt, left, engine_.context_length());
    if (!budget) return budget.error();
    const Result<FinishReason> written = write(lines, from, to, std::move(*prompt), *budget);
    if (!written) return written.error();
    reason = *written;
    from = to;
  }
  return result(reason);
}

EditResult EditRun::result(FinishReason reason) {
  if (reason == FinishReason::kStop) stream_.finish();
  EditResult result;
  result.finish_reason = reason;
  result.statistics = statistics_;
  result.hunks = std::move(stream_.hunks());
  result.output = std::move(stream_.raw());
  result.text = apply_edits(request_.document->text(), edits_of(result.hunks));
  result.region = region_.range();
  result.breaks_syntax = breaks_syntax_of(*request_.document, result.text);
  return result;
}

}  // namespace

Result<void> check_request(const EditRequest& request) {
  if (!request.document) return Error("an edit needs a document");
  if (is_blank(request.instruction)) return Error("the instruction is empty: say what to change");
  return EditRegion::check(*request.document, request.scope, request.range);
}

Result<EditRegion> edit_region(Engine& engine, const EditRequest& request) {
  const bool is_bounded = request.scope == EditScope::kAround;
  const std::size_t max_bytes =
      is_bounded ? edit_region_bytes(engine.cost_curve()) : kMaxDocumentBytes;
  return EditRegion::make(request.document, request.scope, request.range, max_bytes);
}

Result<EditPlan> plan_edit(Engine& engine, const EditRequest& request) {
  Result<EditRegion> region = edit_region(engine, request);
  if (!region) return region.error();
  const CostCurve& cost = engine.cost_curve();
  const std::size_t asked_now = edit_context_bytes(cost, kReadingSeconds);
  const std::size_t bytes = request.context_bytes.value_or(asked_now);
  Result<EditPrompt> prompt = prompt_of(engine, request, *region, bytes);
  if (!prompt) return prompt.error();
  if (request.announced && !request.context_bytes) {
    const std::size_t more_bytes = edit_context_bytes(cost, kReadAheadSeconds);
    Result<EditPrompt> more = prompt_of(engine, request, *region, more_bytes);
    const int unread = unread_tokens(engine, *prompt);
    const int affordable = cost.tokens_read_in(kReadingSeconds, unread);
    if (more && unread_tokens(engine, *more) <= std::max(affordable, kInstructionTokens))
      return EditPlan{std::move(*region), std::move(*more), more_bytes};
  }
  return EditPlan{std::move(*region), std::move(*prompt), bytes};
}

// The larger prompt last: what is read of it in vain, if the request comes early, is lost.
Result<void> read_edit_ahead(Engine& engine, const EditRequest& request, double seconds,
                             const std::function<void(double)>& on_read,
                             const std::stop_token& stop) {
  EditRequest any = request;
  any.instruction = "-";
  const Result<EditRegion> region = edit_region(engine, any);
  if (!region) return region.error();
  const CostCurve& cost = engine.cost_curve();
  std::vector<std::vector<TokenId>> beginnings;
  std::vector<int> unread;
  for (const double context_seconds : {kReadingSeconds, kReadAheadSeconds}) {
    Result<EditPrompt> prompt =
        prompt_of(engine, any, *region, edit_context_bytes(cost, context_seconds));
    if (!prompt) return prompt.error();
    prompt->tokens.resize(static_cast<std::size_t>(prompt->before_instruction));
    if (!beginnings.empty() && beginnings.back() == prompt->tokens) continue;
    unread.push_back(unread_tokens(engine, *prompt));
    beginnings.push_back(std::move(prompt->tokens));
  }
  int limit = cost.tokens_read_in(seconds, engine.context_length());
  const int total = std::min(limit, std::accumulate(unread.begin(), unread.end(), 0));
  int done = 0;
  for (std::size_t i = 0; i < beginnings.size() && limit > 0; ++i) {
    const int size = static_cast<int>(beginnings[i].size());
    const auto on_chunk = [&](int known) {
      const int read = done + unread[i] - (size - known);
      on_read(std::clamp(static_cast<double>(read) / std::max(total, 1), 0.0, 1.0));
    };
    if (!engine.read_ahead(beginnings[i], limit, on_chunk, stop)) return {};
    done += unread[i];
    limit -= unread[i];
  }
  on_read(1);
  return {};
}

Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, std::stop_token stop) {
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  if (stop.stop_requested()) return unchanged(request);  // loading the model may have taken long
  Result<EditPlan> plan = plan_edit(engine, request);
  if (!plan) return plan.error();
  EditRun run(engine, request, plan->region, plan->context_bytes, observer, stop);
  Result<int> budget =
      edit_token_budget(plan->prompt, request.max_new_tokens, engine.context_length());
  if (!budget) {
    std::optional<EditWindows> windows;
    if (request.scope == EditScope::kFile)
      windows =
          edit_windows(plan->region, plan->prompt, engine.tokenizer(), engine.context_length());
    if (!windows) return budget.error();
    windows->context_bytes = std::min(windows->context_bytes, plan->context_bytes);
    return run.in_windows(*windows);
  }
  if (stop.stop_requested()) return unchanged(request);
  return run.whole(std::move(plan->prompt), *budget);
}

}  // namespace redraft
