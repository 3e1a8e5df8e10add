#include "workspace/next_edit/next_edit.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "decoding/text/chat_template.h"
#include "support/trace/trace.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/file_uri.h"
#include "workspace/edit/fenced_output.h"
#include "workspace/edit/prompt.h"
#include "workspace/next_edit/call_verdict.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/next_place.h"

namespace redraft {
namespace {

// How many of the latest changes are shown, and how many lines around each.
constexpr std::size_t kMaxShown = 3;
constexpr std::size_t kMaxShownLines = 24;
constexpr int kLinesAround = 3;
// How many of the latest substitutions are named.
constexpr std::size_t kMaxNamed = 3;
// Models find something to improve everywhere. So of the words that a change removes, this share
// must be words that the user removed, and likewise of those it adds.
constexpr double kMinExplained = 0.6;
constexpr std::size_t kMaxFruitless = 256;
// How many tokens a region may grow.
constexpr int kRoom = 96;

constexpr const char* kSystem =
    "You help with an edit that a programmer has begun. You are given parts of the code, one at a "
    "time, and answer with each part after the edit, in one code block. Where the same edit has to "
    "be made in a part, it is made; a part that the edit does not concern is repeated exactly as "
    "it is.";

std::string joined(const std::vector<std::string_view>& lines, int begin, int end) {
  std::string text;
  for (int line = std::max(begin, 0); line < std::min(end, static_cast<int>(lines.size())); ++line)
    text.append(lines[static_cast<std::size_t>(line)]) += '\n';
  return text;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

// The conversation up to the region: each part of the code and its answer.
class Conversation {
 public:
  Conversation(std::string fence, std::string opening)
      : fence_(std::move(fence)), opening_(std::move(opening)) {
    messages_.push_back({"system", kSystem});
  }

  void add(const std::string& part, const std::string& edited) {
    messages_.push_back({"user", in_fence(part)});
    messages_.push_back({"assistant", in_fence(edited)});
  }
  // `task` comes before the part.
  std::vector<ChatMessage> ask(const std::string& task, const std::string& part) const {
    std::vector<ChatMessage> messages = messages_;
    messages.push_back({"user", task + in_fence(part)});
    return messages;
  }

 private:
  std::string in_fence(const std::string& text) const { return opening_ + text + fence_; }

  std::string fence_, opening_;
  std::vector<ChatMessage> messages_;
};

void add_recent(Conversation& conversation, const std::vector<RecentChange>& recent) {
  const std::size_t first = recent.size() > kMaxShown ? recent.size() - kMaxShown : 0;
  for (std::size_t i = first; i < recent.size(); ++i) {
    const RecentChange& change = recent[i];
    const Result<EditRegion> file = EditRegion::make(change.document, EditScope::kFile, {});
    if (!file || change.before.size() + change.after.size() > kMaxShownLines) continue;
    const std::string above = joined(file->lines(), change.line - kLinesAround, change.line);
    const std::string below =
        joined(file->lines(), change.end_line(), change.end_line() + kLinesAround);
    conversation.add(above + joined(change.before) + below, above + joined(change.after) + below);
  }
}

// Small models see a pattern sooner if it is also described in words.
std::string task_of(const std::vector<RecentChange>& recent) {
  const std::vector<Substitution> made = substitutions(recent);
  if (made.empty()) return {};
  std::string text;
  for (std::size_t i = made.size() - std::min(made.size(), kMaxNamed); i < made.size(); ++i)
    text += (text.empty() ? "`" : ", and `") + made[i].before + "` is now `" + made[i].after + "`";
  return text + ". Make the same edit in the next part:\n";
}

struct RegionPrompt {
  EditRegion region;
  std::vector<TokenId> tokens = {}, original = {}, stop_tokens = {};
  std::string fence = {};
};

// The text before the region is the same for all regions, so that it is read once.
Result<RegionPrompt> prompt_for(Engine& engine, const NextEditRequest& request,
                                const NextEditSearch& search, const NextPlace& place) {
  const Span span("prompt");
  const LineIndex& index = place.document->lines();
  Result<EditRegion> found =
      EditRegion::make(place.document, EditScope::kSelection,
                       ByteRange{index.start(place.first_line), index.start(place.end_line)});
  if (!found) return found.error();
  RegionPrompt prompt{.region = std::move(*found)};
  const EditRegion& region = prompt.region;
  prompt.fence = fence_around(region.document().text());
  const std::string opening = opening_fence(prompt.fence, region.document());
  Conversation conversation(prompt.fence, opening);
  if (!search.quiet.empty()) conversation.add(search.quiet, search.quiet);
  add_recent(conversation, request.recent);
  std::string task = call_task(search.calls, place);
  if (task.empty()) task = task_of(request.recent);
  const Tokenizer& tokenizer = engine.tokenizer();
  Result<std::vector<PromptPart>> parts =
      chat_prompt(tokenizer, conversation.ask(task, region.text()));
  if (!parts) return parts.error();
  parts->push_back({opening, false});
  Result<std::vector<TokenId>> tokens = engine.prompt_encoder(Purpose::kNextEdit).encode(*parts);
  if (!tokens) return tokens.error();
  prompt.tokens = std::move(*tokens);
  prompt.original = tokenizer.encode(region.text());
  const std::vector<TokenId> closing = tokenizer.encode(prompt.fence);
  prompt.original.insert(prompt.original.end(), closing.begin(), closing.end());
  prompt.stop_tokens = end_of_turn_tokens(tokenizer);
  return prompt;
}

// The lines that the model writes, up to the closing fence.
class WrittenLines {
 public:
  WrittenLines(const Tokenizer& tokenizer, const std::string& fence)
      : tokenizer_(tokenizer), output_(fence) {}

  bool add(TokenId token) {
    take(output_.add(tokenizer_.bytes(token)));
    return !output_.closed();
  }
  void finish() { take(output_.end()); }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void take(std::vector<std::string> lines) {
    std::move(lines.begin(), lines.end(), std::back_inserter(lines_));
  }

  const Tokenizer& tokenizer_;
  FencedOutput output_;
  std::vector<std::string> lines_;
};

// Of what the model wrote, what may be shown.
std::vector<TextEdit> edits_that_follow(const EditRegion& region, const NextEditRequest& request,
                                        const ChangedCalls& calls,
                                        const std::vector<std::string>& written) {
  const Span span("diff");
  const std::vector<std::string_view> after(written.begin(), written.end());
  std::vector<TextEdit> edits;
  for (const LineChange& change : diff_lines(region.lines(), after)) {
    TextEdit edit = region.edit(change);
    const CallVerdict verdict = verdict_on(calls, region.document(), edit);
    if (verdict == CallVerdict::kUnsound) continue;
    std::vector<std::string> before;
    for (int line = change.old_begin; line < change.old_end; ++line)
      before.emplace_back(region.lines()[static_cast<std::size_t>(line)]);
    if (verdict == CallVerdict::kSound || follows_from(request.recent, before, change.new_lines))
      edits.push_back(std::move(edit));
  }
  return edits;
}

int max_new_tokens(const RegionPrompt& prompt) {
  return static_cast<int>(prompt.original.size()) + kRoom;
}

bool fits(const Engine& engine, const RegionPrompt& prompt) {
  return static_cast<int>(prompt.tokens.size()) + max_new_tokens(prompt) <= engine.context_length();
}

// Adds to `result` the model's changes in the region.
Result<void> look_at(Engine& engine, const NextEditRequest& request, const ChangedCalls& calls,
                     RegionPrompt prompt, const std::stop_token& stop, NextEditResult& result) {
  if (!fits(engine, prompt)) return {};
  const EditRegion& region = prompt.region;
  WrittenLines written(engine.tokenizer(), prompt.fence);
  DecodeRequest decode;
  decode.max_new_tokens = max_new_tokens(prompt);
  decode.prompt = std::move(prompt.tokens);
  decode.original = std::move(prompt.original);
  decode.stop_tokens = std::move(prompt.stop_tokens);
  if (region.shared_document() == request.documents.front())  // the others are beside it
    decode.rest_of_file =
        engine.rest_of_file(Purpose::kNextEdit, region.document(), region.range());
  decode.open_files = engine.open_files(request.beside);
  decode.repository = request.repository;
  decode.on_progress = [&](const DecodeStatistics&) {
    if (request.on_pass) request.on_pass();
  };
  const Result<DecodeResult> decoded = engine.decode(
      Purpose::kNextEdit, request.decoder, decode,
      [&](TokenId token) { return written.add(token); }, stop);
  if (!decoded) return decoded.error();
  ++result.regions;
  result.statistics += decoded->statistics;
  result.finish_reason = decoded->finish_reason;
  if (decoded->finish_reason == FinishReason::kCancelled) return {};
  if (decoded->finish_reason == FinishReason::kLength) return {};  // it writes something else
  if (decoded->finish_reason == FinishReason::kStop) written.finish();
  result.edits = edits_that_follow(region, request, calls, written.lines());
  return {};
}

bool overlap(const NextPlace& a, const NextPlace& b) {
  return a.document == b.document && a.first_line < b.end_line && b.first_line < a.end_line;
}

// Of a place of calls, what the model is told and shows.
std::size_t hash_of(const ChangedCalls& calls, const NextPlace& place) {
  const LineIndex& lines = place.document->lines();
  const std::size_t begin = lines.start(place.first_line), end = lines.start(place.end_line);
  return std::hash<std::string>()(place.document->uri() + '\0' + call_task(calls, place) + '\0' +
                                  place.document->text().substr(begin, end - begin));
}

NextEditSearch search_for(const NextEditRequest& request, ChangedCalls calls) {
  NextEditSearch search{.calls = std::move(calls), .places = {}, .quiet = {}};
  const auto add = [&](const std::vector<NextPlace>& places) {
    const std::vector<NextPlace> before = search.places;
    for (const NextPlace& place : places) {
      const bool is_new = std::ranges::none_of(
          before, [&](const NextPlace& other) { return overlap(place, other); });
      if (is_new && std::ssize(search.places) < request.max_regions) search.places.push_back(place);
    }
  };
  const auto add_calls = [&](bool certain) {
    std::vector<NextPlace> places = call_places(search.calls, certain);
    std::erase_if(places, [&](const NextPlace& place) {
      return request.memory && request.memory->fruitless.contains(hash_of(search.calls, place));
    });
    add(places);
  };
  add_calls(true);
  if (!request.recent.empty())
    add(next_places(request.recent, request.documents, request.max_regions));
  add_calls(false);
  if (search.places.empty() || request.recent.empty()) return search;
  search.quiet =
      quiet_lines(request.recent, search.places, request.memory ? request.memory->quiet : "");
  if (request.memory) request.memory->quiet = search.quiet;
  return search;
}

void remember_fruitless(const NextEditRequest& request, const NextEditSearch& search,
                        const NextPlace& place) {
  if (!request.memory || call_task(search.calls, place).empty()) return;
  std::set<std::size_t>& fruitless = request.memory->fruitless;
  if (fruitless.size() >= kMaxFruitless) fruitless.clear();
  fruitless.insert(hash_of(search.calls, place));
}

// What follows for certain: calls of a function whose parameters were swapped or removed.
std::optional<NextEditResult> next_edit_by_tree(const NextEditRequest& request,
                                                const ChangedCalls& calls) {
  TreeEdits found = edits_by_tree(calls, request.is_unwanted);
  if (!found.document) return std::nullopt;
  NextEditResult result;
  result.document = std::move(found.document);
  result.edits = std::move(found.edits);
  result.note = calls.note();
  result.by_tree = true;
  return result;
}

FindFiles files_of(const NextEditRequest& request, const std::stop_token& stop) {
  if (!request.index || !request.memory) return {};
  return
      [&request, &stop](const std::set<std::string>& names, const std::set<std::string>& families) {
        std::set<std::filesystem::path> open;
        for (const auto& document : request.documents) {
          std::error_code error;
          if (const auto path = path_of_uri(document->uri()))
            open.insert(std::filesystem::weakly_canonical(*path, error));
        }
        return request.memory->files.find(*request.index, names, families, open, stop);
      };
}

// Why nothing is proposed, with what was looked for.
std::string noting(const std::string& note, const char* why) {
  return note.empty() ? why : note + "; " + why;
}

}  // namespace

bool follows_from(const std::vector<RecentChange>& recent, const std::vector<std::string>& before,
                  const std::vector<std::string>& after) {
  const WordChange change = word_change(before, after);
  const WordChange made = word_change(recent);
  const auto count = [](const std::set<std::string>& words, const auto& counts) {
    return static_cast<double>(std::ranges::count_if(words, counts));
  };
  const auto in = [](const std::set<std::string>& words) {
    return [&](const std::string& word) { return is_word(word) && words.contains(word); };
  };
  const auto explained = [&](const std::set<std::string>& words, const std::set<std::string>& by) {
    return count(words, in(by)) >= kMinExplained * count(words, is_word);
  };
  if (count(change.added, is_word) + count(change.removed, is_word) == 0) return false;
  if (!explained(change.added, made.added) || !explained(change.removed, made.removed))
    return false;
  const auto turned_back = [&](const std::string& word) {
    return (change.added.contains(word) && made.removed.contains(word) &&
            !made.added.contains(word)) ||
           (change.removed.contains(word) && made.added.contains(word) &&
            !made.removed.contains(word));
  };
  return count(change.added, turned_back) + count(change.removed, turned_back) == 0;
}

bool NextEditRequest::is_anything_changed() const {
  for (std::size_t i = 0; i < std::min(documents.size(), origins.size()); ++i) {
    if (is_changed(*documents[i], origins[i])) return true;
  }
  return !recent.empty();
}

NextEditPlan plan_next_edit(const NextEditRequest& request, const std::stop_token& stop) {
  const Span span("plan");
  ChangedCalls calls =
      find_changed_calls(request.documents, request.origins, files_of(request, stop), stop);
  if (std::optional<NextEditResult> result = next_edit_by_tree(request, calls))
    return {.result = std::move(result), .search = {}};
  NextEditPlan plan{.result = {}, .search = search_for(request, std::move(calls))};
  if (!plan.search.places.empty()) return plan;
  NextEditResult& none = plan.result.emplace();
  none.note = plan.search.calls.note();
  none.why_none =
      noting(none.note, request.recent.empty() ? "nothing was changed lately"
                                               : "nothing else looks like what was changed");
  return plan;
}

Result<NextEditResult> run_next_edit(Engine& engine, const NextEditRequest& request,
                                     const NextEditSearch& search, const std::stop_token& stop) {
  NextEditResult result;
  result.note = search.calls.note();
  for (const NextPlace& place : search.places) {
    Result<RegionPrompt> prompt = prompt_for(engine, request, search, place);
    if (!prompt) return prompt.error();
    if (const Result<void> looked =
            look_at(engine, request, search.calls, std::move(*prompt), stop, result);
        !looked)
      return looked.error();
    if (result.finish_reason == FinishReason::kCancelled) return result;
    if (result.edits.empty()) {
      remember_fruitless(request, search, place);
      continue;
    }
    result.document = place.document;
    return result;
  }
  result.why_none = noting(result.note, "the model sees nothing that has to follow");
  return result;
}

Result<void> read_next_edit_ahead(Engine& engine, const NextEditRequest& request,
                                  const std::function<void(int known)>& on_chunk,
                                  const std::stop_token& stop) {
  const NextEditPlan plan = plan_next_edit(request, stop);
  if (plan.result || stop.stop_requested()) return {};
  std::vector<std::vector<TokenId>> prompts;
  for (const NextPlace& place : plan.search.places) {
    Result<RegionPrompt> prompt = prompt_for(engine, request, plan.search, place);
    if (!prompt) return prompt.error();
    if (fits(engine, *prompt)) prompts.push_back(std::move(prompt->tokens));
  }
  engine.read_ahead(prompts, on_chunk, stop);
  return {};
}

}  // namespace redraft
