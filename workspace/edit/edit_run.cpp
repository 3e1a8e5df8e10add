#include "workspace/edit/edit_run.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/trace/trace.h"
#include "support/utf8/utf8.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_problems.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/known_name.h"

namespace redraft {

namespace {

std::vector<Doubt> doubts_about(const EditRequest& request, const std::vector<Hunk>& hunks) {
  const Span span("check syntax");
  const Document& document = *request.document;
  const SyntaxTree* before = hunks.empty() ? nullptr : document.syntax();
  if (before == nullptr) return {};
  const std::vector<TextEdit> edits = edits_of(hunks);
  const auto text = std::make_shared<const std::string>(apply_edits(document.text(), edits));
  const std::optional<SyntaxTree> after = before->edited(text);
  if (!after) return {};
  return redraft::doubts_about({*before, *after, edits, request.instruction});
}

// Each hunk that is examined as it comes takes a walk over the whole file: so many bytes in all,
// which take a tenth of a second to one. The end examines all hunks in any case.
constexpr std::size_t kExaminedBytes = std::size_t{2} << 20;

// Why the last hunk is doubtful. The file between two hunks may well make no sense yet.
std::string doubt_about_last(const EditRequest& request, const std::vector<Hunk>& hunks) {
  if (hunks.size() * request.document->text().size() > kExaminedBytes) return {};
  std::vector<Doubt> doubts = doubts_about(request, hunks);
  std::erase_if(doubts, [&](const Doubt& doubt) {
    return doubt.kind == Doubt::Kind::kSyntax ||
           doubt.edits.back() + 1 != static_cast<int>(hunks.size());
  });
  return reasons_of(doubts);
}

// How many tokens at the beginning of `answer` are code: those before the closing fence.
std::size_t count_code(const Tokenizer& tokenizer, const std::vector<TokenId>& answer,
                       const std::string& fence) {
  FencedOutput output(fence);
  std::size_t count = 0;
  for (std::size_t i = 0; i < answer.size(); ++i)
    if (!output.add(tokenizer.bytes(answer[i])).empty()) count = i + 1;
  return output.end().empty() ? count : answer.size();
}

// Where the model could have gone another way, the least certain place first. Not where that would
// only end the code earlier or later, or write the same text in other tokens.
std::vector<std::size_t> worth_another_try(const Tokenizer& tokenizer,
                                           const std::vector<TokenId>& answer,
                                           const std::string& fence,
                                           const std::vector<Engine::Alternative>& alternatives,
                                           const std::vector<TokenId>& stop_tokens) {
  const std::string text = tokenizer.decode(answer);
  // Where nothing is to be left, the first token of the fence is all that there is.
  const std::size_t n_code = std::max(count_code(tokenizer, answer, fence), std::size_t{1});
  std::vector<std::size_t> places;
  std::string_view rest = text;
  for (std::size_t i = 0; i < std::min(n_code, answer.size()); ++i) {
    const TokenId other = alternatives[i].token;
    const bool ends = std::ranges::find(stop_tokens, other) != stop_tokens.end();
    if (!ends && !rest.starts_with(tokenizer.bytes(other))) places.push_back(i);
    rest.remove_prefix(std::min(tokenizer.bytes(answer[i]).size(), rest.size()));
  }
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return alternatives[i].margin; });
  return places;
}

}  // namespace

// From tokens to hunks: bytes, lines, changes of lines, edits.
class HunkStream {
 public:
  // Adds to `hunks` and `raw`, the model's raw output. All of it outlives this.
  HunkStream(const Tokenizer& tokenizer, const EditRequest& request, const EditRegion& region,
             const EditObserver& observer, std::vector<Hunk>& hunks, std::string& raw)
      : tokenizer_(tokenizer),
        request_(request),
        region_(region),
        fence_(fence_around(region.document().text())),
        output_(fence_),
        diff_(region.lines()),
        observer_(observer),
        hunks_(hunks),
        raw_(raw) {}

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
  // How many of these lines are dealt with.
  int passed(int first, int last) const { return std::clamp(diff_.passed(), first, last) - first; }

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
      if (!observer_.on_hunk) continue;
      hunks_.back().doubt = doubt_about_last(request_, hunks_);
      observer_.on_hunk(hunks_.back());
    }
  }

  const Tokenizer& tokenizer_;
  const EditRequest& request_;
  const EditRegion& region_;
  std::string fence_;
  FencedOutput output_;
  IncrementalDiff diff_;
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

std::size_t overview_bytes(Engine& engine, std::size_t context_bytes) {
  return std::min(edit_context_bytes(engine.cost_curve(), kContextSeconds), context_bytes) / 2;
}

