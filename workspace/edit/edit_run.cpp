#include "workspace/edit/edit_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/trace/trace.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/code_answer.h"
#include "workspace/edit/edit_outcome.h"
#include "workspace/edit/edit_plan.h"
#include "workspace/edit/insertion.h"
#include "workspace/edit/own_blanks.h"

namespace redraft {

namespace {

// To examine a hunk as it comes, redraft walks over the whole file. It stops after this many bytes,
// which take between a tenth of a second and one. The end of the edit examines all hunks anyway.
constexpr std::size_t kExaminedBytes = std::size_t{2} << 20;

// Why the last hunk is doubtful. Syntax errors, open brackets and undefined names do not count:
// later hunks may fix them.
std::string doubt_about_last(const Document& document, const std::string& instruction,
                             const std::vector<Hunk>& hunks) {
  if (hunks.size() * document.text().size() > kExaminedBytes) return {};
  std::vector<Doubt> doubts = doubts_about(document, instruction, hunks);
  std::erase_if(doubts, [&](const Doubt& doubt) {
    return doubt.kind == Doubt::Kind::kSyntax || doubt.kind == Doubt::Kind::kBrackets ||
           doubt.kind == Doubt::Kind::kUndefined ||
           doubt.edits.back() + 1 != static_cast<int>(hunks.size());
  });
  return reasons_of(doubts);
}

}  // namespace

// From tokens to hunks: bytes, lines, changes of lines, edits.
class HunkStream {
 public:
  // Adds to `hunks` and to `raw`, the model's raw output. All arguments outlive the stream.
  // `part` is that of the hunks (ChangeOrigin).
  HunkStream(const Tokenizer& tokenizer, const std::string& instruction, const EditRegion& region,
             int part, const EditObserver& observer, std::vector<Hunk>& hunks, std::string& raw)
      : tokenizer_(tokenizer),
        instruction_(instruction),
        region_(region),
        is_insertion_(is_insertion(region)),
        range_(region.range()),
        part_(part),
        diff_(region.lines()),
        observer_(observer),
        hunks_(hunks),
        raw_(raw) {}

  // An answer for `part` begins, which outlives the answer. If there are several parts, each one
  // continues where the last one ended.
  void begin_part(const EditRegion& part, const EditPrompt& prompt) {
    answer_.emplace(tokenizer_, prompt.fence, prompt.beginning);
    blanks_.emplace(part, instruction_);
  }
  // False once the closing fence is written.
  bool add(TokenId token) {
    raw_ += answer_bytes(tokenizer_, token);
    take(answer_->add(token));
    return !answer_->closed();
  }
  // The model has ended its turn.
  void end_part() {
    take(answer_->end());
    take_certain(blanks_->end());
  }
  // No part follows.
  void finish() {
    const Span span("diff");
    if (!is_insertion_) return emit(region_, diff_.finish());
    const Insertion insertion = without_repeated_neighbours(region_, std::move(inserted_));
    range_ = insertion.region.range();
    const std::vector<std::string_view> lines(insertion.lines.begin(), insertion.lines.end());
    emit(insertion.region, diff_lines(insertion.region.lines(), lines));
  }
  // What could change; final with finish().
  ByteRange range() const { return range_; }

  const CodeAnswer& answer() const { return *answer_; }  // of the part that began last
  // How many of these lines are finished.
  int passed(int first, int last) const { return std::clamp(diff_.passed(), first, last) - first; }

 private:
  void take(std::vector<std::string> lines) {
    if (lines.empty()) return;
    const Span span("diff", "lines", std::ssize(lines));
    for (std::string& line : lines) {
      const bool text = !first_invalid_utf8(line) && line.find('\0') == std::string::npos;
      take_certain(blanks_->add(text ? std::move(line) : with_replacement_characters(line)));
    }
  }

