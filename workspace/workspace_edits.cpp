// The edits of a Workspace: from the request through the decode thread to hunks and the end.
#include <algorithm>
#include <utility>

#include "support/trace/trace.h"
#include "workspace/documents/cursor_region.h"
#include "workspace/edit/edit_context.h"
#include "workspace/edit/run_edit.h"
#include "workspace/engine/measure_when_idle.h"
#include "workspace/engine/save_when_idle.h"
#include "workspace/workspace_impl.h"

namespace redraft {
namespace {

constexpr const char* kRepaired = "redraft corrected it: other changes take its place";

constexpr const char* kFailed = "the edit failed";
constexpr const char* kNoRegions = "finding the regions failed";

std::vector<ByteRange> ranges_of(const ChosenPlaces& places) {
  std::vector<ByteRange> ranges;
  for (const EditPlace& place : places.chosen) ranges.push_back(place.range);
  return ranges;
}

// Whether the workspace's owner can find the lines of the task without parsing, and with any size
// of prompts.
bool is_found_without_parsing(const EditRequest& request, const ModelTask& task) {
  const bool is_tiny = request.document->text().size() <= min_edit_region_bytes();
  return !task.places.empty() || task.scope == EditScope::kSelection ||
         task.scope == EditScope::kFile || (task.scope == EditScope::kPlaces && is_tiny);
}

}  // namespace

DecodeQueue::JobId Workspace::Impl::add_job(EditId id, std::shared_ptr<const EditRequest> request,
                                            std::optional<FirstDecision> first,
                                            const std::string& source) {
  return host->queue().add(
      [self = this, call = call, host = host.get(), id, request = std::move(request),
       first = std::move(first), source](const DecodeQueue::Control& control) {
        const Span span("edit", "edit", id);
        Result<EditResult> result =
            run_job(self, call, *host, id, *request, first, source, control);
        report_end(self, call, id, std::move(result));
      },
      Urgency::kEdit, {},
      [self = this, call = call, id](const Error& error) {
        report_end(self, call, id, error.in(kFailed));
      });
}

void Workspace::Impl::report_end(Impl* self, const OwnerPost& call, EditId id,
                                 Result<EditResult> result) {
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

// The observer of an edit's job: passes everything on to the owner's thread.
EditObserver Workspace::Impl::observer_of(Impl* self, const OwnerPost& call, EditId id,
                                          const EditRequest& request,
                                          const DecodeQueue::Control& control) {
  return {.on_places =
              [self, call, id, document = request.document](const ChosenPlaces& places) {
                call([self, id, document, places] { self->receive_places(id, *document, places); });
              },
          .on_hunk =
              [self, call, id](const Hunk& hunk) {
                call([self, id, hunk] { self->receive_hunk(id, hunk); });
              },
          .on_replaced =
              [self, call, id](const std::vector<Hunk>& hunks) {
                call([self, id, hunks] { self->receive_replaced(id, hunks); });
              },
          .on_progress =
              [self, call, id, &control](const EditProgress& progress) {
                call([self, id, progress] { self->receive_progress(id, progress); });
                control.give_way();
              }};
}

Result<EditResult> Workspace::Impl::run_job(Impl* self, const OwnerPost& call, EngineHost& host,
                                            EditId id, const EditRequest& request,
                                            const std::optional<FirstDecision>& first,
                                            const std::string& source,
                                            const DecodeQueue::Control& control) {
  const EditObserver edit_observer = observer_of(self, call, id, request, control);
  const Result<FirstDecision> decision =
      first ? Result<FirstDecision>(*first) : decide_without_model(request);
  if (!decision) return decision.error();
  if (std::optional<EditResult> done = carry_out_without_model(request, *decision)) {
    std::ranges::for_each(done->hunks, edit_observer.on_hunk);
    return *std::move(done);
  }
  return run_on_engine(host, kFailed, [&](Engine& engine) {
    engine.take_read_prompts();  // left by an edit that ended with an exception
    Result<EditResult> edited =
        run_task(engine, request, std::get<ModelTask>(*decision), edit_observer, control.stop);
    save_when_idle(host, engine.take_read_prompts(), source);
    measure_when_idle(host, engine);
    return edited;
  });
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

// Parsing the document must not delay the user's typing, so the decode thread finds the lines
// around a cursor. It does so even between two passes of a running edit, because that may be the
// edit that this one replaces. In a large file the edit itself finds the places: it may have to ask
// the model.
void Workspace::Impl::find_region(EditId id, std::shared_ptr<const EditRequest> request,
                                  ModelTask task) {
  if (is_found_without_parsing(*request, task)) {
    const Result<EditDecision> decision = decide(*request, task, EditLimits());
    if (!decision) return;  // the edit reports the error
    if (const auto* places = std::get_if<PlacesEdit>(&*decision))
      return carry_out(edits.set_regions(id, ranges_of(places->given)));
    return receive_region(id, nullptr, region_of(*decision));
  }
  host->queue().add(
      [self = this, call = call, host = host.get(), id, request = std::move(request),
       task = std::move(task)](const DecodeQueue::Control&) {
        const Result<EditDecision> decision = run_on_engine(*host, kFailed, [&](Engine& engine) {
          const PromptSize size = engine.prompt_size(request->prompt_size);
          return decide(*request, task, {.region_bytes = edit_region_bytes(size)});
        });
        // The edit reports an error, and the places that it finds.
        if (!decision || std::holds_alternative<PlacesEdit>(*decision)) return;
        const bool is_news = task.scope != EditScope::kPlaces;
        call([self, id, document = is_news ? request->document : nullptr,
              range = region_of(*decision)] { self->receive_region(id, document.get(), range); });
      },
      Urgency::kCompletion);
}

// The decode thread does this, because it parses the document. If no size of prompts was ever
// chosen for this machine, a region may be as large as with any size.
Result<void> Workspace::find_regions(const std::string& uri, std::int64_t version, ByteRange at,
                                     OnRegions on_answer) {
  EditRequest request{.document = {},
                      .instruction = "-",
                      .range = at,
                      .scope = EditScope::kAuto,
                      .decoder = impl_->decoder};
  if (Result<void> filled = impl_->fill_in(uri, version, request); !filled) return filled;
  if (Result<void> checked = check_request(request); !checked) return checked;
  const auto answer = [call = impl_->call, document = request.document,
                       on_answer = std::move(on_answer)](const Result<RegionChain>& chain) {
    call([document, on_answer, chain] { on_answer(*document, chain); });
  };
  impl_->host->queue().add(
      [host = impl_->host.get(), document = request.document, named = request.prompt_size, at,
       answer](const DecodeQueue::Control&) {
        answer(run_on_loaded_engine(*host, kNoRegions, [&](Engine* engine) -> Result<RegionChain> {
          std::optional<PromptSize> size = named;
          if (!size) size = engine != nullptr ? engine->prompt_size() : host->kept_prompt_size();
          return regions_at(*document, at,
                            size ? edit_region_bytes(*size) : max_edit_region_bytes());
        }));
      },
      Urgency::kWithoutModel, {}, [answer](const Error& error) { answer(error.in(kNoRegions)); });
  return {};
}

// `document` is where the region was found; null: the client knows the region already.
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
  carry_out(edits.set_regions(id, ranges_of(places)));
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
  if (result != nullptr) edits.settle_doubts(id, *result);
  if (!edits.end(id)) return;  // it was cancelled while the model was loading
  // The result of a replaced edit does not count, even if the model has just finished it.
  if (!counted && outcome == EditOutcome::kDone) outcome = EditOutcome::kCancelled;
  const std::string why = outcome == EditOutcome::kCancelled ? edit->why_stopped : error;
  // The owner may resolve hunks in this call, or close the document.
  if (observer.on_end) observer.on_end(id, outcome, result, why);
  carry_out(edits.settle());
}

// Nobody else reports the end of a job that never started, and while the model is loading, nobody
// reports it soon.
void Workspace::Impl::stop_job(EditId id) {
  const DecodeQueue::JobId job = edits.find(id)->job;
  if (host->queue().cancel(job) || host->status().state == EngineStatus::State::kLoading)
    call([this, id] { receive_end(id, EditOutcome::kCancelled, nullptr, {}); });
}

}  // namespace redraft