Result<EditPrompt> prompt_of(Engine& engine, const EditRequest& request, const EditRegion& region,
                             std::size_t context_bytes, const FaultyAnswer* faulty) {
  const Span span("prompt");
  PromptForm form{.context_bytes = context_bytes,
                  .overview_bytes = overview_bytes(engine, context_bytes),
                  .names = names_in_problems(request)};
  // They take the room of lines around the region, so that reading takes no longer.
  for (const ForeignDefinition& definition :
       definitions_elsewhere(request, engine.tokenizer(), form.names, context_bytes))
    form.elsewhere += definition.title + definition.text;
  form.context_bytes -= form.elsewhere.size();
  return make_edit_prompt(engine.prompt_encoder(Purpose::kEdit), region, request.instruction, form,
                          faulty);
}

void set_edits(const EditRequest& request, const std::vector<TextEdit>& edits, EditResult& result) {
  const std::string& before = request.document->text();
  result.hunks.clear();
  for (const TextEdit& edit : edits) {
    const int id = static_cast<int>(result.hunks.size());
    result.hunks.push_back({id, edit, before.substr(edit.range.begin, edit.range.size())});
  }
  result.text = apply_edits(before, edits);
  result.doubts = doubts_about(request, result.hunks);
}

EditRun::EditRun(Engine& engine, const EditRequest& request, std::size_t context_bytes,
                 const EditObserver& observer, std::stop_token stop)
    : engine_(engine),
      request_(request),
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
  return result(*reason, region.range());
}

Result<EditResult> EditRun::in_parts(const std::vector<EditRegion>& parts,
                                     const std::vector<double>& work) {
  const double all_work = std::accumulate(work.begin(), work.end(), 0.0);
  const ByteRange region{parts.front().range().begin, parts.back().range().end};
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
    if (*reason != FinishReason::kStop) return result(*reason, region);
    if (i + 1 == text_end) end_text();
    from = to;
  }
  return result(FinishReason::kStop, region);
}

Result<FinishReason> EditRun::write_part(const EditRegion& part, double from, double to) {
  Result<EditPrompt> prompt = prompt_of(engine_, request_, part, context_bytes_);
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
  stream_ =
      std::make_unique<HunkStream>(engine_.tokenizer(), request_, *text_, observer_, hunks_, raw_);
}

void EditRun::end_text() { stream_->finish(); }

Result<FinishReason> EditRun::write(const EditRegion& part, double from, double to,
                                    EditPrompt prompt, int budget) {
  const LineIndex& index = request_.document->lines();
  const int first = index.line_of(part.range().begin) - index.line_of(text_->range().begin);
  const int last = first + static_cast<int>(part.lines().size());
  const auto n_original = static_cast<double>(prompt.original.size());
  const bool is_other = request_.another > 0;
  double begin = from, end = is_other ? (from + to) / 2 : to;  // of what is decoded now
  const auto on_progress = [&](const DecodeStatistics& statistics) {
    if (!observer_.on_progress) return;
    const int passed = stream_->passed(first, last);
    const double part_passed = first == last ? 1.0 : static_cast<double>(passed) / (last - first);
    const double fraction = fraction_done(statistics, part_passed, n_original);
    DecodeStatistics so_far = statistics_;
    so_far += statistics;
    const LinesPassed lines{lines_.passed + passed, lines_.of};
    observer_.on_progress({begin + (end - begin) * fraction, so_far, lines});
  };
  const auto sink = [&](TokenId token) { return stream_->add(token); };
  DecodeRequest decode{.prompt = std::move(prompt.tokens),
                       .original = std::move(prompt.original),
                       .replacements = std::move(prompt.replacements),
                       .stop_tokens = std::move(prompt.stop_tokens),
                       .max_new_tokens = budget,
                       .on_progress = on_progress,
                       .rest_of_file = rest_of_file(part),
                       .open_files = engine_.open_files(request_.beside),
                       .repository = request_.repository,
                       .common = request_.common};
  if (is_other) {
    const Result<std::optional<FinishReason>> ended = begin_other_answer(decode, prompt.fence);
    begin = end, end = to;
    if (!ended) return ended.error();
    if (*ended == FinishReason::kStop) stream_->end_part();
    if (*ended) return **ended;
  }
  Result<DecodeResult> decoded =
      engine_.decode(Purpose::kEdit, request_.decoder, decode, sink, stop_, request_.remembering);
  if (!decoded) return decoded.error();
  statistics_ += decoded->statistics;
  n_written_ += decoded->statistics.new_tokens;
  lines_.passed += last - first;
  const bool complete = decoded->finish_reason == FinishReason::kStop || stream_->closed();
  if (complete) stream_->end_part();
  return complete ? FinishReason::kStop : decoded->finish_reason;
}

