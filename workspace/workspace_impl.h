// The implementation of Workspace. Only the sources of Workspace include it.
//
// Jobs run on the decode thread with what they captured and the engine host, which outlives them;
// everything else runs on the owner's thread. Results come back through OwnerPost only, which
// discards them after the Workspace is destroyed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "workspace/documents/file_uri.h"
#include "workspace/documents/open_documents.h"
#include "workspace/edit/edit_decision.h"
#include "workspace/engine/decode_queue.h"
#include "workspace/engine/freed_memory.h"
#include "workspace/index/workspace_indexes.h"
#include "workspace/workspace.h"

namespace redraft {

struct Workspace::Impl {
  Impl(std::shared_ptr<EngineHost> given_host, Post post, WorkspaceObserver given_observer)
      : host(std::move(given_host)),
        observer(std::move(given_observer)),
        call(std::move(post), alive),
        read_ahead(*host, call, count_read_ahead()),
        decoder(default_decoder()),
        completions(host->of(Purpose::kCompletion), call, count_read_ahead()),
        next_edits(host->of(Purpose::kNextEdit), call, count_read_ahead()),
        freed(host->queue()) {}

  // On the decode thread.
  // `first` is empty if the request is too large to decide it on the owner's thread. `source` is
  // the file whose prompts may be kept on disk, or empty.
  static Result<EditResult> run_job(Impl* self, const OwnerPost& call, EngineHost& host, EditId id,
                                    const EditRequest& request,
                                    const std::optional<FirstDecision>& first,
                                    const std::string& source, const DecodeQueue::Control& control);
  static EditObserver observer_of(Impl* self, const OwnerPost& call, EditId id,
                                  const EditRequest& request, const DecodeQueue::Control& control);
  static void report_end(Impl* self, const OwnerPost& call, EditId id, Result<EditResult> result);

  // On the owner's thread.
  OnReadAhead count_read_ahead() {
    return [this](const Engine::ReadAheadWork& work) {
      if (observer.on_read_ahead) observer.on_read_ahead(work);
    };
  }
  // Fills in what the client does not know. An error if the document is not open at this version.
  Result<void> fill_in(const std::string& uri, std::int64_t version, EditRequest& request) const;
  Result<CompletionRequest> completion_request(const CompletionWish& wish) const;
  NextEditRequest next_edit_request(const std::string& uri) const;
  // An edit that waits for the user has priority over speculative requests.
  void stop_reading_guesses();
  // Adds an edit that needed no model. Its hunks and its end are reported after the caller returns.
  EditId add_done(const std::string& uri, EditResult result);
  // Adds the job that decides and carries out an edit.
  DecodeQueue::JobId add_job(EditId id, std::shared_ptr<const EditRequest> request,
                             std::optional<FirstDecision> first, const std::string& source);
  void find_region(EditId id, std::shared_ptr<const EditRequest> request, ModelTask task);
  void receive_region(EditId id, const Document* document, ByteRange region);
  void receive_places(EditId id, const Document& document, const ChosenPlaces& places);
  void receive_hunk(EditId id, Hunk hunk);
  void receive_replaced(EditId id, const std::vector<Hunk>& hunks);
  void receive_progress(EditId id, const EditProgress& progress);
  void receive_end(EditId id, EditOutcome outcome, const EditResult* result,
                   const std::string& error);
  void carry_out(const LiveEdits::Consequences& then);
  void stop_job(EditId id);
  std::shared_ptr<const Document> document_of(const LiveEdit* edit) const;
  void index_buffer(const std::string& uri);
  // Loads the models if load_early() is on and redraft knows the language of `document`.
  void load_early_for(const std::shared_ptr<const Document>& document);
  std::filesystem::path root_of(const std::string& uri) const;
  DecoderName default_decoder() const {
    return *parse_decoder_name(host->has_draft() ? "redraft:model" : "redraft");
  }
  // A model beside the target may lack what the decoder that was chosen needs: a draft model, or
  // what the target alone has, such as a draft head.
  DecoderName decoder_for(Purpose purpose) const {
    const EngineHost& own = host->of(purpose);
    const bool is_beside = &own != host.get();
    const bool has = (!decoder.needs_draft_model() || own.has_draft()) &&
                     !(is_beside && decoder.asks_more_of_target());
    return has ? decoder : *parse_decoder_name("redraft");
  }
  // Whether the text written in the document may be used in drafts for others.
  Remembering remembering(const std::string& uri) const {
    return documents.withheld(uri) ? Remembering::kNothing : Remembering::kShared;
  }
  // The file whose prompts may be kept on disk; empty: none. Prompts of a text without a file are
  // not kept, because a user could not name them to erase them.
  std::string source_to_keep(const std::string& uri) const {
    const auto path = path_of_uri(uri);
    return keeps_on_disk && path ? path->string() : std::string();
  }
  // The document is gone or replaced: all work on it ends.
  void forget(const std::string& uri, const std::string& reason);

  std::shared_ptr<EngineHost> host;
  EngineHost::ObserverId observing = 0;
  WorkspaceObserver observer;
  OpenDocuments documents;
  LiveEdits edits;
  std::shared_ptr<const bool> alive = std::make_shared<const bool>(true);
  OwnerPost call;
  ReadAhead read_ahead;
  DecoderName decoder;
  Completions completions;
  NextEdits next_edits;
  FreedMemory freed;
  std::vector<std::filesystem::path> folders;
  WorkspaceIndexes indexes;
  std::optional<PromptSize> prompt_size;  // nothing: the engine's own
  bool keeps_on_disk = true;
  bool loads_early = false;
  bool expects_next_edits = false;
  bool next_edits_in_files = false;
  std::string next_edit_format = std::string(kFormatByModel);
  double min_next_edit_probability = NextEditRequest().min_probability;
};

}  // namespace redraft
