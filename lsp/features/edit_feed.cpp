#include "lsp/features/edit_feed.h"

#include <algorithm>
#include <set>
#include <utility>

#include "lsp/features/instruction_comment.h"
#include "lsp/features/statistics_json.h"
#include "lsp/wire/convert.h"
#include "support/log/log.h"

namespace redraft::lsp {
namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(50);

const char* to_string(EditOutcome outcome) {
  switch (outcome) {
    case EditOutcome::kDone:
      return "done";
    case EditOutcome::kCancelled:
      return "cancelled";
    case EditOutcome::kFailed:
      return "failed";
  }
  return "";
}

Json edits_json(const Document& document, const std::vector<TextEdit>& edits, Encoding encoding) {
  Json list = Json::array();
  for (const TextEdit& edit : edits) {
    list.push_back(
        {{"range", to_range(document, edit.range, encoding)}, {"newText", edit.new_text}});
  }
  return list;
}

// The waiting hunks that a request is about, and those that it leaves.
struct Chosen {
  std::vector<int> ids;
  Json left = Json::array();
};

// A request to accept all means those without a doubt, unless it says more.
Chosen choose(const std::vector<LiveHunk>& hunks, const ResolveEditParams& params) {
  const bool is_of_certain = params.accept && !params.hunk_ids && !params.doubtful;
  Chosen chosen;
  for (const LiveHunk& live : hunks) {
    const Hunk& hunk = live.hunk;
    if (is_of_certain && !hunk.doubt.empty()) {
      chosen.left.push_back({{"hunkId", hunk.id}, {"reason", hunk.doubt}});
    } else if (!params.hunk_ids || std::ranges::count(*params.hunk_ids, hunk.id) > 0) {
      chosen.ids.push_back(hunk.id);
    }
  }
  return chosen;
}

std::string count_of(std::size_t n_changes) {
  return n_changes == 1 ? "1 change" : std::to_string(n_changes) + " changes";
}

// The result of workspace/applyEdit; null for an error. Only an explicit true counts as success.
bool was_applied(const Json* result) {
  if (result == nullptr || !result->is_object()) return false;
  const auto applied = result->find("applied");
  return applied != result->end() && applied->is_boolean() && applied->get<bool>();
}

std::string message_of(const EditProgress& progress) {
  const DecodeStatistics& statistics = progress.statistics;
  std::string written = std::to_string(statistics.new_tokens) + " tokens";
  if (progress.thinking) return "thinking, " + written;
  if (!progress.reading()) return written;
  const int read = statistics.cached_prompt_tokens + statistics.prefilled_tokens;
  return "reading, " + std::to_string(read) + " of " + std::to_string(statistics.prompt_tokens) +
         " tokens";
}

// The instruction comment that `action` names has been carried out, so it is removed.
std::vector<TextEdit> with_comment_removed(const Document& document, std::vector<TextEdit> edits,
                                           const Json& action) {
  const Json::json_pointer data("/data");
  const Json::json_pointer line = data / kCommentLine;
  const Json::json_pointer instruction = data / "instruction";
  const bool is_said = action.contains(line) && action[line].is_number_unsigned() &&
                       action[line].get<std::uint64_t>() <= INT32_MAX &&
                       action.contains(instruction) && action[instruction].is_string();
  if (!is_said) return edits;
  return remove_comment(document, std::move(edits), action[instruction].get<std::string>(),
                        action[line].get<int>());
}

Json lines_json(const std::optional<LinesPassed>& lines) {
  return lines ? Json{{"passed", lines->passed}, {"of", lines->of}} : Json();
}

// What the user can do about an edit that changed nothing.
Json hint_about(const EditResult* result) {
  if (result == nullptr || !result->hunks.empty() || result->is_placed()) return {};
  if (!result->why_carried_out.empty())
    return "nothing had to be changed: " + result->why_carried_out;
  if (!result->has_retries) return "the model changed nothing. Rephrase the instruction";
  const bool is_whole_file = result->region.size() >= result->text.size();
  if (is_whole_file)
    return "the model changed nothing. Rephrase the instruction, or request another try";
  return "the model changed nothing. You can widen the region, rephrase the instruction, or "
         "request another try";
}

}  // namespace

void EditFeed::start(EditId id, Delivery delivery) {
  Recipient& recipient = recipients_[id];
  recipient.streamed = client_.streamed_edits && !delivery.reply;
  recipient.delivery = std::move(delivery);
}

EditFeed::Recipient* EditFeed::find(EditId id) {
  const auto found = recipients_.find(id);
  return found == recipients_.end() ? nullptr : &found->second;
}

void EditFeed::notify(EditId id, Recipient& recipient, const char* kind, Json params) {
  params["editId"] = id;
  params["seq"] = recipient.next_seq++;
  params["kind"] = kind;
  connection_->notify("$/redraft/edit", std::move(params));
}

