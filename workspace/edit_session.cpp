#include "workspace/edit_session.h"

#include <algorithm>
#include <utility>

#include "support/utf8/utf8.h"
#include "workspace/diff.h"
#include "workspace/edit_context.h"
#include "workspace/fenced_output.h"
#include "workspace/prompt.h"

namespace redraft {
namespace {

// Passing over a token of the original takes about as long as reading so many of the prompt.
constexpr double kTokensReadPerWritten = 4;

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
  // The model has written all it wanted to.
  void finish() {
    take(output_.end());
    emit(diff_.finish());
  }

  bool closed() const { return output_.closed(); }
  double fraction() const {
    return region_.lines().empty()
               ? 1.0
               : static_cast<double>(diff_.passed()) / static_cast<double>(region_.lines().size());
  }
  std::string& raw() { return raw_; }
  std::vector<Hunk>& hunks() { return hunks_; }

 private:
  void take(std::vector<std::string> lines) {
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

// Of an edit that was cancelled before the model wrote anything.
EditResult unchanged(const EditRequest& request) {
  EditResult result;
  result.text = request.document->text();
  result.finish_reason = FinishReason::kCancelled;
  return result;
}

}  // namespace

Result<void> check_request(const EditRequest& request) {
  if (!request.document) return Error("an edit needs a document");
  if (is_blank(request.instruction)) return Error("the instruction is empty: say what to change");
  return EditRegion::check(*request.document, request.scope, request.range);
}

Result<EditResult> run_edit(Engine& engine, const EditRequest& request,
                            const EditObserver& observer, std::stop_token stop) {
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  if (stop.stop_requested()) return unchanged(request);  // loading the model may have taken long
  Result<EditRegion> region = EditRegion::make(request.document, request.scope, request.range);
  Result<EditPrompt> prompt =
      make_edit_prompt(engine.prompt_encoder(Purpose::kEdit), *region, request.instruction,
                       PromptOrder::kBufferFirst, edit_context_bytes(engine.cost_curve()));
  if (!prompt) return prompt.error();
  Result<int> budget = edit_token_budget(*prompt, request.max_new_tokens, engine.context_length());
  if (!budget) return budget.error();
  if (stop.stop_requested()) return unchanged(request);

  HunkStream stream(engine.tokenizer(), *region, prompt->fence, observer);
  const auto sink = [&](TokenId token) { return stream.add(token); };
  const auto n_original = static_cast<double>(prompt->original.size());
  const auto on_progress = [&](const DecodeStatistics& statistics) {
    if (!observer.on_progress) return;
    observer.on_progress({fraction_done(statistics, stream.fraction(), n_original), statistics});
  };
  const DecodeRequest decode{.prompt = std::move(prompt->tokens),
                             .original = std::move(prompt->original),
                             .replacements = std::move(prompt->replacements),
                             .stop_tokens = std::move(prompt->stop_tokens),
                             .max_new_tokens = *budget,
                             .on_progress = on_progress,
                             .open_files = engine.open_files(request.beside),
                             .repository = request.repository,
                             .common = request.common};
  Result<DecodeResult> decoded =
      engine.decode(Purpose::kEdit, request.decoder, decode, sink, std::move(stop));
  if (!decoded) return decoded.error();

  EditResult result;
  const bool complete = decoded->finish_reason == FinishReason::kStop || stream.closed();
  if (complete) stream.finish();
  result.finish_reason = complete ? FinishReason::kStop : decoded->finish_reason;
  result.statistics = decoded->statistics;
  result.hunks = std::move(stream.hunks());
  result.output = std::move(stream.raw());
  result.text = apply_edits(request.document->text(), edits_of(result.hunks));
  return result;
}

}  // namespace redraft
