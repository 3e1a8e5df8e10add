#include "workspace/workspace.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "support/system/crash_notes.h"
#include "workspace/completion/recent_snippets.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/edit/run_edit.h"
#include "workspace/workspace_impl.h"

namespace redraft {
namespace {

// Does not name the document: the message is stored where no document may be named.
std::string why_no_suggestion(SkipReason reason) {
  return "redraft makes no automatic suggestions in this file: it counts as " +
         std::string(to_text(reason));
}

std::optional<Error> why_left_alone(const std::string& uri) {
  if (crashes_at(work_key(uri)) < kTooManyCrashes) return std::nullopt;
  return Error(uri + ": redraft crashed twice while it worked on this file, and leaves it alone " +
               "for a day. Other files are not affected");
}

}  // namespace

void Workspace::Impl::forget(const std::string& uri, const std::string& reason) {
  carry_out(edits.forget(uri, reason));
  read_ahead.forget(uri);
  completions.forget(uri);
  next_edits.forget(uri);
}

void Workspace::Impl::index_buffer(const std::string& uri) {
  std::shared_ptr<const Document> document = documents.find(uri);
  // A withheld document is indexed as empty text, so that its file is not read instead.
  if (document && documents.withheld(uri)) document = *Document::make(uri, document->version(), "");
  indexes.set_buffer(uri, std::move(document));
}

void Workspace::Impl::load_early_for(const std::shared_ptr<const Document>& document) {
  if (!loads_early || !document || documents.withheld(document->uri())) return;
  const bool is_known =
      !language_of(document->uri()).empty() || SyntaxTree::knows(document->language_id());
  if (is_known) host->load_early();
}

void Workspace::Impl::stop_reading_guesses() {
  completions.stop_reading_ahead();
  next_edits.stop_reading_ahead();
}

std::filesystem::path Workspace::Impl::root_of(const std::string& uri) const {
  const auto path = path_of_uri(uri);
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path relative = path ? path->lexically_relative(folder) : "";
    if (!relative.empty() && *relative.begin() != "..") return folder;
  }
  return path ? path->parent_path() : std::filesystem::path();
}

Workspace::Workspace(std::shared_ptr<EngineHost> host, Post post, WorkspaceObserver observer)
    : impl_(std::make_unique<Impl>(std::move(host), std::move(post), std::move(observer))) {
  impl_->observing = impl_->host->observe([impl = impl_.get()](const EngineStatus& status) {
    if (impl->observer.on_engine) impl->observer.on_engine(status);
  });
}

// Running jobs end within a forward pass and report to nobody.
Workspace::~Workspace() {
  impl_->host->forget(impl_->observing);
  for (const auto& [id, edit] : impl_->edits.all()) {
    if (edit.runs()) impl_->host->queue().cancel(edit.job);
  }
  impl_->freed.return_soon();
}

void Workspace::index_common(RepositoryIndexer::MakeIndex make_index) {
  impl_->indexes.common.start(
      std::move(make_index), impl_->call,
      [impl = impl_.get()](const IndexStatus& news) {
        if (impl->observer.on_common) impl->observer.on_common(news);
      },
      /*watch=*/false);
}

void Workspace::set_folders(std::vector<std::filesystem::path> folders) {
  impl_->folders = folders;
  for (const std::string& uri : impl_->documents.set_folders(std::move(folders)))
    impl_->index_buffer(uri);
}

void Workspace::index(RepositoryIndexer::MakeIndex make_index) {
  impl_->indexes.repository.start(
      std::move(make_index), impl_->call,
      [impl = impl_.get()](const IndexStatus& news) {
        if (impl->observer.on_index) impl->observer.on_index(news);
      },
      /*watch=*/true);
  for (const auto& document : impl_->documents.all()) impl_->index_buffer(document->uri());
}

void Workspace::drop_index() { impl_->indexes.repository.drop(); }

void Workspace::drop_common_index() { impl_->indexes.common.drop(); }

std::vector<IndexSlot> Workspace::take_indexes() {
  std::vector<IndexSlot> taken;
  taken.push_back(std::exchange(impl_->indexes.repository, {}));
  taken.push_back(std::exchange(impl_->indexes.common, {}));
  return taken;
}

