#include "lsp/features/edit_feed.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lsp/features/statistics_json.h"
#include "lsp/wire/convert.h"
#include "workspace/documents/file_uri.h"

namespace redraft::lsp {
namespace {

constexpr auto kProgressInterval = std::chrono::milliseconds(50);

const char* to_string(EditState state) {
  switch (state) {
    case EditState::kRunning:
      return "running";
    case EditState::kDone:
      return "done";
    case EditState::kCancelled:
      return "cancelled";
    case EditState::kFailed:
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

// Whether a file is the other, or in it if that is a folder. The same file may be written in more
// ways than one.
bool is_within(const std::string& uri, const std::string& of) {
  const auto path = path_of_uri(uri), folder = path_of_uri(of);
  if (!path || !folder) return uri == of;
  const std::filesystem::path below = path->lexically_relative(*folder);
  return !below.empty() && *below.begin() != "..";
}

bool named(const std::optional<std::vector<int>>& ids, int id) {
  return !ids || std::find(ids->begin(), ids->end(), id) != ids->end();
}

// Of workspace/applyEdit; null for an error. Whatever is no clear yes is a no.
bool was_applied(const Json* result) {
  if (result == nullptr || !result->is_object()) return false;
  const auto applied = result->find("applied");
  return applied != result->end() && applied->is_boolean() && applied->get<bool>();
}

std::string message_of(const EditProgress& progress) {
  const DecodeStatistics& statistics = progress.statistics;
  if (!progress.reading()) return std::to_string(statistics.new_tokens) + " tokens";
  const int read = statistics.cached_prompt_tokens + statistics.prefilled_tokens;
  return "reading, " + std::to_string(read) + " of " + std::to_string(statistics.prompt_tokens) +
         " tokens";
}

}  // namespace

void EditFeed::start(EditId id, std::string uri, Delivery delivery) {
  LiveEdit& edit = edits_[id];
  edit.uri = std::move(uri);
  edit.streamed = client_.streamed_edits && !delivery.reply;
  edit.delivery = std::move(delivery);
}

EditFeed::LiveEdit* EditFeed::find(EditId id) {
  const auto found = edits_.find(id);
  return found == edits_.end() ? nullptr : &found->second;
}

void EditFeed::notify(EditId id, LiveEdit& edit, const char* kind, Json params) {
  params["editId"] = id;
  params["seq"] = edit.next_seq++;
  params["kind"] = kind;
  connection_->notify("$/redraft/edit", std::move(params));
}

void EditFeed::on_hunk(EditId id, const LiveHunk& hunk) {
  LiveEdit* edit = find(id);
  if (edit == nullptr) return;
  if (hunk.dropped) {
    drop_hunk(id, *edit, hunk);
  } else if (edit->streamed) {
    send_hunk(id, *edit, hunk);
  }
}

void EditFeed::on_hunk_changed(EditId id, const LiveHunk& hunk) {
  LiveEdit* edit = find(id);
  const std::shared_ptr<const Document> document =
      edit == nullptr ? nullptr : workspace_.document(edit->uri);
  if (document == nullptr) return;
  if (hunk.dropped) {
    drop_hunk(id, *edit, hunk);
    forget_if_over(id);
  } else if (edit->streamed) {
    const Range range = to_range(*document, hunk.hunk.edit.range, client_.encoding);
    edit->moved.push_back({{"hunkId", hunk.hunk.id}, {"range", range}});
  }
}

void EditFeed::send_hunk(EditId id, LiveEdit& edit, const LiveHunk& live) {
  const std::shared_ptr<const Document> document = workspace_.document(edit.uri);
  if (document == nullptr) return;
  edit.waiting.insert(live.hunk.id);
  usage_.count(UsageEvent::kHunkShown);
  notify(id, edit, "hunk",
         {{"hunkId", live.hunk.id},
          {"uri", edit.uri},
          {"version", live.version},
          {"range", to_range(*document, live.hunk.edit.range, client_.encoding)},
          {"oldText", live.hunk.old_text},
          {"newText", live.hunk.edit.new_text}});
}

void EditFeed::drop_hunk(EditId id, LiveEdit& edit, const LiveHunk& live) {
  ++edit.dropped;
  edit.waiting.erase(live.hunk.id);
  if (edit.streamed) {
    notify(id, edit, "dropped", {{"hunkId", live.hunk.id}, {"reason", live.reason}});
  }
}

void EditFeed::on_progress(EditId id, const EditProgress& progress) {
  LiveEdit* edit = find(id);
  const auto now = std::chrono::steady_clock::now();
  if (edit == nullptr || connection_->congested() || now - edit->last_progress < kProgressInterval)
    return;
  edit->last_progress = now;
  if (edit->delivery.progress) {
    edit->delivery.progress->report(progress.fraction, message_of(progress));
  }
  if (edit->streamed) {
    notify(id, *edit, "progress",
           {{"fraction", progress.fraction}, {"statistics", statistics_json(progress.statistics)}});
  }
}

void EditFeed::on_end(EditId id, EditState state, const EditResult* result,
                      const std::string& error) {
  LiveEdit* edit = find(id);
  if (edit == nullptr) return;
  edit->ended = true;
  edit->delivery.progress.reset();
  spdlog::info("edit {} {}", id, to_string(state));
  if (!edit->streamed) {
    deliver(id, *edit, state, result, error);
    edits_.erase(id);
    return;
  }
  notify(id, *edit, "end",
         {{"state", to_string(state)},
          {"finishReason",
           result == nullptr ? Json() : Json(redraft::to_string(result->finish_reason))},
          {"error", error.empty() ? Json() : Json(error)},
          {"breaksSyntax", result != nullptr && result->breaks_syntax},
          {"statistics", result == nullptr ? Json() : statistics_json(result->statistics)}});
  if (workspace_.hunks(id) == nullptr) edit->waiting.clear();  // the document was closed
  forget_if_over(id);
}

void EditFeed::deliver(EditId id, LiveEdit& edit, EditState state, const EditResult* result,
                       const std::string& error) {
  const std::optional<Reply>& reply = edit.delivery.reply;
  if (state == EditState::kDone) {
    deliver_done(id, edit, result);
    return;
  }
  // Nobody will ask for what came before the end.
  std::int64_t version = 0;
  (void)workspace_.resolve(id, std::nullopt, &version);
  if (state == EditState::kCancelled) {
    if (reply) {
      reply->fail(ErrorCode::kRequestCancelled, error.empty() ? "the edit was cancelled" : error);
    } else if (!error.empty()) {  // nobody asked for its end
      connection_->show_message(MessageType::kInfo, "redraft: the edit was cancelled: " + error);
    }
  } else if (reply) {
    reply->fail(ErrorCode::kRequestFailed, error);
  } else if (!model_.told_failure()) {  // that has been shown
    connection_->show_message(MessageType::kError, "redraft: " + error);
  }
}

void EditFeed::deliver_done(EditId id, LiveEdit& edit, const EditResult* result) {
  std::int64_t version = 0;
  const Result<std::vector<TextEdit>> edits = workspace_.resolve(id, std::nullopt, &version);
  const std::shared_ptr<const Document> document = workspace_.document(edit.uri);
  const std::optional<Reply>& reply = edit.delivery.reply;
  if (document == nullptr || (reply && edit.dropped > 0)) {
    if (reply)
      reply->fail(ErrorCode::kContentModified, "the document was changed where the edit applies");
    return;
  }
  if (result != nullptr && result->finish_reason == FinishReason::kLength) {
    connection_->show_message(MessageType::kWarning,
                              "redraft: the edit reached its token limit and may be incomplete");
  }
  if (result != nullptr && result->breaks_syntax) {
    connection_->show_message(MessageType::kWarning,
                              "redraft: with this edit the file has new syntax errors");
  }
  if (edit.dropped > 0) {
    connection_->show_message(MessageType::kWarning,
                              "redraft: " + std::to_string(edit.dropped) +
                                  " changes were left out: their places were edited meanwhile");
  }
  Json change = workspace_edit(*document, edits ? *edits : std::vector<TextEdit>());
  if (reply) {
    edit.delivery.action["edit"] = std::move(change);
    (*reply)(std::move(edit.delivery.action));
  } else if (edits && !edits->empty()) {
    apply("redraft", std::move(change));
  } else if (edit.dropped == 0) {
    connection_->show_message(MessageType::kInfo, "redraft: the model found nothing to change");
  }
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
  const Json identifier = {{"uri", document.uri()}, {"version", document.version()}};
  return {{"documentChanges",
           Json::array({{{"textDocument", identifier}, {"edits", std::move(list)}}})}};
}

void EditFeed::document_changed(const std::string& uri) {
  const std::shared_ptr<const Document> document = workspace_.document(uri);
  std::vector<EditId> touched;
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri) continue;
    touched.push_back(id);
    if (edit.moved.empty() || document == nullptr) continue;
    notify(id, edit, "moved",
           {{"uri", uri},
            {"version", document->version()},
            {"hunks", std::exchange(edit.moved, Json::array())}});
  }
  for (const EditId id : touched) forget_if_over(id);
}

void EditFeed::document_gone(const std::string& uri, const std::string& reason) {
  for (auto& [id, edit] : edits_) {
    if (edit.uri != uri) continue;
    for (const int hunk : std::exchange(edit.waiting, {})) {
      ++edit.dropped;
      notify(id, edit, "dropped", {{"hunkId", hunk}, {"reason", reason}});
    }
  }
  std::erase_if(edits_,
                [&](const auto& entry) { return entry.second.uri == uri && entry.second.ended; });
}

void EditFeed::file_gone(const std::string& uri, const std::string& reason) {
  std::set<std::string> gone;
  for (const auto& [id, edit] : edits_) {
    if (is_within(edit.uri, uri)) gone.insert(edit.uri);
  }
  for (const std::string& document : gone) {
    workspace_.end_edits(document, reason);
    document_gone(document, reason);
  }
}

void EditFeed::resolve(const ResolveEditParams& params, const Reply& reply) {
  LiveEdit* edit = find(params.edit_id);
  const std::shared_ptr<const Document> document =
      edit == nullptr ? nullptr : workspace_.document(edit->uri);
  if (document == nullptr || !edit->streamed) {
    reply.fail(ErrorCode::kInvalidParams,
               "no edit with id " + std::to_string(params.edit_id) + " waits");
    return;
  }
  Json resolved = Json::array();
  for (const int hunk : edit->waiting) {
    if (named(params.hunk_ids, hunk)) resolved.push_back(hunk);
  }
  std::int64_t version = document->version();
  const Result<std::vector<TextEdit>> edits =
      workspace_.resolve(params.edit_id, params.hunk_ids, &version);
  if (!edits) {
    reply.fail(ErrorCode::kRequestFailed, edits.error().message());
    return;
  }
  for (const Json& hunk : resolved) edit->waiting.erase(hunk.get<int>());
  usage_.count(params.accept ? UsageEvent::kHunkAccepted : UsageEvent::kHunkRejected,
               std::ssize(resolved));
  Json change;
  if (params.accept && !edits->empty()) change = workspace_edit(*document, *edits);
  reply({{"edit", std::move(change)}, {"version", version}, {"hunkIds", std::move(resolved)}});
  forget_if_over(params.edit_id);
}

bool EditFeed::cancel(EditId id) {
  const LiveEdit* edit = find(id);
  if (edit == nullptr || edit->ended) return false;
  workspace_.cancel(id);
  return true;
}

void EditFeed::cancel_progress(const Json& token) {
  for (const auto& [id, edit] : edits_) {
    if (edit.delivery.progress && edit.delivery.progress->token() == token) {
      workspace_.cancel(id);
      return;
    }
  }
}

void EditFeed::cancel_all() {
  std::vector<EditId> running;
  for (const auto& [id, edit] : edits_) {
    if (!edit.ended) running.push_back(id);
  }
  for (const EditId id : running) workspace_.cancel(id);
}

void EditFeed::forget_if_over(EditId id) {
  const LiveEdit* edit = find(id);
  if (edit != nullptr && edit->ended && edit->waiting.empty()) edits_.erase(id);
}

}  // namespace redraft::lsp
