// What a Workspace is made of. Only for the sources of Workspace itself.
//
// Jobs run on the decode thread with what they captured and the engine host, which outlives them;
// everything else runs on the owner's thread. Results come back through OwnerPost only, which
// discards them after the Workspace is destroyed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workspace/documents/file_uri.h"
#include "workspace/documents/open_documents.h"
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
  static Result<EditResult> run_request(Impl* self, const OwnerPost& call, Engine& engine,
                                        EditId id, const EditRequest& request,
                                        const DecodeQueue::Control& control);
  // `source` is the file whose prompts may be kept on disk, or empty.
  static void run_on_decode_thread(Impl* self, const OwnerPost& call, EngineHost& host, EditId id,
                                   const EditRequest& request, const std::string& source,
                                   const DecodeQueue::Control& control);

  // On the owner's thread.
  OnReadAhead count_read_ahead() {
    return [this](const Engine::ReadAheadWork& work) {
      if (observer.on_read_ahead) observer.on_read_ahead(work);
    };
  }
  // Fills in what the client does not say. An error if there can be no such edit.
  Result<void> fill_in(const std::string& uri, std::int64_t version, EditRequest& request) const;
  Result<CompletionRequest> completion_request(const CompletionWish& wish) const;
  NextEditRequest next_edit_request(const std::string& uri) const;
  // An edit that the user is asked about is worth more than requests that may never come.
  void stop_reading_guesses();
  // An edit that needs no model; it is told of, and ends, once the caller knows it.
  EditId add_done(const std::string& uri, EditResult result);
  void find_region(EditId id, const EditRequest& request);
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
  // If load_early() asks for it and `document` is one in which something may be requested.
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
  // The file whose prompts may be kept on disk; empty: none. A text without a file is not kept,
  // because nobody could name it to have it erased.
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
  bool keeps_on_disk = true;
  bool loads_early = false;
  bool expects_next_edits = false;
  bool next_edits_in_files = false;
  std::string next_edit_format = std::string(kFormatByModel);
  double min_next_edit_probability = NextEditRequest().min_probability;
};

}  // namespace redraft
