// Jobs run on the decode thread with what they captured and the engine; everything else here is the
// owner's thread. Results cross over through post() alone. A posted function may outlive the
// Workspace, so it asks `alive` first.
#include "workspace/workspace.h"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <ranges>
#include <utility>

#include "workspace/buffer_change.h"
#include "workspace/decode_queue.h"
#include "workspace/file_uri.h"

namespace redraft {
namespace {

// Of what the user took out of the buffers so many pieces are remembered, of so many bytes.
constexpr std::size_t kRemoved = 8;
constexpr std::size_t kLeastRemoved = 16;
constexpr std::size_t kMostRemoved = 1 << 16;

constexpr const char* kTouched = "the text it replaces was changed";

// The models, as the decode thread sees them.
struct EngineSlot {
  Workspace::EngineFactory make;
  std::unique_ptr<Engine> engine;
};

struct LiveEdit {
  std::string uri;
  DecodeQueue::JobId job = 0;
  bool running = true;
  std::string cancel_reason;  // why, when it was not asked for
  std::vector<LiveHunk> hunks;
  // Since it started, while it runs: its hunks are against the version of then.
  std::vector<BufferChange> changes;
};

}  // namespace

struct Workspace::Impl {
  Impl(EngineFactory make_engine, Post post_function, WorkspaceObserver given_observer)
      : post(std::move(post_function)),
        observer(std::move(given_observer)),
        engine{std::move(make_engine), nullptr} {}

  // On the decode thread.
  void run_on_decode_thread(EditId id, const EditRequest& request, const std::stop_token& stop);
  Result<EditResult> run_request(EditId id, const EditRequest& request,
                                 const std::stop_token& stop);
  Result<Engine*> load_engine();
  void report_loaded(double fraction);
  void set_status(EngineStatus status);
  template <typename Function>
  void call(Function function);  // on the owner's thread, if the Workspace still lives

  RepositoryIndexer::OnStatus reporter(
      std::function<void(const IndexStatus&)> WorkspaceObserver::*function);

  // On the owner's thread.
  void receive_hunk(EditId id, Hunk hunk);
  void receive_end(EditId id, EditState state, const EditResult* result, const std::string& error);
  void apply_changes(const std::string& uri, std::int64_t version,
                     const std::vector<BufferChange>& changes);
  bool cancel(EditId id, const std::string& reason);
  void keep(std::shared_ptr<const Document> document);
  void remember_removed(const std::string& text);
  void forget_document(const std::string& uri, const std::string& reason);
  // Texts that drafts for a document may come from: what was removed and what else is open.
  std::vector<std::shared_ptr<const Document>> documents_beside(const std::string& uri) const;