  void take_certain(std::vector<std::string> lines) {
    for (std::string& line : lines) {
      if (is_insertion_) {
        inserted_.push_back(std::move(line));
      } else {
        emit(region_, diff_.add(std::move(line)));
      }
    }
  }

  void emit(const EditRegion& region, const std::vector<LineChange>& changes) {
    for (const LineChange& change : changes) {
      Hunk hunk{.id = static_cast<int>(hunks_.size()),
                .edit = region.edit(change),
                .old_text = {},
                .origin = {.decided_by = DecidedBy::kModel, .part = part_}};
      const ByteRange range = hunk.edit.range;
      hunk.old_text = region.document().text().substr(range.begin, range.size());
      hunks_.push_back(std::move(hunk));
      if (!observer_.on_hunk) continue;
      hunks_.back().doubt = doubt_about_last(region_.document(), instruction_, hunks_);
      observer_.on_hunk(hunks_.back());
    }
  }

  const Tokenizer& tokenizer_;
  const std::string& instruction_;
  const EditRegion& region_;
  bool is_insertion_;
  ByteRange range_;
  const int part_;
  std::optional<CodeAnswer> answer_;
  std::optional<OwnBlanks> blanks_;
  IncrementalDiff diff_;
  std::vector<std::string> inserted_;  // the lines so far, if it is an insertion
  const EditObserver& observer_;
  std::vector<Hunk>& hunks_;
  std::string& raw_;
};

namespace {

// Passing over a token of the original takes about as long as reading so many of the prompt.
constexpr double kTokensReadPerWritten = 4;

double fraction_done(const DecodeStatistics& statistics, double passed, double n_original) {
  const double to_read = statistics.prompt_tokens - statistics.cached_prompt_tokens - 1.0;
  const double to_write = kTokensReadPerWritten * n_original;
  return (statistics.prefilled_tokens + passed * to_write) / std::max(to_read + to_write, 1.0);
}

}  // namespace

EditRun::EditRun(Engine& engine, const EditRequest& request, const std::string& instruction,
                 std::size_t context_bytes, const EditObserver& observer, std::stop_token stop)
    : engine_(engine),
      request_(request),
      instruction_(instruction),
      context_bytes_(context_bytes),
      observer_(observer),
      stop_(std::move(stop)) {}

EditRun::~EditRun() = default;

Result<EditResult> EditRun::whole(const EditRegion& region, EditPrompt prompt, int budget) {
  begin_text(region);
  lines_.of = static_cast<int>(region.lines().size());
  const Result<FinishReason> reason = write(region, 0, 1, std::move(prompt), budget);
  if (!reason) return reason.error();
  if (*reason == FinishReason::kStop) end_text();
  return result(*reason, stream_->range(), {stream_->range()});
}

Result<EditResult> EditRun::in_parts(const std::vector<EditRegion>& parts,
                                     const std::vector<double>& work) {
  const double all_work = std::accumulate(work.begin(), work.end(), 0.0);
  const ByteRange region{parts.front().range().begin, parts.back().range().end};
  std::vector<ByteRange> regions;
  for (const EditRegion& part : parts) regions.push_back(part.range());
  for (const EditRegion& part : parts) lines_.of += static_cast<int>(part.lines().size());
  double from = 0;
  for (std::size_t i = 0, text_end = 0; i < parts.size(); ++i) {
    if (i == text_end) {  // as many as follow each other
      while (++text_end < parts.size() &&
             parts[text_end - 1].range().end == parts[text_end].range().begin) {
      }
      const ByteRange lines{parts[i].range().begin, parts[text_end - 1].range().end};
      begin_text(*EditRegion::make(request_.document, EditScope::kSelection, lines));
    }
    const double to = from + work[i] / all_work;
    const Result<FinishReason> reason = write_part(parts[i], from, to);
    if (!reason) return reason.error();
    if (*reason != FinishReason::kStop) return result(*reason, region, regions);
    if (i + 1 == text_end) end_text();
    from = to;
  }
  return result(FinishReason::kStop, region, regions);
}

Result<FinishReason> EditRun::write_part(const EditRegion& part, double from, double to) {
  Result<EditPrompt> prompt = prompt_of(engine_, request_, instruction_, part, context_bytes_);
  if (!prompt) return prompt.error();
  const int asked = request_.max_new_tokens;
  const int left = asked > 0 ? asked - n_written_ : 0;
  if (asked > 0 && left <= 0) return FinishReason::kLength;
  const Result<int> budget = edit_token_budget(*prompt, left, engine_.context_length());
  if (!budget) return budget.error();
  return write(part, from, to, std::move(*prompt), *budget);
}

void EditRun::begin_text(EditRegion text) {
  stream_.reset();
  text_ = std::move(text);
  stream_ = std::make_unique<HunkStream>(engine_.tokenizer(), instruction_, *text_, n_texts_++,
                                         observer_, hunks_, raw_);
}

void EditRun::end_text() { stream_->finish(); }

// The lines that one decode writes, and its share of the progress.
struct EditRun::Part {
  const EditRegion& region;
  int first, last;    // lines of the text, [first, last)
  double n_original;  // tokens
  double from, to;    // of the progress of the whole edit

