#include "tuning/data/example_maker.h"

#include <algorithm>
#include <utility>

#include "languages/languages.h"
#include "support/utf8/utf8.h"
#include "text/chat_template.h"
#include "text/strings/trimmed.h"
#include "tuning/data/learned_lines.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/run_edit.h"

namespace redraft {

namespace {

constexpr int kLinesAround = 3;
// The tokens of a prompt besides code and instruction, and the minimum of code bytes per token.
constexpr int kFrameTokens = 160;
constexpr int kBytesOfToken = 3;

std::vector<std::string_view> lines_of(const Document& document) {
  const LineIndex& index = document.lines();
  std::vector<std::string_view> out;
  for (int line = 0; line < index.line_count(); ++line) {
    const std::size_t begin = index.start(line);
    out.push_back(std::string_view(document.text()).substr(begin, index.content_end(line) - begin));
  }
  return out;
}

int count_lines(const Document& document, const ByteRange& range) {
  return document.lines().line_of(range.end > range.begin ? range.end - 1 : range.end) -
         document.lines().line_of(range.begin) + 1;
}

// Whole lines [first, last) of the document.
ByteRange bytes_of(const Document& document, int first, int last) {
  return {document.lines().start(first), document.lines().start(last)};
}

ByteRange widened(const Document& document, int first, int last, int max_lines) {
  const ByteRange changed = bytes_of(document, first, last);
  if (const SyntaxTree* tree = document.syntax()) {
    const RegionChain chain = tree->regions_around(changed.begin, kMaxDocumentBytes);
    for (const Region& each : chain.regions) {
      if (each.kind != RegionKind::kDefinition || !each.range.contains(changed)) continue;
      if (count_lines(document, each.range) > max_lines) break;
      return each.range;
    }
  }
  const int spare = std::min(kLinesAround, std::max(max_lines - (last - first), 0) / 2);
  return bytes_of(document, std::max(first - spare, 0),
                  std::min(last + spare, document.lines().line_count()));
}

bool breaks_syntax(const Document& document, const std::string& text) {
  const SyntaxTree* before = document.syntax();
  if (before == nullptr) return false;
  const std::optional<SyntaxTree> after = before->edited(std::make_shared<const std::string>(text));
  return after && redraft::breaks_syntax(*before, *after);
}

ChosenRegion none(LeftOutReason why) {
  return {.region = std::nullopt, .why_none = std::move(why)};
}
MadeExample no_example(LeftOutReason why) {
  return {.example = std::nullopt, .why_none = std::move(why)};
}

std::string spelled(const Tokenizer& tokenizer, const std::vector<TokenId>& tokens) {
  std::string out;
  for (const TokenId token : tokens) out += tokenizer.display(token);
  return out;
}

}  // namespace

ChosenRegion region_of(const EditPair& pair, int max_lines) {
  const std::string language(language_of(pair.path));
  const auto before = Document::make(pair.path, 0, pair.before, language);
  const auto after = Document::make(pair.path, 1, pair.after, language);
  if (!before || !after) return none("text that is no UTF-8, or too large");
  const std::vector<LineChange> changes = diff_lines(lines_of(**before), lines_of(**after));
  if (changes.empty()) return none("nothing changed but line endings");
  const int first = changes.front().old_begin, last = changes.back().old_end;
  if (last - first > max_lines) return none("changes that lie too far apart");
  const ByteRange range = widened(**before, first, last, max_lines);
  Result<EditRegion> region = EditRegion::make(*before, EditScope::kSelection, range);
  if (!region) return none("no region");
  return {.region = std::move(*region), .why_none = {}};
}

std::optional<ClosedAnswer> closed_answer(const std::string& raw, const std::string& fence) {
  const std::string_view shown = trimmed(raw, " \t\r\n");
  if (!shown.ends_with(fence)) return std::nullopt;
  const auto begin =
      static_cast<std::size_t>(shown.data() - raw.data()) + shown.size() - fence.size();
  // On a separate line, without an earlier back-tick on it.
  if (begin > 0 && raw[begin - 1] != '\n') return std::nullopt;
  return ClosedAnswer{.text = raw.substr(0, begin + fence.size()), .code_end = begin};
}

ExampleMaker::ExampleMaker(Engine& engine, const ExampleLimits& limits, DecoderName decoder)
    : engine_(engine), limits_(limits), decoder_(std::move(decoder)) {
  const Tokenizer& tokenizer = engine.tokenizer();
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id)
    if (tokenizer.is_special(id)) control_.push_back(tokenizer.display(id));
  const std::vector<TokenId> ends = end_of_turn_tokens(tokenizer);
  if (!ends.empty()) end_of_turn_ = tokenizer.display(ends.front());
}