  Post post;
  WorkspaceObserver observer;
  EngineSlot engine;
  std::map<std::string, std::shared_ptr<const Document>> documents;
  std::deque<std::shared_ptr<const Document>> removed;  // pieces of them, the newest first
  std::vector<std::string> by_change;    // their uris, the one that changed last at the end
  std::map<std::string, Error> refused;  // open in the editor, but not to be edited
  std::map<EditId, LiveEdit> edits;
  EditId last_id = 0;
  EngineStatus status;
  std::shared_ptr<const bool> alive = std::make_shared<const bool>(true);
  std::stop_source closing;
  std::unique_ptr<RepositoryIndexer> indexer;  // null: there is none
  std::unique_ptr<RepositoryIndexer> common;   // likewise
  DecodeQueue queue;                           // last: its thread uses the others
};

template <typename Function>
void Workspace::Impl::call(Function function) {
  post([weak = std::weak_ptr(alive), function = std::move(function)] {
    if (weak.lock()) function();
  });
}

void Workspace::Impl::run_on_decode_thread(EditId id, const EditRequest& request,
                                           const std::stop_token& stop) {
  Result<EditResult> outcome = Error("not run");
  try {
    outcome = run_request(id, request, stop);
  } catch (const std::exception& exception) {
    outcome = Error(std::string("the edit failed: ") + exception.what());
  }
  if (!outcome) {
    call([this, id, error = outcome.error().message()] {
      receive_end(id, EditState::kFailed, nullptr, error);
    });
    return;
  }
  const EditState state =
      outcome->finish_reason == FinishReason::kCancelled ? EditState::kCancelled : EditState::kDone;
  call([this, id, state, result = std::make_shared<const EditResult>(std::move(*outcome))] {
    receive_end(id, state, result.get(), {});
  });
}

Result<EditResult> Workspace::Impl::run_request(EditId id, const EditRequest& request,
                                                const std::stop_token& stop) {
  Result<Engine*> loaded = load_engine();
  if (!loaded) return loaded.error();
  const EditObserver edit_observer{
      .on_hunk = [this,
                  id](const Hunk& hunk) { call([this, id, hunk] { receive_hunk(id, hunk); }); },
      .on_progress =
          [this, id](const EditProgress& progress) {
            call([this, id, progress] {
              const auto edit = edits.find(id);
              if (edit != edits.end() && edit->second.running && observer.on_progress)
                observer.on_progress(id, progress);
            });
          }};
  return run_edit(**loaded, request, edit_observer, stop);
}

Result<Engine*> Workspace::Impl::load_engine() {
  if (engine.engine) return engine.engine.get();
  set_status({.state = EngineStatus::State::kLoading});
  Result<std::unique_ptr<Engine>> made = Error("not loaded");
  try {
    made = engine.make({.stop = closing.get_token(),
                        .progress = [this](double fraction) { report_loaded(fraction); }});
  } catch (const std::exception& exception) {
    made = Error(std::string("loading the model failed: ") + exception.what());
  }
  if (!made) {
    set_status({.state = EngineStatus::State::kFailed, .error = made.error().message()});
    return made.error();
  }
  engine.engine = std::move(*made);
  set_status({.state = EngineStatus::State::kReady,
              .target = engine.engine->target_name(),
              .draft = engine.engine->has_draft() ? engine.engine->draft_name() : std::string()});
  return engine.engine.get();
}

void Workspace::Impl::report_loaded(double fraction) {
  call([this, fraction] {
    status.loaded = fraction;
    if (observer.on_engine) observer.on_engine(status);
  });
}

void Workspace::Impl::set_status(EngineStatus new_status) {
  call([this, new_status = std::move(new_status)] {
    status = new_status;
    if (observer.on_engine) observer.on_engine(status);
  });
}

void Workspace::Impl::receive_hunk(EditId id, Hunk hunk) {
  const auto found = edits.find(id);
  if (found == edits.end()) return;
  LiveEdit& edit = found->second;
  const auto document = documents.find(edit.uri);
  if (document == documents.end()) return;
  LiveHunk live{std::move(hunk), document->second->version(), false, {}};
  for (const BufferChange& change : edit.changes) {
    if (rebase(change, &live.hunk.edit.range)) continue;
    live.dropped = true;
    live.reason = kTouched;
    break;
  }
  if (!live.dropped) edit.hunks.push_back(live);
  if (observer.on_hunk) observer.on_hunk(id, live);
}

void Workspace::Impl::receive_end(EditId id, EditState state, const EditResult* result,
                                  const std::string& error) {
  const auto found = edits.find(id);
  if (found == edits.end()) return;
  LiveEdit& edit = found->second;
  if (!edit.running) return;  // it was cancelled while the model was loading
  edit.running = false;
  edit.changes = {};
  const std::string reason = state == EditState::kCancelled ? edit.cancel_reason : error;
  if (observer.on_end) observer.on_end(id, state, result, reason);
  // Its owner may have resolved hunks just now, or closed the document.
  if (const auto ended = edits.find(id); ended != edits.end() && ended->second.hunks.empty())
    edits.erase(ended);
}

void Workspace::Impl::apply_changes(const std::string& uri, std::int64_t version,
                                    const std::vector<BufferChange>& changes) {
  std::vector<std::pair<EditId, LiveHunk>> news;
  for (auto& [id, edit] : edits) {
    if (edit.uri != uri) continue;
    if (edit.running) edit.changes.insert(edit.changes.end(), changes.begin(), changes.end());
    for (LiveHunk& live : edit.hunks) {
      const ByteRange before = live.hunk.edit.range;
      live.version = version;
      live.dropped = !std::all_of(changes.begin(), changes.end(), [&](const BufferChange& change) {
        return rebase(change, &live.hunk.edit.range);
      });
      if (live.dropped) live.reason = kTouched;
      if (live.dropped || live.hunk.edit.range != before) news.emplace_back(id, live);
    }
    std::erase_if(edit.hunks, [](const LiveHunk& live) { return live.dropped; });
  }
  std::erase_if(edits, [&](const auto& entry) {
    return entry.second.uri == uri && !entry.second.running && entry.second.hunks.empty();
  });
  if (!observer.on_hunk_changed) return;
  for (const auto& [id, live] : news) observer.on_hunk_changed(id, live);
}

bool Workspace::Impl::cancel(EditId id, const std::string& reason) {
  const auto found = edits.find(id);
  if (found == edits.end() || !found->second.running) return false;
  if (found->second.cancel_reason.empty()) found->second.cancel_reason = reason;
  // One that never began has nobody else to report its end; while the model loads nobody else does
  // so soon.
  if (queue.cancel(found->second.job) || status.state == EngineStatus::State::kLoading) {
    call([this, id] { receive_end(id, EditState::kCancelled, nullptr, {}); });
  }
  return true;
}

void Workspace::Impl::forget_document(const std::string& uri, const std::string& reason) {
  if (const auto path = indexer ? path_of_uri(uri) : std::nullopt) indexer->close_buffer(*path);
  documents.erase(uri);
  std::erase(by_change, uri);
  refused.erase(uri);
  for (auto& [id, edit] : edits) {
    if (edit.uri != uri) continue;
    edit.hunks.clear();
    cancel(id, reason);
    edit.uri.clear();  // a document opened later under this name is not the one it edits
  }
  std::erase_if(
      edits, [](const auto& entry) { return entry.second.uri.empty() && !entry.second.running; });
}

std::vector<std::shared_ptr<const Document>> Workspace::Impl::documents_beside(
    const std::string& uri) const {
  std::vector<std::shared_ptr<const Document>> beside(removed.begin(), removed.end());
  for (const std::string& other : by_change | std::views::reverse) {
    if (other != uri) beside.push_back(documents.at(other));
  }
  return beside;
}

// What is cut in one place is often put in another.
void Workspace::Impl::remember_removed(const std::string& text) {
  if (text.size() < kLeastRemoved || text.size() > kMostRemoved) return;
  const auto piece = Document::make("removed", 0, text);
  if (!piece) return;  // cut inside a character
  removed.push_front(*piece);
  if (removed.size() > kRemoved) removed.pop_back();
}

void Workspace::Impl::keep(std::shared_ptr<const Document> document) {
  const std::string uri = document->uri();
  std::erase(by_change, uri);
  by_change.push_back(uri);
  if (const auto path = indexer ? path_of_uri(uri) : std::nullopt)
    indexer->set_buffer(*path, document);
  documents.insert_or_assign(uri, std::move(document));
}

Workspace::Workspace(EngineFactory make_engine, Post post, WorkspaceObserver observer)
    : impl_(std::make_unique<Impl>(std::move(make_engine), std::move(post), std::move(observer))) {}

Workspace::~Workspace() { impl_->closing.request_stop(); }

RepositoryIndexer::OnStatus Workspace::Impl::reporter(
    std::function<void(const IndexStatus&)> WorkspaceObserver::*function) {
  return [this, function](const IndexStatus& news) {
    call([this, function, news] {
      if (observer.*function) (observer.*function)(news);
    });
  };
}

void Workspace::index_common(RepositoryIndexer::MakeIndex make_index) {
  impl_->common = std::make_unique<RepositoryIndexer>(
      std::move(make_index), impl_->reporter(&WorkspaceObserver::on_common), /*watch=*/false);
}

void Workspace::index(RepositoryIndexer::MakeIndex make_index) {
  impl_->indexer = std::make_unique<RepositoryIndexer>(
      std::move(make_index), impl_->reporter(&WorkspaceObserver::on_index));
  for (const auto& [uri, document] : impl_->documents) {
    if (const auto path = path_of_uri(uri)) impl_->indexer->set_buffer(*path, document);
  }
}

void Workspace::files_changed(const std::vector<std::filesystem::path>& paths) {
  if (impl_->indexer) impl_->indexer->files_changed(paths);
}

Result<void> Workspace::open(std::string uri, std::int64_t version, std::string text,
                             std::string language_id) {
  impl_->forget_document(uri, "the document was opened anew");
  Result<std::shared_ptr<const Document>> document =
      Document::make(uri, version, std::move(text), std::move(language_id));
  if (!document) {
    impl_->refused.insert_or_assign(std::move(uri), document.error());
    return document.error();
  }
  impl_->keep(std::move(*document));
  return {};
}

Result<void> Workspace::change(const std::string& uri, std::int64_t version,
                               const std::vector<TextEdit>& edits) {
  const auto found = impl_->documents.find(uri);
  if (found == impl_->documents.end()) {
    const auto refused = impl_->refused.find(uri);
    return refused != impl_->refused.end() ? refused->second : Error("not open: " + uri);
  }
  const auto refuse = [&](const Error& error) {
    impl_->forget_document(uri, "the document can no longer be edited: " + error.message());
    impl_->refused.insert_or_assign(uri, error);
    return error;
  };
  std::string text = found->second->text();
  std::vector<BufferChange> changes;
  for (const TextEdit& edit : edits) {
    if (edit.range.begin > edit.range.end || edit.range.end > text.size()) {
      return refuse(Error(uri + ": a change of bytes " + std::to_string(edit.range.begin) + "-" +
                          std::to_string(edit.range.end) +
                          " lies outside the text; open the document anew"));
    }
    impl_->remember_removed(text.substr(edit.range.begin, edit.range.size()));
    std::string after = apply_edits(text, {edit});
    changes.push_back(describe_change(text, edit, after));
    text = std::move(after);
  }
  Result<std::shared_ptr<const Document>> document =
      found->second->changed(version, std::move(text));
  if (!document) return refuse(document.error());
  impl_->keep(std::move(*document));
  impl_->apply_changes(uri, version, changes);
  return {};
}

void Workspace::close(const std::string& uri) {
  impl_->forget_document(uri, "the document was closed");
}

std::shared_ptr<const Document> Workspace::document(const std::string& uri) const {
  const auto found = impl_->documents.find(uri);
  return found == impl_->documents.end() ? nullptr : found->second;
}

Result<EditId> Workspace::edit(const std::string& uri, std::int64_t version, EditRequest request) {
  const auto found = impl_->documents.find(uri);
  if (found == impl_->documents.end()) {
    const auto refused = impl_->refused.find(uri);
    return refused != impl_->refused.end() ? refused->second : Error("not open: " + uri);
  }
  if (found->second->version() != version) {
    return Error("the document is at version " + std::to_string(found->second->version()) +
                 ", not " + std::to_string(version));
  }
  request.document = found->second;
  request.beside = impl_->documents_beside(uri);
  if (impl_->indexer)
    request.repository =
        impl_->indexer->snapshot(path_of_uri(uri).value_or(std::filesystem::path()));
  // One that is not read yet would take the place of the repository where a decoder knows but one.
  if (auto common = impl_->common ? impl_->common->snapshot({}) : nullptr;
      common && common->token_count() > 0)
    request.common = std::move(common);
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  for (const auto& [id, edit] : impl_->edits) {
    if (edit.uri == uri && edit.running)
      impl_->cancel(id, "a newer edit of this document took its place");
  }
  const EditId id = ++impl_->last_id;
  LiveEdit& edit = impl_->edits[id];
  edit.uri = uri;
  edit.job = impl_->queue.add(
      [impl = impl_.get(), id, request = std::move(request)](std::stop_token stop) {
        impl->run_on_decode_thread(id, request, stop);
      });
  return id;
}

bool Workspace::cancel(EditId id) { return impl_->cancel(id, {}); }

const std::vector<LiveHunk>* Workspace::hunks(EditId id) const {
  const auto found = impl_->edits.find(id);
  return found == impl_->edits.end() ? nullptr : &found->second.hunks;
}

Result<std::vector<TextEdit>> Workspace::resolve(EditId id,
                                                 const std::optional<std::vector<int>>& ids,
                                                 std::int64_t* version) {
  const auto found = impl_->edits.find(id);
  if (found == impl_->edits.end())
    return Error("there is no edit " + std::to_string(id) + " any more");
  LiveEdit& edit = found->second;
  const auto document = impl_->documents.find(edit.uri);
  if (document == impl_->documents.end())
    return Error("the document of edit " + std::to_string(id) + " was closed");
  *version = document->second->version();
  std::vector<TextEdit> taken;
  std::erase_if(edit.hunks, [&](const LiveHunk& live) {
    if (ids && std::find(ids->begin(), ids->end(), live.hunk.id) == ids->end()) return false;
    taken.push_back(live.hunk.edit);
    return true;
  });
  if (edit.hunks.empty() && !edit.running) impl_->edits.erase(found);
  return taken;
}

const EngineStatus& Workspace::engine_status() const { return impl_->status; }

void Workspace::wait_until_idle() { impl_->queue.wait_until_idle(); }

}  // namespace redraft