void EditFeed::on_region(EditId id, const Document& document, ByteRange region) {
  Recipient* recipient = find(id);
  if (recipient == nullptr || !recipient->streamed) return;
  notify(id, *recipient, "region",
         {{"uri", document.uri()},
          {"version", document.version()},
          {"range", to_range(document, region, client_.encoding)}});
}

// Does nothing if the file is small enough to be edited as a whole: there was no choice.
void EditFeed::on_places(EditId id, const Document& document, const ChosenPlaces& places) {
  Recipient* recipient = find(id);
  if (recipient == nullptr || !recipient->streamed || places.whole_file) return;
  const auto list = [&](const std::vector<EditPlace>& named) {
    Json json = Json::array();
    for (const EditPlace& place : named) {
      json.push_back(
          {{"range", to_range(document, place.range, client_.encoding)}, {"name", place.name}});
    }
    return json;
  };
  notify(id, *recipient, "places",
         {{"uri", document.uri()},
          {"version", document.version()},
          {"chosen", list(places.chosen)},
          {"others", list(places.others)},
          {"parts", places.n_parts}});
}

void EditFeed::on_hunk(EditId id, const LiveHunk& live) {
  Recipient* recipient = find(id);
  if (recipient == nullptr || !recipient->streamed) return;
  if (live.dropped) {
    notify(id, *recipient, "dropped",
           {{"hunkId", live.hunk.id}, {"reason", live.reason}, {"replaced", false}});
    return;
  }
  const std::shared_ptr<const Document> document = workspace_.document_of(id);
  const Range range = to_range(*document, live.hunk.edit.range, client_.encoding);
  recipient->places[live.hunk.id] = range;
  usage_.count(UsageEvent::kHunkShown);
  notify(id, *recipient, "hunk",
         {{"hunkId", live.hunk.id},
          {"uri", document->uri()},
          {"version", live.version},
          {"range", range},
          {"oldText", live.hunk.old_text},
          {"newText", live.hunk.edit.new_text},
          {"decidedBy", redraft::to_string(live.hunk.origin.decided_by)},
          {"doubt", live.hunk.doubt.empty() ? Json() : Json(live.hunk.doubt)}});
}

void EditFeed::on_hunks_changed(EditId id, const std::vector<LiveHunk>& hunks) {
  Recipient* recipient = find(id);
  if (recipient == nullptr || !recipient->streamed) return;
  const std::shared_ptr<const Document> document = workspace_.document_of(id);
  Json moved = Json::array();
  for (const LiveHunk& live : hunks) {
    if (live.dropped) {
      recipient->places.erase(live.hunk.id);
      notify(id, *recipient, "dropped",
             {{"hunkId", live.hunk.id}, {"reason", live.reason}, {"replaced", live.replaced}});
    } else {
      const Range range = to_range(*document, live.hunk.edit.range, client_.encoding);
      if (std::exchange(recipient->places[live.hunk.id], range) == range) continue;
      moved.push_back({{"hunkId", live.hunk.id}, {"range", range}});
    }
  }
  if (moved.empty()) return;
  notify(id, *recipient, "moved",
         {{"uri", document->uri()}, {"version", document->version()}, {"hunks", std::move(moved)}});
}

void EditFeed::on_progress(EditId id, const EditProgress& progress) {
  Recipient* recipient = find(id);
  const auto now = std::chrono::steady_clock::now();
  if (recipient == nullptr || connection_->congested() ||
      now - recipient->last_progress < kProgressInterval)
    return;
  recipient->last_progress = now;
  if (const auto& shown = recipient->delivery.progress)
    shown->report(progress.fraction, message_of(progress));
  if (recipient->streamed) {
    notify(id, *recipient, "progress",
           {{"fraction", progress.fraction},
            {"lines", lines_json(progress.lines)},
            {"thinking", progress.thinking},
            {"statistics", statistics_json(progress.statistics)}});
  }
}

void EditFeed::on_end(EditId id, EditOutcome outcome, const EditResult* result,
                      const std::string& error) {
  Recipient* recipient = find(id);
  if (recipient == nullptr) return;
  recipient->delivery.progress.reset();
  logging::info("edit {} {}", id, to_string(outcome));
  if (!recipient->streamed) {
    deliver(id, std::move(recipient->delivery), outcome, result, error);
    return;
  }
  notify(
      id, *recipient, "end",
      {{"state", to_string(outcome)},
       {"finishReason",
        result == nullptr ? Json() : Json(redraft::to_string(result->finish_reason))},
       {"error", error.empty() ? Json() : Json(error)},
       {"doubts", doubts_json(id, result)},
       {"tidied", result == nullptr ? std::vector<std::string>() : result->tidied},
       {"placed", result != nullptr && result->is_placed()},
       {"renamed", result != nullptr && result->is_renamed()},
       {"hint", outcome == EditOutcome::kDone ? hint_about(result) : Json()},
       {"otherTries", result != nullptr && result->has_retries},
       {"promptSize",
        result != nullptr && result->prompt_size ? Json(to_string(*result->prompt_size)) : Json()},
       {"statistics", result == nullptr ? Json() : statistics_json(result->statistics)}});
}