Result<MadeExample> ExampleMaker::make(const EditPair& pair, const std::stop_token& stop) {
  for (const std::string& control : control_) {
    const bool spells = pair.before.find(control) != std::string::npos ||
                        pair.instruction.find(control) != std::string::npos;
    if (spells && !control.empty()) return no_example("text that spells a control token");
  }
  ChosenRegion chosen = region_of(pair, limits_.max_lines);
  if (!chosen.region) return no_example(std::move(chosen.why_none));
  const EditRegion& region = *chosen.region;
  // The tokens available for the file around the region. The region is in the prompt and in the
  // answer.
  const Tokenizer& tokenizer = engine_.tokenizer();
  const auto region_tokens = static_cast<int>(tokenizer.encode(region.text()).size());
  const auto instruction_tokens = static_cast<int>(tokenizer.encode(pair.instruction).size());
  const int room = limits_.max_tokens - kFrameTokens - instruction_tokens - region_tokens * 9 / 4;
  if (room < 0) return no_example("regions with too many tokens");
  EditRequest request;
  request.document = region.shared_document();
  request.instruction = pair.instruction;
  request.scope = EditScope::kSelection;
  request.range = region.range();
  request.decoder = decoder_;
  request.context_bytes = static_cast<std::size_t>(room) * kBytesOfToken * 2 / 3;
  request.repairs = false;
  request.model_renames = true;
  const Result<EditPlan> plan = plan_region(engine_, request, request.instruction, region);
  if (!plan) return plan.error();
  const Result<EditResult> result = run_edit(engine_, request, {}, stop);
  if (!result) return no_example("edits that do not fit the context");
  MadeExample made = judged(pair, region, plan->prompt, *result);
  made.asked = !made.cancelled;
  return made;
}

// Makes an example of the target's output, or says why not.
MadeExample ExampleMaker::judged(const EditPair& pair, const EditRegion& region,
                                 const EditPrompt& prompt, const EditResult& result) const {
  const Tokenizer& tokenizer = engine_.tokenizer();
  if (result.finish_reason == FinishReason::kCancelled)
    return MadeExample{.example = {}, .why_none = {}, .cancelled = true};
  if (result.finish_reason != FinishReason::kStop) return no_example("answers that do not end");
  if (result.hunks.empty()) return no_example("answers that change nothing");
  if (breaks_syntax(region.document(), result.text))
    return no_example("answers that break the syntax");
  if (result.code_begin > 0) return no_example("answers that begin with a thought");
  std::optional<ClosedAnswer> answer = closed_answer(result.output, prompt.fence);
  if (!answer) return no_example("answers that do not close their fence");
  TuningExample example{.prompt = spelled(tokenizer, prompt.tokens),
                        .target = answer->text + end_of_turn_,
                        .learn = {},
                        .source = pair.source,
                        .licence = pair.licence};
  if (!is_utf8(example.target) || !is_utf8(example.prompt))
    return no_example("answers that are no text");
  example.learn = learned_lines(region.text(), example.target, answer->code_end);
  if (example.learn.size() == 1 && example.learn.front().begin == answer->code_end)
    return no_example("answers that add no line");
  const auto target_tokens = static_cast<int>(tokenizer.encode(answer->text).size()) + 1;
  if (static_cast<int>(prompt.tokens.size()) + target_tokens > limits_.max_tokens)
    return no_example("answers with too many tokens");
  return MadeExample{.example = std::move(example), .why_none = {}};
}

}  // namespace redraft