  int size() const { return last - first; }
};

void EditRun::report(const Part& part, const DecodeStatistics& statistics) {
  if (!observer_.on_progress) return;
  const int passed = stream_->passed(part.first, part.last);
  const double part_passed = part.size() == 0 ? 1.0 : static_cast<double>(passed) / part.size();
  const double fraction = fraction_done(statistics, part_passed, part.n_original);
  DecodeStatistics so_far = statistics_;
  so_far += statistics;
  const LinesPassed lines{lines_.passed + passed, lines_.of};
  observer_.on_progress({part.from + (part.to - part.from) * fraction, so_far, lines,
                         stream_->answer().thinking() && statistics.passes > 0});
}

Result<FinishReason> EditRun::write(const EditRegion& region, double from, double to,
                                    EditPrompt prompt, int budget) {
  const LineIndex& index = request_.document->lines();
  const int first = index.line_of(region.range().begin) - index.line_of(text_->range().begin);
  const bool branches = !std::holds_alternative<std::monostate>(branching_);
  Part part{.region = region,
            .first = first,
            .last = first + static_cast<int>(region.lines().size()),
            .n_original = static_cast<double>(prompt.original.size()),
            .from = from,
            .to = branches ? (from + to) / 2 : to};
  const EditPlan plan{region, std::move(prompt), context_bytes_};
  stream_->begin_part(region, plan.prompt);
  DecodeRequest decode = edit_decode(engine_, request_, plan, budget);
  decode.on_progress = [this, &part](const DecodeStatistics& statistics) {
    report(part, statistics);
  };
  if (branches) {
    const Result<Beginning> begun = begin_branch(decode, plan.prompt);
    if (!begun) return begun.error();
    if (begun->end) return *begun->end;
    part.from = part.to;
    part.to = to;
  }
  const auto sink = [&](TokenId token) { return stream_->add(token); };
  const Result<DecodeResult> decoded =
      engine_.decode(Purpose::kEdit, request_.decoder, decode, sink, stop_, request_.remembering);
  if (!decoded) return decoded.error();
  statistics_ += decoded->statistics;
  n_written_ += decoded->statistics.new_tokens;
  lines_.passed += part.size();
  const CodeAnswer& answer = stream_->answer();
  const bool complete = decoded->finish_reason == FinishReason::kStop || answer.closed();
  if (complete) stream_->end_part();
  if (complete || decoded->finish_reason == FinishReason::kLength) {
    const Result<void> checked = answer.check(n_written_, !complete);
    if (!checked) return checked.error();
  }
  if (!code_begin_) code_begin_ = answer.code_begin();
  return complete ? FinishReason::kStop : decoded->finish_reason;
}

Result<EditRun::Beginning> EditRun::begin_branch(DecodeRequest& decode, const EditPrompt& prompt) {
  Result<Cancellable<std::vector<TokenId>>> tokens = first_answer(decode, prompt);
  if (!tokens) return tokens.error();
  if (tokens->is_cancelled()) return Beginning{FinishReason::kCancelled};
  const FirstAnswer answer{decode.prompt, decode.stop_tokens, prompt.fence, prompt.beginning,
                           (*std::move(tokens)).take()};
  const Result<Cancellable<Branch>> found = find_branch(decode, answer);
  if (!found) return found.error();
  if (found->is_cancelled()) return Beginning{FinishReason::kCancelled};

  const Branch& branch = **found;
  const auto at = answer.tokens.begin() + static_cast<std::ptrdiff_t>(branch.at);
  std::vector<TokenId> beginning(answer.tokens.begin(), at);
  beginning.insert(beginning.end(), branch.tokens.begin(), branch.tokens.end());
  for (const TokenId token : beginning) stream_->add(token);
  n_written_ += static_cast<int>(beginning.size());
  if (stream_->answer().closed()) {
    stream_->end_part();
    code_begin_ = stream_->answer().code_begin();
    return Beginning{FinishReason::kStop};
  }
  decode.max_new_tokens -= static_cast<int>(beginning.size());
  if (decode.max_new_tokens <= 0) return Beginning{FinishReason::kLength};
  decode.prompt.insert(decode.prompt.end(), beginning.begin(), beginning.end());
  decode.original.assign(at + 1, answer.tokens.end());
  decode.replacements.clear();
  return Beginning{};
}

Result<Cancellable<std::vector<TokenId>>> EditRun::first_answer(const DecodeRequest& decode,
                                                                const EditPrompt& prompt) {
  CodeAnswer answer(engine_.tokenizer(), prompt.fence, prompt.beginning);
  const auto sink = [&](TokenId token) {
    answer.add(token);
    return !answer.closed();
  };
  Result<DecodeResult> first =
      engine_.decode(Purpose::kEdit, request_.decoder, decode, sink, stop_, request_.remembering);
  if (!first) return first.error();
  statistics_ += first->statistics;
  if (first->finish_reason == FinishReason::kCancelled)
    return Cancellable<std::vector<TokenId>>::cancelled();
  if (first->finish_reason == FinishReason::kStop) answer.end();
  const bool at_limit = first->finish_reason == FinishReason::kLength;
  const Result<void> checked = answer.check(first->statistics.new_tokens, at_limit);
  if (!checked) return checked.error();
  return Cancellable(std::move(first->tokens));
}

Result<Cancellable<Branch>> EditRun::find_branch(const DecodeRequest& decode,
                                                 const FirstAnswer& answer) {
  if (const auto* name = std::get_if<UnknownNamePlace>(&branching_))
    return branch_at_name(engine_, answer, *text_, *name, stop_);
  DecodeStatistics cost;
  const auto on_pass = [&](const DecodeStatistics& so_far) {
    cost = so_far;
    decode.on_progress(so_far);
  };
  Result<Cancellable<Branch>> branch =
      branch_of_retry(engine_, answer, std::get<int>(branching_), on_pass, stop_);
  statistics_ += cost;
  return branch;
}

EditResult EditRun::result(FinishReason reason, ByteRange region,
                           const std::vector<ByteRange>& regions) {
  EditResult result;
  result.finish_reason = reason;
  result.statistics = statistics_;
  result.hunks = std::move(hunks_);
  result.output = std::move(raw_);
  result.code_begin = code_begin_.value_or(0);
  result.text = apply_edits(request_.document->text(), edits_of(result.hunks));
  result.region = region;
  result.doubts =
      doubts_about(*request_.document, instruction_, result.hunks, regions, other_files(request_));
  return result;
}

}  // namespace redraft