// The first answer is decoded again: its prompt is in a cache, and what it wrote is remembered as a
// draft. So another try needs nothing but the request.
Result<std::optional<FinishReason>> EditRun::begin_other_answer(DecodeRequest& decode,
                                                                const std::string& fence) {
  FencedOutput output(fence);
  const auto read = [&](TokenId token) {
    output.add(engine_.tokenizer().bytes(token));
    return !output.closed();
  };
  const Result<DecodeResult> first =
      engine_.decode(Purpose::kEdit, request_.decoder, decode, read, stop_, request_.remembering);
  if (!first) return first.error();
  statistics_ += first->statistics;
  const std::vector<TokenId>& answer = first->tokens;
  const bool is_cancelled = first->finish_reason == FinishReason::kCancelled;
  if (is_cancelled) return std::optional(FinishReason::kCancelled);
  const Result<std::optional<OtherWay>> way = other_way(decode, answer, fence);
  if (!way) return way.error();
  if (!*way) return std::optional(FinishReason::kCancelled);
  const auto at = static_cast<std::ptrdiff_t>((*way)->at);
  std::vector<TokenId> kept(answer.begin(), answer.begin() + at);
  kept.insert(kept.end(), (*way)->tokens.begin(), (*way)->tokens.end());
  for (const TokenId token : kept) stream_->add(token);
  n_written_ += static_cast<int>(kept.size());
  if (stream_->closed()) return std::optional(FinishReason::kStop);
  decode.max_new_tokens -= static_cast<int>(kept.size());
  if (decode.max_new_tokens <= 0) return std::optional(FinishReason::kLength);
  decode.prompt.insert(decode.prompt.end(), kept.begin(), kept.end());
  decode.original.assign(answer.begin() + at + 1, answer.end());
  decode.replacements.clear();
  return std::optional<FinishReason>();
}

Result<std::optional<EditRun::OtherWay>> EditRun::other_way(const DecodeRequest& decode,
                                                            const std::vector<TokenId>& answer,
                                                            const std::string& fence) {
  if (other_name_) {
    const Result<OtherWay> way = way_to_other_name(decode, answer);
    if (stop_.stop_requested()) return std::optional<OtherWay>();
    if (!way) return way.error();
    return std::optional(*way);
  }
  DecodeStatistics cost;
  const auto on_pass = [&](const DecodeStatistics& so_far) {
    cost = so_far;
    decode.on_progress(cost);
  };
  const auto alternatives = engine_.alternatives(decode.prompt, answer, on_pass, stop_);
  statistics_ += cost;
  if (!alternatives) return std::optional<OtherWay>();
  const std::vector<std::size_t> places =
      worth_another_try(engine_.tokenizer(), answer, fence, *alternatives, decode.stop_tokens);
  const auto which = static_cast<std::size_t>(request_.another) - 1;
  if (which >= places.size())
    return Error(places.empty()
                     ? "there are no other tries"
                     : "there are no more than " + std::to_string(places.size()) + " other tries");
  const std::size_t at = places[which];
  return std::optional(OtherWay{at, {(*alternatives)[at].token}});
}

Result<EditRun::OtherWay> EditRun::way_to_other_name(const DecodeRequest& decode,
                                                     const std::vector<TokenId>& answer) {
  const Tokenizer& tokenizer = engine_.tokenizer();
  const LineIndex& lines = request_.document->lines();
  const int first = lines.line_of(text_->range().begin);
  const int line = lines.line_of(other_name_->place.begin);
  std::size_t left = other_name_->place.begin - lines.start(line);  // bytes before the name
  for (int i = first; i < line; ++i)
    left += text_->lines()[static_cast<std::size_t>(i - first)].size() + 1;
  std::size_t at = 0;
  for (; at < answer.size() && left >= tokenizer.bytes(answer[at]).size(); ++at)
    left -= tokenizer.bytes(answer[at]).size();
  const Error none("none of the names that are known is likely here");
  if (at == answer.size()) return none;
  std::vector<TokenId> context = decode.prompt;
  context.insert(context.end(), answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(at));
  std::vector<TokenId> name = write_known_name(
      engine_, std::move(context), tokenizer.bytes(answer[at]).substr(0, left), other_name_->known,
      std::string_view(request_.document->text())
          .substr(other_name_->place.begin, other_name_->place.size()),
      stop_);
  if (name.empty()) return none;
  return OtherWay{at, std::move(name)};
}

std::shared_ptr<const std::vector<std::vector<TokenId>>> EditRun::rest_of_file(
    const EditRegion& part) {
  const Document& document = *request_.document;
  if (document.text().size() - part.range().size() <= context_bytes_)
    return nullptr;  // it shows all
  const int first = document.lines().line_of(part.range().begin);
  const ByteRange written{document.lines().start(first),
                          document.lines().start(first + static_cast<int>(part.lines().size()))};
  return engine_.rest_of_file(Purpose::kEdit, document, written);
}

EditResult EditRun::result(FinishReason reason, ByteRange region) {
  EditResult result;
  result.finish_reason = reason;
  result.statistics = statistics_;
  result.hunks = std::move(hunks_);
  result.output = std::move(raw_);
  result.text = apply_edits(request_.document->text(), edits_of(result.hunks));
  result.region = region;
  result.doubts = doubts_about(request_, result.hunks);
  return result;
}

}  // namespace redraft
