#include "workspace/next_edit/next_edit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "indexing/files/git_work_tree.h"
#include "languages/languages.h"
#include "support/trace/trace.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/diff.h"
#include "workspace/documents/file_uri.h"
#include "workspace/next_edit/call_verdict.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/line_rewrite.h"
#include "workspace/next_edit/literal_changes.h"
#include "workspace/next_edit/next_place.h"
#include "workspace/next_edit/place_prompt.h"
#include "workspace/next_edit/repeated_change.h"
#include "workspace/next_edit/rest_of_block.h"

namespace redraft {
namespace {

// Models find something to improve everywhere. So this share of the words that a change removes
// must be words that the user removed, and likewise for the words that it adds.
constexpr double kMinExplained = 0.6;
constexpr std::size_t kMaxFruitless = 256;
// The number of lines changed by the user with which a change is compared.
constexpr std::size_t kMaxPairs = 32;
// The number of tokens by which a region may grow.
constexpr int kRoom = 96;

// The probability of a change that begins at this line of the output, as a natural logarithm. For a
// deletion, the probability of the line that the model wrote instead.
double log_probability_of(const WrittenLines& written, int line, const LineChange& change) {
  const std::vector<double>& lines = written.log_probabilities;
  const auto begin = static_cast<std::size_t>(line);
  const std::size_t end =
      std::min(begin + std::max<std::size_t>(change.new_lines.size(), 1), lines.size());
  return begin < end ? std::accumulate(&lines[begin], &lines[0] + end, 0.0) : 0;
}

// Whether an import or a definition at the left margin would be in the file twice.
bool adds_again(const std::vector<std::string_view>& file, const EditRegion& region,
                const WrittenLines& written, const LineChange& change) {
  static const std::vector<std::string_view> words = words_of_all(&Language::declaring_words);
  return std::ranges::any_of(change.new_lines, [&](const std::string& line) {
    const std::vector<std::string_view> pieces = words_of(line);
    const auto first = std::ranges::find_if(pieces, is_word);
    return first != pieces.end() && std::ranges::find(words, *first) != words.end() &&
           trimmed(line).front() == line[0] &&
           std::ranges::count(file, line) - std::ranges::count(region.lines(), line) +
                   std::ranges::count(written.lines, line) >
               1;
  });
}

// Adds the part of the model's output that may be shown to `result`. Its note stays if it is about
// one of these edits.
void add_edits_that_follow(const EditRegion& region, const NextEditRequest& request,
                           const NextEditSearch& search, const WrittenLines& written,
                           NextEditResult& result) {
  const Span span("diff");
  const std::vector<std::string_view> after(written.lines.begin(), written.lines.end());
  const Result<EditRegion> file = EditRegion::make(region.shared_document(), EditScope::kFile, {});
  if (!file) return;
  const LiteralChanges literals(request.recent);
  bool is_any_sound = false;
  int shift = 0;
  for (const LineChange& change : diff_lines(region.lines(), after)) {
    const int begin = change.old_begin + shift;
    shift += static_cast<int>(change.new_lines.size()) - (change.old_end - change.old_begin);
    TextEdit edit = region.edit(change);
    const CallVerdict verdict = verdict_on(search.calls, region.document(), edit);
    if (verdict == CallVerdict::kUnsound) continue;
    std::vector<std::string> before;
    for (int line = change.old_begin; line < change.old_end; ++line)
      before.emplace_back(region.lines()[static_cast<std::size_t>(line)]);
    const bool is_sound = verdict == CallVerdict::kSound;
    if (!is_sound && (adds_again(file->lines(), region, written, change) ||
                      !follows_from(request.recent, before, change.new_lines) ||
                      literals.is_by_chance(before, change.new_lines) ||
                      search.names->changes_others(region.document(), edit)))
      continue;
    if (is_sound ||
        log_probability_of(written, begin, change) >= std::log(request.min_probability)) {
      result.edits.push_back(std::move(edit));
      is_any_sound = is_any_sound || is_sound;
    } else {
      result.is_unsure = true;
    }
  }
  if (!result.edits.empty() && !is_any_sound) result.note.clear();
}

int max_new_tokens(const PlacePrompt& prompt) {
  return static_cast<int>(prompt.original.size()) + kRoom;
}

bool fits(const Engine& engine, const PlacePrompt& prompt) {
  return static_cast<int>(prompt.tokens.size()) + max_new_tokens(prompt) <= engine.context_length();
}

// Adds the model's changes in the place to `result`.
Result<void> look_at(Engine& engine, const NextEditRequest& request, const NextEditSearch& search,
                     PlacePrompt prompt, const std::stop_token& stop, NextEditResult& result) {
  if (!fits(engine, prompt)) return {};
  const EditRegion& region = prompt.region;
  PlaceAnswer answer(engine.tokenizer(), prompt);
  DecodeRequest decode;
  decode.max_new_tokens = max_new_tokens(prompt);
  decode.prompt = std::move(prompt.tokens);
  decode.original = std::move(prompt.original);
  decode.stop_tokens = std::move(prompt.stop_tokens);
  if (region.shared_document() == request.documents.front())  // the others are in `beside`
    decode.rest_of_file =
        engine.rest_of_file(Purpose::kNextEdit, region.document(), region.range());
  decode.open_files = engine.open_files(request.beside);
  decode.repository = request.repository;
  // Lossy decoders and some engines do not report the probabilities of tokens.
  double log_probability = 0;  // of the token that the sink is about to take
  if (request.min_probability > 0 && request.decoder.lossless() && engine.reports_probabilities() &&
      prompt.format == nullptr) {
    decode.log_probabilities = 0;
    decode.on_emitted = [&](const EmittedToken& token) {
      log_probability = token.log_probability->log_probability;
    };
  }
  decode.on_progress = [&](const DecodeStatistics&) {
    if (request.on_pass) request.on_pass();
  };
  const Result<DecodeResult> decoded = engine.decode(
      Purpose::kNextEdit, request.decoder, decode,
      [&](TokenId token) { return answer.add(token, log_probability); }, stop);
  if (!decoded) return decoded.error();
  ++result.regions;
  result.statistics += decoded->statistics;
  result.finish_reason = decoded->finish_reason;
  if (const auto lines = answer.lines(decoded->finish_reason))
    add_edits_that_follow(region, request, search, *lines, result);
  return {};
}

bool overlap(const NextPlace& a, const NextPlace& b) {
  return a.document == b.document && a.first_line < b.end_line && b.first_line < a.end_line;
}

// Identifies, for a place of calls, what the model is told and shown.
std::size_t hash_of(const ChangedCalls& calls, const NextPlace& place) {
  const LineIndex& lines = place.document->lines();
  const std::size_t begin = lines.start(place.first_line), end = lines.start(place.end_line);
  return std::hash<std::string>()(place.document->uri() + '\0' + call_task(calls, place) + '\0' +
                                  place.document->text().substr(begin, end - begin));
}

NextEditSearch search_for(const NextEditRequest& request, ChangedCalls calls,
                          std::shared_ptr<const NameChanges> names) {
  NextEditSearch search{
      .calls = std::move(calls), .names = std::move(names), .places = {}, .quiet = {}};
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
    add(next_places(request.recent, request.documents, *search.names, request.max_regions));
  add_calls(false);
  if (search.places.empty() || request.recent.empty()) return search;
  search.quiet =
      quiet_lines(request.recent, search.places, request.memory ? request.memory->quiet : "");
  return search;
}

void remember_fruitless(const NextEditRequest& request, const NextEditSearch& search,
                        const NextPlace& place) {
  if (!request.memory || call_task(search.calls, place).empty()) return;
  std::set<std::size_t>& fruitless = request.memory->fruitless;
  if (fruitless.size() >= kMaxFruitless) fruitless.clear();
  fruitless.insert(hash_of(search.calls, place));
}

// The certain follow-ups: calls of a function whose parameters were swapped or removed, and uses of
// what was renamed.
std::optional<NextEditResult> next_edit_by_tree(const NextEditRequest& request,
                                                const ChangedCalls& calls,
                                                const NameChanges& names) {
  TreeEdits found = edits_by_tree(calls, request.is_unwanted);
  const bool are_calls = found.document != nullptr;
  if (!are_calls) found = names.uses_left(request.is_unwanted);
  if (!found.document) return std::nullopt;
  NextEditResult result;
  result.document = std::move(found.document);
  result.edits = std::move(found.edits);
  result.note = are_calls ? calls.note() : "the other uses of what you renamed";
  result.by_tree = true;
  return result;
}

NextEditResult without_model(CertainEdit found, const char* note) {
  NextEditResult result;
  result.document = std::move(found.document);
  result.edits = {std::move(found.edit)};
  result.note = note;
  return result;
}

// The follow-ups that the changes themselves show. It is known which calls must change, so they
// need no example.
std::optional<NextEditResult> next_edit_by_example(const NextEditRequest& request,
                                                   const ChangedCalls& calls,
                                                   const NameChanges& names,
                                                   const std::stop_token& stop) {
  const IsUnwanted is_unwanted = [&](const Document& document, const TextEdit& edit) {
    return (request.is_unwanted && request.is_unwanted(document, edit)) ||
           names.changes_others(document, edit);
  };
  if (auto found = find_rest_of_block(request.recent, request.is_unwanted))
    return without_model(
        std::move(*found),
        "the rest of the statement, indented like its beginning (found without the model)");
  std::set<std::string> known;
  for (const ChangedFunction& function : calls.functions) known.insert(function.change.after.name);
  if (auto found =
          find_repeated_change(request.recent, request.documents, known, is_unwanted, stop))
    return without_model(std::move(*found),
                         "changed like other lines before (found without the model)");
  return std::nullopt;
}

// Whether two documents are in different work trees of a repository: two versions of its code, so a
// change of one has no consequence in the other.
bool are_two_versions(const Document& document, const Document& other) {
  const auto path = path_of_uri(document.uri()), place = path_of_uri(other.uri());
  return path && place && are_in_two_work_trees(*path, *place);
}

FindFiles files_of(const NextEditRequest& request, const std::stop_token& stop) {
  if (!request.index || !request.memory || request.documents.empty()) return {};
  return
      [&request, &stop](const std::set<std::string>& names, const std::set<std::string>& families) {
        std::set<std::filesystem::path> open;
        for (const auto& document : request.documents) {
          std::error_code error;
          if (const auto path = path_of_uri(document->uri()))
            open.insert(std::filesystem::weakly_canonical(*path, error));
        }
        auto found = request.memory->files.find(*request.index, names, families, open, stop);
        std::erase_if(found, [&](const auto& document) {
          return are_two_versions(*request.documents.front(), *document);
        });
        return found;
      };
}

// Whether lines are the same with other indentation.
bool is_indented_anew(const std::vector<std::string>& before,
                      const std::vector<std::string>& after) {
  return std::ranges::any_of(before, [&](const std::string& line) {
    const std::string_view text = trimmed(line);
    const auto same = [&](const std::string& other) { return other == line; };
    const auto moved = [&](const std::string& other) { return trimmed(other) == text; };
    return !text.empty() && std::ranges::none_of(after, same) && std::ranges::any_of(after, moved);
  });
}

// Whether each of the lines is changed in the same way as one that the user changed, with other
// words in the same positions.
bool is_alike(const std::vector<RecentChange>& recent, const std::vector<std::string>& before,
              const std::vector<std::string>& after) {
  if (before.size() != after.size()) return false;
  const std::vector<LinePair> made = line_pairs(recent, kMaxPairs);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const LinePair pair{.change = nullptr,
                        .line = 0,
                        .before = std::string(trimmed(before[i])),
                        .after = std::string(trimmed(after[i]))};
    if (pair.before != pair.after && std::ranges::none_of(made, [&](const LinePair& each) {
          return LineRewrite::learn(each, pair).has_value();
        }))
      return false;
  }
  return true;
}

// Why nothing is proposed, and what was searched.
std::string noting(const std::string& note, const std::string& why) {
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
  if ((!explained(change.added, made.added) || !explained(change.removed, made.removed)) &&
      !is_alike(recent, before, after))
    return false;
  if (is_indented_anew(before, after) && std::ranges::none_of(recent, [](const RecentChange& each) {
        return is_indented_anew(each.before, each.after);
      }))
    return false;
  const auto turned_back = [&](const std::string& word) {
    return is_word(word) && ((change.added.contains(word) && made.removed.contains(word) &&
                              !made.added.contains(word)) ||
                             (change.removed.contains(word) && made.added.contains(word) &&
                              !made.removed.contains(word)));
  };
  return count(change.added, turned_back) + count(change.removed, turned_back) == 0;
}

bool NextEditRequest::is_anything_changed() const {
  for (std::size_t i = 0; i < std::min(documents.size(), origins.size()); ++i) {
    if (is_changed(*documents[i], origins[i])) return true;
  }
  return !recent.empty();
}

NextEditRequest next_edit_request(const OpenDocuments& documents, const std::string& uri) {
  NextEditRequest request;
  request.recent = documents.recent_changes();
  request.documents = documents.from(uri);
  if (const auto document = documents.find(uri)) {
    std::erase_if(request.documents,
                  [&](const auto& other) { return are_two_versions(*document, *other); });
    std::erase_if(request.recent, [&](const RecentChange& change) {
      return are_two_versions(*document, *change.document);
    });
  }
  for (const auto& document : request.documents)
    request.origins.push_back(documents.origin_of(document));
  request.beside = documents.beside(uri);
  return request;
}

NextEditPlan plan_next_edit(const NextEditRequest& request, const std::stop_token& stop) {
  const Span span("plan");
  ChangedCalls calls =
      find_changed_calls(request.documents, request.origins, files_of(request, stop), stop);
  auto names = std::make_shared<const NameChanges>(request.recent);
  if (std::optional<NextEditResult> result = next_edit_by_tree(request, calls, *names))
    return {.result = std::move(result), .search = {}};
  if (std::optional<NextEditResult> result = next_edit_by_example(request, calls, *names, stop))
    return {.result = std::move(result), .search = {}};
  NextEditPlan plan{.result = {},
                    .search = search_for(request, std::move(calls), std::move(names))};
  if (!plan.search.places.empty()) return plan;
  NextEditResult& none = plan.result.emplace();
  none.note = plan.search.calls.note();
  none.why_none =
      noting(none.note, request.recent.empty() ? "there are no recent changes"
                                               : "no other code looks like the changed code");
  return plan;
}

Result<NextEditResult> run_next_edit(Engine& engine, const NextEditRequest& request,
                                     const NextEditSearch& search, const std::stop_token& stop) {
  NextEditResult result;
  result.note = search.calls.note();
  // Reading ahead leaves no trace here: it must not change what a request shows.
  if (request.memory && !search.quiet.empty()) request.memory->quiet = search.quiet;
  const Result<const NextEditFormat*> format = format_of(engine, request);
  if (!format) return format.error();
  std::string refused;
  for (const NextPlace& place : search.places) {
    Result<PlacePrompt> prompt = place_prompt(engine, request, search, place, *format);
    if (!prompt) return prompt.error();
    if (!prompt->refused.empty()) {
      refused = prompt->refused;
      continue;
    }
    if (const Result<void> looked =
            look_at(engine, request, search, std::move(*prompt), stop, result);
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
  const char* nothing = result.is_unsure ? "the model is not sure enough of what follows"
                                         : "the model found no follow-up change";
  result.why_none =
      noting(result.note, result.regions == 0 && !refused.empty() ? refused : nothing);
  return result;
}

Result<void> read_next_edit_ahead(Engine& engine, const NextEditRequest& request,
                                  const std::function<void(int known)>& on_chunk,
                                  const std::stop_token& stop) {
  const NextEditPlan plan = plan_next_edit(request, stop);
  if (plan.result || stop.stop_requested()) return {};
  const Result<const NextEditFormat*> format = format_of(engine, request);
  if (!format) return format.error();
  std::vector<std::vector<TokenId>> prompts;
  for (const NextPlace& place : plan.search.places) {
    Result<PlacePrompt> prompt = place_prompt(engine, request, plan.search, place, *format);
    if (!prompt) return prompt.error();
    if (prompt->refused.empty() && fits(engine, *prompt))
      prompts.push_back(std::move(prompt->tokens));
  }
  engine.read_ahead(prompts, on_chunk, stop);
  return {};
}

}  // namespace redraft