void Workspace::files_changed(const std::vector<std::filesystem::path>& paths) {
  if (impl_->indexes.repository) impl_->indexes.repository->files_changed(paths);
}

Result<void> Workspace::open(std::string uri, std::int64_t version, std::string text,
                             std::string language_id) {
  return open(uri, judged_document(uri, version, std::move(text), std::move(language_id)));
}

Result<void> Workspace::open(const std::string& uri, Result<JudgedDocument> judged) {
  if (const std::optional<Error> why = why_left_alone(uri)) {
    refuse(uri, *why);
    return *why;
  }
  impl_->forget(uri, "the document was opened anew");
  Result<void> opened = impl_->documents.take(uri, std::move(judged));
  impl_->index_buffer(uri);
  impl_->load_early_for(document(uri));
  return opened;
}

Result<void> Workspace::change(const std::string& uri, std::int64_t version,
                               const std::vector<TextEdit>& edits) {
  const std::shared_ptr<const Document> before = document(uri);
  if (!before) return impl_->documents.why_not(uri);
  return change(uri, changed_document(before, version, edits));
}

Result<void> Workspace::change(const std::string& uri, Result<ChangedDocument> changed) {
  const Result<std::vector<BufferChange>> changes = impl_->documents.take(uri, std::move(changed));
  impl_->index_buffer(uri);
  if (!changes) {
    impl_->forget(uri, "the document can no longer be edited: " + changes.error().message());
    return changes.error();
  }
  const std::int64_t version = document(uri)->version();
  impl_->carry_out(impl_->edits.change(uri, version, *changes));
  impl_->next_edits.changed(document(uri), *changes);
  if (impl_->observer.on_changed) impl_->observer.on_changed(*document(uri), *changes);
  if (impl_->documents.withheld(uri)) {
    impl_->next_edits.forget(uri);
  } else if (impl_->expects_next_edits) {
    impl_->next_edits.read_ahead(
        [impl = impl_.get(), uri] { return impl->next_edit_request(uri); });
  }
  return {};
}

void Workspace::close(const std::string& uri, const std::string& why) {
  if (const auto closed = document(uri)) impl_->freed.add(closed->text().size());
  impl_->forget(uri, why);
  impl_->documents.close(uri);
  impl_->index_buffer(uri);
}

void Workspace::refuse(const std::string& uri, const Error& why) {
  impl_->forget(uri, "the document can no longer be edited: " + why.message());
  impl_->documents.refuse(uri, why);
  impl_->index_buffer(uri);
}

void Workspace::end_edits_within(const std::string& uri, const std::string& why) {
  std::set<std::string> gone;
  for (const auto& [id, edit] : impl_->edits.all()) {
    if (is_within(edit.uri, uri)) gone.insert(edit.uri);
  }
  for (const std::string& document : gone) impl_->carry_out(impl_->edits.forget(document, why));
}

std::shared_ptr<const Document> Workspace::document(const std::string& uri) const {
  return impl_->documents.find(uri);
}

Error Workspace::why_not(const std::string& uri) const { return impl_->documents.why_not(uri); }

Result<void> Workspace::Impl::fill_in(const std::string& uri, std::int64_t version,
                                      EditRequest& request) const {
  const std::shared_ptr<const Document> open = documents.find(uri);
  if (!open) return documents.why_not(uri);
  if (open->version() != version) {
    return Error("the document is at version " + std::to_string(open->version()) + ", not " +
                 std::to_string(version));
  }
  // A request may hide bytes from the model by overwriting them. As long as none moves, its offsets
  // hold for the open document.
  const bool is_same_size = request.document && request.document->version() == version &&
                            request.document->text().size() == open->text().size();
  if (!is_same_size) request.document = open;
  request.prompt_size = prompt_size;
  request.beside = documents.beside(uri);
  const std::shared_ptr<const IndexSnapshot> repository = indexes.repository_without(uri);
  request.repository = repository;
  request.definitions = repository;
  request.are_definitions_complete = indexes.is_repository_complete();
  request.common = indexes.common_code();
  request.remembering = remembering(uri);
  return {};
}