Json EditFeed::doubts_json(EditId id, const EditResult* result) const {
  Json list = Json::array();
  if (result == nullptr) return list;
  const LiveEdit* edit = workspace_.live_edit(id);
  const bool keeps_first = edit != nullptr && edit->keeps_first;
  const std::vector<Hunk>& hunks = keeps_first ? result->hunks_before : result->hunks;
  std::set<int> named;  // ids
  for (const Doubt& doubt : keeps_first ? result->doubts_before : result->doubts) {
    Json ids = Json::array();
    for (const int i : doubt.edits) {
      ids.push_back(hunks[static_cast<std::size_t>(i)].id);
      named.insert(hunks[static_cast<std::size_t>(i)].id);
    }
    list.push_back({{"reason", doubt.reason}, {"hunkIds", std::move(ids)}});
  }
  for (const Hunk& hunk : hunks) {  // these go with others
    if (!hunk.doubt.empty() && !named.contains(hunk.id))
      list.push_back({{"reason", hunk.doubt}, {"hunkIds", Json::array({hunk.id})}});
  }
  return list;
}

// The edit is over once its hunks are resolved; only `delivery` is left of its recipient.
void EditFeed::deliver(EditId id, Delivery delivery, EditOutcome outcome, const EditResult* result,
                       const std::string& error) {
  if (outcome == EditOutcome::kDone) {
    deliver_done(id, std::move(delivery), result);
    return;
  }
  // No client will request the hunks that came before the end.
  std::int64_t version = 0;
  (void)workspace_.resolve(id, std::nullopt, &version);
  const std::optional<Reply>& reply = delivery.reply;
  if (outcome == EditOutcome::kCancelled) {
    if (reply) {
      reply->fail(ErrorCode::kRequestCancelled, error.empty() ? "the edit was cancelled" : error);
    } else if (!error.empty()) {  // no client waits for its end
      connection_->show_message(MessageType::kInfo, "redraft: the edit was cancelled: " + error);
    }
  } else if (reply) {
    reply->fail(ErrorCode::kRequestFailed, error);
  } else if (!model_.told_failure()) {  // the user has been told already
    connection_->show_message(MessageType::kError, "redraft: " + error);
  }
}

void EditFeed::deliver_done(EditId id, Delivery delivery, const EditResult* result) {
  const std::shared_ptr<const Document> document = workspace_.document_of(id);
  const int n_dropped = workspace_.live_edit(id)->n_dropped;
  const std::size_t n_waiting = workspace_.live_edit(id)->hunks.size();
  const std::optional<Reply>& reply = delivery.reply;
  const bool is_void = reply && n_dropped > 0;
  Result<std::vector<TextEdit>> edits = take(id, delivery.takes_doubtful || is_void);
  const std::size_t n_left = edits ? n_waiting - edits->size() : 0;
  if (edits && !edits->empty())
    *edits = with_comment_removed(*document, std::move(*edits), delivery.action);
  if (is_void) {
    reply->fail(ErrorCode::kContentModified,
                "the document changed where the edit applies. Request the edit again");
    return;
  }
  warn_about(result, n_left, n_dropped);
  Json change = workspace_edit(*document, edits ? *edits : std::vector<TextEdit>());
  if (reply) {
    delivery.action["edit"] = std::move(change);
    (*reply)(std::move(delivery.action));
  } else if (edits && !edits->empty()) {
    apply("redraft", std::move(change));
  } else if (n_dropped == 0 && n_left == 0) {
    const bool placed = result != nullptr && result->is_placed();
    const std::string why = result == nullptr ? std::string() : result->why_carried_out;
    connection_->show_message(
        MessageType::kInfo,
        placed ? "redraft: nothing to change: the file already contains this code"
        : !why.empty()
            ? "redraft: nothing had to be changed: " + why
            : "redraft: the model changed nothing. Rephrase the instruction, or select more lines");
  }
}

Result<std::vector<TextEdit>> EditFeed::take(EditId id, bool takes_doubtful) {
  forget_left_out(id);
  std::vector<int> ids;
  for (const LiveHunk& live : workspace_.live_edit(id)->hunks) {
    if (takes_doubtful || live.hunk.doubt.empty()) ids.push_back(live.hunk.id);
  }
  std::int64_t version = 0;
  return workspace_.resolve(id, ids, &version);
}

