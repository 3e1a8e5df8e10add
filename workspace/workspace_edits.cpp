// The edits of a Workspace: from the request through the decode thread to hunks and the end.
#include <algorithm>
#include <utility>

#include "support/trace/trace.h"
#include "workspace/documents/cursor_region.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/edit/edit_run.h"
#include "workspace/engine/measure_when_idle.h"
#include "workspace/engine/save_when_idle.h"
#include "workspace/workspace_impl.h"

namespace redraft {
namespace {

constexpr const char* kRepaired = "it was put right: other changes take its place";

std::vector<ByteRange> lines_of_places(const EditRequest& request) {
  std::vector<ByteRange> lines;
  for (const ByteRange& place : request.places) {
    const auto region = EditRegion::make(request.document, EditScope::kSelection, place);
    lines.push_back(region->range());
  }
  return lines;
}

}  // namespace

void Workspace::Impl::run_on_decode_thread(Impl* self, const OwnerPost& call, EngineHost& host,
                                           EditId id, const EditRequest& request,
                                           const std::string& source,
                                           const DecodeQueue::Control& control) {
  const Span span("edit", "edit", id);
  Result<EditResult> result = run_on_engine(host, "the edit failed", [&](Engine& engine) {
    engine.take_read_prompts();  // of an edit that ended with an exception
    Result<EditResult> edited = run_request(self, call, engine, id, request, control);
    save_when_idle(host, engine.take_read_prompts(), source);
    measure_when_idle(host, engine);
    return edited;
  });
  if (!result) {
    call([self, id, error = result.error().message()] {
      self->receive_end(id, EditOutcome::kFailed, nullptr, error);
    });
    return;
  }
  const EditOutcome outcome = result->finish_reason == FinishReason::kCancelled
                                  ? EditOutcome::kCancelled
                                  : EditOutcome::kDone;
  call([self, id, outcome, result = std::make_shared<const EditResult>(std::move(*result))] {
    self->receive_end(id, outcome, result.get(), {});
  });
}

Result<EditResult> Workspace::Impl::run_request(Impl* self, const OwnerPost& call, Engine& engine,
                                                EditId id, const EditRequest& request,
                                                const DecodeQueue::Control& control) {
  const EditObserver edit_observer{
      .on_places =
          [&](const ChosenPlaces& places) {
            call([self, id, document = request.document, places] {
              self->receive_places(id, *document, places);
            });
          },
      .on_hunk =
          [&](const Hunk& hunk) { call([self, id, hunk] { self->receive_hunk(id, hunk); }); },
      .on_replaced =
          [&](const std::vector<Hunk>& hunks) {
            call([self, id, hunks] { self->receive_replaced(id, hunks); });
          },
      .on_progress =
          [&](const EditProgress& progress) {
            call([self, id, progress] { self->receive_progress(id, progress); });
            control.give_way();
          }};
  if (request.change.empty() && request.another == 0) {  // for a change run_edit() does that
    if (std::optional<EditResult> renamed = carry_out_rename(request)) {
      std::ranges::for_each(renamed->hunks, edit_observer.on_hunk);
      return std::move(*renamed);
    }
  }
  return run_edit(engine, request, edit_observer, control.stop);
}

EditId Workspace::Impl::add_done(const std::string& uri, EditResult result) {
  const EditId id = edits.add(uri);
  carry_out(edits.set_region(id, result.region));
  call([this, id, result = std::make_shared<const EditResult>(std::move(result))] {
    for (const Hunk& hunk : result->hunks) receive_hunk(id, hunk);
    receive_end(id, EditOutcome::kDone, result.get(), {});
  });
  return id;
}

// The decode thread finds out which lines are around a cursor, because that parses the document,
// which should not delay the user's typing. It does so even between two passes of a running edit,
// since that may be the edit that the new one replaces. In a file that is too large to be edited as
// a whole, the edit itself finds the places: it may have to ask the model.
void Workspace::Impl::find_region(EditId id, const EditRequest& request) {
  if (!request.places.empty()) return carry_out(edits.set_regions(id, lines_of_places(request)));
  const bool is_tiny = request.document->text().size() <= min_edit_region_bytes();
  const bool is_known = request.scope == EditScope::kSelection ||
                        request.scope == EditScope::kFile ||
                        (request.scope == EditScope::kPlaces && is_tiny);
  if (is_known) {
    const auto region = EditRegion::make(request.document, request.scope, request.range);
    return receive_region(id, nullptr, region->range());
  }
  host->queue().add(
      [self = this, call = call, host = host.get(), id, request](const DecodeQueue::Control&) {
        bool is_later = false;
        const Result<EditRegion> region =
            run_on_engine(*host, "finding the lines to edit failed", [&](Engine& engine) {
              is_later = edits_places(engine, request);
              return edit_region(engine, request);
            });
        // Where it fails the edit fails too, and says why.
        if (!region || is_later) return;
        const bool is_news = request.scope != EditScope::kPlaces;
        call([self, id, document = is_news ? request.document : nullptr, range = region->range()] {
          self->receive_region(id, document.get(), range);
        });
      },
      Urgency::kCompletion);
}

// On the decode thread, because it parses the document. As much as any machine writes is a region
// where it is not known yet how fast this one is.
Result<void> Workspace::find_regions(const std::string& uri, std::int64_t version, ByteRange at,
                                     OnRegions on_answer) {
  EditRequest request{.document = {},
                      .instruction = "-",
                      .range = at,
                      .scope = EditScope::kAuto,
                      .decoder = impl_->decoder};
  if (Result<void> filled = impl_->fill_in(uri, version, request); !filled) return filled;
  if (Result<void> checked = check_request(request); !checked) return checked;
  impl_->host->queue().add(
      [call = impl_->call, host = impl_->host.get(), document = request.document, at,
       on_answer = std::move(on_answer)](const DecodeQueue::Control&) {
        const EngineHost::Use use(*host);
        Engine* const engine = host->loaded_engine();
        const std::size_t max_bytes =
            engine == nullptr ? max_edit_region_bytes() : edit_region_bytes(engine->cost_curve());
        call([on_answer, document, chain = regions_at(*document, at, max_bytes)] {
          on_answer(*document, chain);
        });
      },
      Urgency::kWithoutModel);
  return {};
}

// `document`: where the region was looked for; null: the client knows the region.
void Workspace::Impl::receive_region(EditId id, const Document* document, ByteRange region) {
  const LiveEdit* edit = edits.find(id);
  const bool is_news = document != nullptr && edit != nullptr && edit->runs();
  if (is_news && document_of(edit).get() == document && observer.on_region)
    observer.on_region(id, *document, region);
  carry_out(edits.set_region(id, region));
}

void Workspace::Impl::receive_places(EditId id, const Document& document,
                                     const ChosenPlaces& places) {
  const LiveEdit* edit = edits.find(id);
  const bool is_news = edit != nullptr && edit->runs();
  if (is_news && document_of(edit).get() == &document && observer.on_places)
    observer.on_places(id, document, places);
  std::vector<ByteRange> regions;
  for (const EditPlace& place : places.chosen) regions.push_back(place.range);
  carry_out(edits.set_regions(id, std::move(regions)));
}

void Workspace::Impl::carry_out(const LiveEdits::Consequences& then) {
  for (const EditId id : then.to_stop) stop_job(id);
  if (observer.on_hunks_changed) {
    for (const auto& [id, hunks] : then.news) observer.on_hunks_changed(id, hunks);
  }
  if (observer.on_over) {
    for (const EditId id : then.over) observer.on_over(id);
  }
}

// Null if the edit no longer applies to the document.
std::shared_ptr<const Document> Workspace::Impl::document_of(const LiveEdit* edit) const {
  return edit != nullptr && edit->counts() ? documents.find(edit->uri) : nullptr;
}

void Workspace::Impl::receive_progress(EditId id, const EditProgress& progress) {
  const LiveEdit* edit = edits.find(id);
  if (edit != nullptr && edit->runs() && observer.on_progress) observer.on_progress(id, progress);
}

void Workspace::Impl::receive_hunk(EditId id, Hunk hunk) {
  const LiveEdit* edit = edits.find(id);
  if (edit == nullptr || !edit->runs() || edit->state == LiveEdit::State::kOrphaned) return;
  const std::shared_ptr<const Document> document = documents.find(edit->uri);
  const LiveEdits::Received received = edits.receive(id, std::move(hunk), document->version());
  carry_out(received.then);
  if (observer.on_hunk) observer.on_hunk(id, received.hunk);
}

void Workspace::Impl::receive_replaced(EditId id, const std::vector<Hunk>& hunks) {
  const LiveEdit* edit = edits.find(id);
  if (edit == nullptr || !edit->runs() || !edit->counts()) return;
  const std::optional<LiveEdits::Consequences> withdrawn = edits.withdraw(id, kRepaired);
  if (!withdrawn) return;
  carry_out(*withdrawn);
  for (const Hunk& hunk : hunks) receive_hunk(id, hunk);
}

void Workspace::Impl::receive_end(EditId id, EditOutcome outcome, const EditResult* result,
                                  const std::string& error) {
  const LiveEdit* edit = edits.find(id);
  const bool counted = edit != nullptr && edit->counts();
  if (!edits.end(id)) return;  // it was cancelled while the model was loading
  // The result of a replaced edit does not count, even if the model had just finished it.
  if (!counted && outcome == EditOutcome::kDone) outcome = EditOutcome::kCancelled;
  const std::string why = outcome == EditOutcome::kCancelled ? edit->why_stopped : error;
  // The owner may resolve hunks in this call, or close the document.
  if (observer.on_end) observer.on_end(id, outcome, result, why);
  carry_out(edits.settle());
}

// A job that never started has nobody else to report its end; while the model is loading nobody
// reports soon.
void Workspace::Impl::stop_job(EditId id) {
  const DecodeQueue::JobId job = edits.find(id)->job;
  if (host->queue().cancel(job) || host->status().state == EngineStatus::State::kLoading)
    call([this, id] { receive_end(id, EditOutcome::kCancelled, nullptr, {}); });
}

}  // namespace redraft