Result<EditId> Workspace::edit(const std::string& uri, std::int64_t version, EditRequest request) {
  if (Result<void> filled = impl_->fill_in(uri, version, request); !filled) return filled.error();
  if (Result<void> checked = check_request(request); !checked) return checked.error();
  if (Result<void> room = impl_->edits.check_room(uri); !room) return room.error();
  impl_->read_ahead.stop();
  impl_->stop_reading_guesses();
  std::optional<FirstDecision> first;
  if (is_decided_quickly(request)) {
    Result<FirstDecision> decided = decide_without_model(request);
    if (!decided) return decided.error();
    if (std::optional<EditResult> done = carry_out_without_model(request, *decided))
      return impl_->add_done(uri, *std::move(done));
    first = *std::move(decided);
  }
  const EditId id = impl_->edits.add(uri);
  const auto shared = std::make_shared<const EditRequest>(std::move(request));
  if (shared->change.empty()) impl_->find_region(id, shared, task_of(*shared));
  impl_->edits.set_job(id,
                       impl_->add_job(id, shared, std::move(first), impl_->source_to_keep(uri)));
  return id;
}

Result<void> Workspace::announce(const std::string& uri, std::int64_t version, EditRequest request,
                                 ReadAhead::Observer observer) {
  if (Result<void> filled = impl_->fill_in(uri, version, request); !filled) return filled.error();
  if (auto checked = EditRegion::check(*request.document, request.scope, request.range); !checked)
    return checked.error();
  impl_->stop_reading_guesses();
  impl_->read_ahead.announce(std::move(request), std::move(observer));
  return {};
}

void Workspace::stop_reading_ahead() { impl_->read_ahead.stop(); }

Result<CompletionRequest> Workspace::Impl::completion_request(const CompletionWish& wish) const {
  std::shared_ptr<const Document> document = documents.find(wish.uri);
  if (!document) return documents.why_not(wish.uri);
  std::size_t offset = wish.offset;
  if (wish.selected) {
    const ByteRange& range = wish.selected_range;
    if (range.begin > range.end || range.end > document->text().size())
      return Error("the range of the selected item is outside the document");
    Result<std::shared_ptr<const Document>> with = document->changed(
        document->version(), apply_edits(document->text(), {{range, *wish.selected}}));
    if (!with) return with.error();
    document = *with;
    offset = range.begin + wish.selected->size();
  }
  if (offset > document->text().size()) return Error("the offset is outside the document");
  return CompletionRequest{.document = std::move(document),
                           .offset = offset,
                           .repository = indexes.repository_without(wish.uri),
                           .common = indexes.common_code(),
                           .beside = documents.beside(wish.uri),
                           .recent = recent_snippets(documents, wish.uri, offset),
                           .open = documents.others(wish.uri),
                           .file = file_of(wish.uri),
                           .root = root_of(wish.uri),
                           .decoder = decoder_for(Purpose::kCompletion),
                           .max_new_tokens = wish.max_new_tokens,
                           .prompt_size = prompt_size,
                           .context_tokens = wish.context_tokens,
                           .alternatives = wish.alternatives,
                           .blocks = wish.blocks,
                           .min_probability = wish.min_probability,
                           .in_comments = wish.in_comments,
                           .remembering = remembering(wish.uri)};
}

Result<CompletionId> Workspace::complete(const CompletionWish& wish,
                                         Completions::OnAnswer on_answer) {
  if (!document(wish.uri)) return impl_->documents.why_not(wish.uri);
  if (const auto reason = impl_->documents.withheld(wish.uri); reason == SkipReason::kSecret)
    return impl_->completions.decline(why_no_suggestion(*reason), on_answer);
  Result<CompletionRequest> request = impl_->completion_request(wish);
  if (!request) return request.error();
  return impl_->completions.ask(std::move(*request), wish.delay, std::move(on_answer));
}

void Workspace::expect_completion(const CompletionWish& wish) {
  if (impl_->documents.withheld(wish.uri) == SkipReason::kSecret) return;
  if (Result<CompletionRequest> request = impl_->completion_request(wish))
    impl_->completions.read_ahead(std::move(*request));
}

void Workspace::cancel_completion(CompletionId id) { impl_->completions.cancel(id); }