void EditFeed::forget_left_out(EditId id) {
  std::vector<EditId> waiting;
  for (const auto& [other, recipient] : recipients_) {
    const LiveEdit* edit = workspace_.live_edit(other);
    if (!recipient.streamed && edit != nullptr && edit->state == LiveEdit::State::kEnded &&
        other != id && edit->uri == workspace_.live_edit(id)->uri)
      waiting.push_back(other);
  }
  std::int64_t version = 0;
  for (const EditId other : waiting) (void)workspace_.resolve(other, std::nullopt, &version);
}

void EditFeed::warn_about(const EditResult* result, std::size_t n_left, int n_dropped) {
  const auto warn = [&](const std::string& what) {
    connection_->show_message(MessageType::kWarning, "redraft: " + what);
  };
  if (result != nullptr && result->finish_reason == FinishReason::kLength)
    warn("the edit reached its token limit and may be incomplete");
  if (n_left > 0) {
    warn(count_of(n_left) + " not made: " + reasons_of(result->doubts) +
         ". The code actions offer what is left");
  } else if (result != nullptr && !result->doubts.empty()) {
    warn("check this edit: " + reasons_of(result->doubts));
  }
  if (n_dropped > 0) {
    warn(std::to_string(n_dropped) +
         " changes were dropped because their lines were edited meanwhile");
  }
}

std::vector<OfferedEdit> EditFeed::left_out(const std::string& uri) const {
  std::vector<OfferedEdit> offered;
  for (const auto& [id, recipient] : recipients_) {
    const LiveEdit* edit = workspace_.live_edit(id);
    const bool waits = !recipient.streamed && edit != nullptr && edit->uri == uri &&
                       edit->state == LiveEdit::State::kEnded && !edit->hunks.empty();
    if (!waits) continue;
    std::vector<TextEdit> edits;
    for (const LiveHunk& live : edit->hunks) edits.push_back(live.hunk.edit);
    offered.push_back({"Redraft: make what was left out (" + edit->hunks.front().hunk.doubt + ")",
                       workspace_edit(*workspace_.document_of(id), edits)});
  }
  return offered;
}

void EditFeed::apply(const std::string& label, Json workspace_edit) {
  Json params = {{"label", label}, {"edit", std::move(workspace_edit)}};
  connection_->request("workspace/applyEdit", std::move(params),
                       [connection = connection_.get()](const Json* result) {
                         if (was_applied(result)) return;
                         connection->show_message(MessageType::kWarning,
                                                  "redraft: the editor did not apply the edit");
                       });
}

Json EditFeed::workspace_edit(const Document& document, const std::vector<TextEdit>& edits) const {
  Json list = edits_json(document, edits, client_.encoding);
  if (!client_.document_changes) return {{"changes", {{document.uri(), std::move(list)}}}};
  const Json identifier = {{"uri", document.uri()}, {"version", versions_.of(document)}};
  return {{"documentChanges",
           Json::array({{{"textDocument", identifier}, {"edits", std::move(list)}}})}};
}

void EditFeed::resolve(const ResolveEditParams& params, const Reply& reply) {
  const Recipient* recipient = find(params.edit_id);
  const std::shared_ptr<const Document> document = workspace_.document_of(params.edit_id);
  if (document == nullptr || recipient == nullptr || !recipient->streamed) {
    reply.fail(ErrorCode::kInvalidParams,
               "no edit with id " + std::to_string(params.edit_id) + " waits for a decision");
    return;
  }
  Chosen chosen = choose(workspace_.live_edit(params.edit_id)->hunks, params);
  std::int64_t version = document->version();
  const Result<std::vector<TextEdit>> edits =
      workspace_.resolve(params.edit_id, chosen.ids, &version);
  if (!edits) {
    reply.fail(ErrorCode::kRequestFailed, edits.error().message());
    return;
  }
  const auto n_resolved = std::ssize(chosen.ids);
  usage_.count(params.accept ? UsageEvent::kHunkAccepted : UsageEvent::kHunkRejected, n_resolved);
  Json change;
  if (params.accept && !edits->empty()) {
    change = workspace_edit(*document, *edits);
    taken_back_.watch({UsageEvent::kHunkTakenBack, n_resolved}, document, *edits, *document);
  }
  reply({{"edit", std::move(change)},
         {"version", version},
         {"hunkIds", std::move(chosen.ids)},
         {"left", std::move(chosen.left)}});
}

void EditFeed::cancel_progress(const Json& token) {
  for (const auto& [id, recipient] : recipients_) {
    if (recipient.delivery.progress && recipient.delivery.progress->token() == token) {
      workspace_.cancel(id);
      return;
    }
  }
}

}  // namespace redraft::lsp