Result<NextEditId> Workspace::next_edit(const std::string& uri, bool in_files,
                                        NextEdits::OnAnswer on_answer) {
  impl_->next_edits_in_files = in_files;
  const std::shared_ptr<const Document> document = this->document(uri);
  if (!document) return impl_->documents.why_not(uri);
  if (const auto reason = impl_->documents.withheld(uri))
    return impl_->next_edits.decline(why_no_suggestion(*reason), on_answer);
  return impl_->next_edits.ask(impl_->next_edit_request(uri), std::move(on_answer));
}

NextEditRequest Workspace::Impl::next_edit_request(const std::string& uri) const {
  NextEditRequest request = redraft::next_edit_request(documents, uri);
  request.decoder = decoder_for(Purpose::kNextEdit);
  request.format = next_edit_format;
  request.min_probability = min_next_edit_probability;
  request.folders = folders;
  const std::shared_ptr<const IndexSnapshot> index = indexes.repository_without(uri);
  request.repository = index;
  if (next_edits_in_files) request.index = index;
  return request;
}

void Workspace::expect_next_edits(bool expect) {
  impl_->expects_next_edits = expect;
  if (!expect) impl_->next_edits.stop_reading_ahead();
}

void Workspace::set_next_edits(std::string format, double min_probability) {
  impl_->next_edit_format = std::move(format);
  impl_->min_next_edit_probability = min_probability;
}

void Workspace::cancel_next_edit(NextEditId id) { impl_->next_edits.cancel(id); }

void Workspace::reject_next_edit(const Document& document, const TextEdit& edit) {
  impl_->next_edits.reject(document, edit);
}

void Workspace::load_early(bool load) {
  impl_->loads_early = load;
  for (const auto& document : impl_->documents.all()) impl_->load_early_for(document);
}

void Workspace::unload_after(std::chrono::milliseconds idle) {
  impl_->host->unload_after(impl_->observing, idle);
}

void Workspace::keep_on_disk(bool keep) { impl_->keeps_on_disk = keep; }

void Workspace::set_prompt_size(std::optional<PromptSize> size) { impl_->prompt_size = size; }

std::optional<PromptSize> Workspace::prompt_size() const {
  return impl_->prompt_size ? impl_->prompt_size : impl_->host->status().prompt_size;
}

void Workspace::focus(const std::string& uri) { impl_->documents.focus(uri); }

bool Workspace::cancel(EditId id) {
  if (!impl_->edits.stop(id)) return false;
  impl_->stop_job(id);
  return true;
}

void Workspace::cancel_all() {
  impl_->read_ahead.stop();
  for (const auto& [id, edit] : impl_->edits.all()) cancel(id);
}

const LiveEdit* Workspace::live_edit(EditId id) const { return impl_->edits.find(id); }

std::shared_ptr<const Document> Workspace::document_of(EditId id) const {
  return impl_->document_of(impl_->edits.find(id));
}

Result<std::vector<TextEdit>> Workspace::resolve(EditId id,
                                                 const std::optional<std::vector<int>>& ids,
                                                 std::int64_t* version) {
  const LiveEdit* edit = impl_->edits.find(id);
  if (edit == nullptr) return Error("there is no edit " + std::to_string(id) + " any more");
  const std::shared_ptr<const Document> document = impl_->document_of(edit);
  if (!document) return Error("the document of edit " + std::to_string(id) + " was closed");
  *version = document->version();
  LiveEdits::Taken taken = impl_->edits.take(id, ids);
  impl_->carry_out(taken.then);
  return std::move(taken.edits);
}

const DecoderName& Workspace::decoder() const { return impl_->decoder; }

void Workspace::set_decoder(const std::optional<DecoderName>& decoder) {
  impl_->decoder = decoder ? *decoder : impl_->default_decoder();
}

Result<void> Workspace::check_decoder(const DecoderName& decoder) const {
  if (!decoder.needs_draft_model() || impl_->host->has_draft()) return {};
  return Error("decoder '" + decoder.text + "' needs a draft model, and there is none");
}

const EngineStatus& Workspace::engine_status() const { return impl_->host->status(); }
CacheMemory Workspace::cache_memory() const { return impl_->host->cache_memory(); }

void Workspace::wait_until_idle() { impl_->host->queue().wait_until_idle(); }

}  // namespace redraft
