#include "lsp/features/edit_feature.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "decoding/decoder_name.h"
#include "lsp/features/code_actions.h"
#include "lsp/features/decoder_choice.h"
#include "lsp/features/diagnostics.h"
#include "lsp/features/feature_registry.h"
#include "lsp/features/instruction_comment.h"
#include "lsp/wire/convert.h"
#include "support/files/mains_power.h"
#include "support/log/log.h"
#include "text/strings/blank_text.h"
#include "workspace/documents/cursor_region.h"

namespace redraft::lsp {
namespace {

Result<EditScope> choose_scope(const std::optional<std::string>& name,
                               const std::optional<ByteRange>& range, bool has_ranges) {
  if (has_ranges) {
    if (!range && (!name || *name == "file")) return EditScope::kPlaces;
    return Error(
        "\"ranges\" cannot be combined with \"range\" or with a scope other than \"file\"");
  }
  if (!name) return default_scope(range);
  if (*name == kAutomaticScope)
    return range && range->empty() ? EditScope::kAuto : default_scope(range);
  if (*name == "file") return EditScope::kPlaces;
  if (*name == "whole") return EditScope::kFile;
  if (*name == "symbol") return EditScope::kSymbol;
  if (*name != "selection")
    return Error("unknown scope \"" + *name + "\": use selection, symbol, file, whole or auto");
  if (!range || range->empty())
    return Error("scope \"selection\" requires a range that is not empty");
  return EditScope::kSelection;
}

// The decoder that the request names; otherwise the one in the settings.
Result<DecoderName> choose_decoder(const std::string& name, const Workspace& workspace) {
  if (name.empty()) return workspace.decoder();
  Result<DecoderName> decoder = parse_decoder_name(name);
  if (!decoder) return decoder;
  if (const Result<void> fit = check_decoder(workspace, *decoder); !fit) return fit.error();
  return decoder;
}

Result<EditRequest> to_request(const EditParams& params, std::shared_ptr<const Document> document,
                               Encoding encoding, const Workspace& workspace, int max_tokens) {
  Result<DecoderName> decoder = choose_decoder(params.decoder, workspace);
  if (!decoder) return decoder.error();
  std::vector<Diagnostic> diagnostics = params.diagnostics;
  if (diagnostics.size() > kMaxDiagnostics) diagnostics.resize(kMaxDiagnostics);
  std::vector<EditProblem> problems;
  for (const Diagnostic& diagnostic : diagnostics)
    problems.push_back({to_bytes(*document, diagnostic.range, encoding), diagnostic.message});
  std::optional<ByteRange> range;
  if (params.range) range = to_bytes(*document, *params.range, encoding);
  std::optional<std::size_t> cursor;
  if (params.cursor) cursor = to_bytes(*document, {*params.cursor, *params.cursor}, encoding).begin;
  std::optional<std::string> scope_name = params.scope;
  const bool has_place = range || scope_name || !params.ranges.empty();
  if (!has_place && !problems.empty()) {
    range = ByteRange{problems.front().range.begin, problems.front().range.begin};
    scope_name = kAutomaticScope;
  }
  const Result<EditScope> scope = choose_scope(scope_name, range, !params.ranges.empty());
  if (!scope) return scope.error();
  std::vector<ByteRange> places;
  for (const Range& place : params.ranges) places.push_back(to_bytes(*document, place, encoding));
  std::string instruction = with_diagnostics(params.instruction, std::move(diagnostics), *document);
  return EditRequest{
      .document = std::move(document),
      .instruction = std::move(instruction),
      .change = params.change,
      .range = range,
      .cursor = cursor,
      .scope = *scope,
      .places = std::move(places),
      .problems = std::move(problems),
      .decoder = std::move(*decoder),
      .max_new_tokens = params.max_new_tokens > 0 ? params.max_new_tokens : max_tokens,
      .retry_index = params.another};
}

// The data that a client needs to show a region and to request an edit of it.
Json region_json(const Document& document, const Region& region, Encoding encoding) {
  const char* scope = "selection";
  if (region.kind == RegionKind::kFile) scope = "whole";
  if (region.range.empty()) scope = kAutomaticScope;  // a place between two lines
  return {{"range", to_range(document, region.range, encoding)},
          {"scope", scope},
          {"name", region.name},
          {"lines", line_count(document, region)},
          {"title", region_title(document, region)}};
}

// Some editors always have a selection, of one character or of the word that the cursor moved over.
// Others extend a cursor to the word under it. No edit concerns a single word, so such a selection
// counts as a cursor.
bool is_as_good_as_cursor(const Document& document, const Range& range, Encoding encoding) {
  const ByteRange bytes = to_bytes(document, range, encoding);
  std::string_view text = std::string_view(document.text()).substr(bytes.begin, bytes.size());
  if (text == "\n" || text == "\r\n") return true;  // a line's end
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  const auto is_of_word = [](unsigned char byte) {
    return byte >= 0x80 || byte == '_' || std::isalnum(byte) != 0;
  };
  return text.size() <= 1 ? text != "\r" : std::ranges::all_of(text, is_of_word);
}

// The document without the instruction comment: a model that sees the comment may think that the
// work is done. Spaces replace the comment, so that offsets stay the same.
std::shared_ptr<const Document> with_comment_hidden(const std::shared_ptr<const Document>& document,
                                                    const EditParams& params, const Json& line) {
  const LineIndex& lines = document->lines();
  if (!line.is_number_unsigned() ||
      line.get<std::uint64_t>() >= static_cast<std::uint64_t>(lines.line_count()))
    return document;
  const ByteRange place = {lines.start(line.get<int>()), lines.content_end(line.get<int>())};
  const std::optional<InstructionComment> found = find_instruction(*document, place);
  if (!found || found->instruction != params.instruction) return document;
  std::string text = document->text();
  text.replace(place.begin, place.size(), place.size(), ' ');
  const Result<std::shared_ptr<const Document>> hidden =
      document->changed(document->version(), std::move(text));
  return hidden ? *hidden : document;
}

// Reads the single argument of a command; answers with an error if it is missing.
template <typename Params, typename Use>
void with_argument(const ExecuteCommandParams& params, const Reply& reply, const Use& use) {
  if (params.argument.is_object()) {
    Dispatcher::with_params<Params>(params.argument, reply, use);
  } else {
    reply.fail(ErrorCode::kInvalidParams, params.command + " takes one argument, an object");
  }
}

}  // namespace

void EditFeature::begin(const InitializeParams& params, FeatureRegistry& registry) {
  client_ = params.capabilities;
  feed_.set_capabilities(client_);
  registry.on("textDocument/codeAction", this, &EditFeature::code_action);
  registry.on("codeAction/resolve", this, &EditFeature::resolve_code_action);
  registry.announce("codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite"}},
                                           {"resolveProvider", true},
                                           {"workDoneProgress", false}});

  registry.on_command(kEditCommand, this, &EditFeature::edit_command);
  registry.on_command(kApplyCommand, this, &EditFeature::apply_command);
  registry.on_command(kCancelCommand, this, &EditFeature::cancel_command);
  registry.on("window/workDoneProgress/cancel", this, &EditFeature::cancel_progress);

  registry.on("redraft/resolveEdit", this, &EditFeature::resolve_edit);
  registry.on("redraft/prepare", this, &EditFeature::prepare);
  registry.on("redraft/stopPreparing", this, &EditFeature::stop_preparing);
  registry.on("redraft/region", this, &EditFeature::region);
  registry.announce("experimental",
                    {{"redraft", {{"streamedEdits", true}, {"prepare", true}, {"region", true}}}});
}

void EditFeature::add_reasons(Reasons& reasons) const {
  if (takes_commands()) return;
  reasons.push_back(
      "Edits by command are off: the editor supports neither workspace.applyEdit nor streamed "
      "edits.");
}

void EditFeature::code_action(const CodeActionParams& requested, Reply reply) {
  const std::shared_ptr<const Document> document = workspace_.document(requested.uri);
  CodeActionParams params = requested;
  if (document && !client_.prompt &&
      is_as_good_as_cursor(*document, params.range, client_.encoding))
    params.range.end = params.range.start;
  Json actions = document
                     ? code_actions(params, *document, client_, feed_.left_out(document->uri()))
                     : disabled_actions(params, workspace_.why_not(params.uri).message(), client_);
  if (params.partial_result_token) {
    connection_->notify("$/progress", {{"token", *params.partial_result_token},
                                       {"value", std::exchange(actions, Json::array())}});
  }
  reply(std::move(actions));
  if (document) read_ahead_for(params);
}

// A client that announces edits itself also requests code actions wherever the cursor rests. The
// prompt is read there only with the setting `idle`.
void EditFeature::read_ahead_for(const CodeActionParams& params) {
  const ReadAheadWhen when = configuration_.settings().read_ahead;
  const bool wanted = when == ReadAheadWhen::kIdle
                          ? params.invoked || on_mains_power()
                          : when == ReadAheadWhen::kPrompt && params.invoked && !client_.prepares;
  if (!wanted) return;
  EditParams edit;
  edit.uri = params.uri;
  edit.range = params.range;
  if (params.range.start == params.range.end) edit.scope = kAutomaticScope;
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  Result<EditRequest> request = to_request(edit, document, client_.encoding, workspace_, 0);
  if (!request) return;
  const auto on_end = [](const std::string& why) {
    if (why.empty()) logging::info("read ahead the prompt of an edit at the cursor");
  };
  // The editor does not wait for this, so an error is ignored.
  static_cast<void>(workspace_.announce(params.uri, document->version(), std::move(*request),
                                        {.on_end = on_end}));
}

void EditFeature::prepare(const PrepareParams& params, Reply reply) {
  std::optional<EditRequest> request = request_of(params.edit, reply);
  if (!request) return;
  const std::shared_ptr<const Document> document = request->document;
  const bool reads = configuration_.settings().read_ahead != ReadAheadWhen::kOff;
  const auto news = std::make_shared<Json>();  // null until the region is known
  const ReadAhead::Observer observer = {
      .reads = reads,
      .on_region =
          [this, document, reply, news, reads](ByteRange bytes) {
            const Json range = to_range(*document, bytes, client_.encoding);
            reply({{"version", document->version()}, {"range", range}, {"reads", reads}});
            *news = {{"uri", document->uri()},
                     {"version", document->version()},
                     {"range", range},
                     {"fraction", 0.0}};
          },
      .on_read =
          [this, news](double fraction) {
            (*news)["fraction"] = fraction;
            connection_->notify("$/redraft/prepare", *news);
          },
      .on_end =
          [this, reply, news, reads](const std::string& why) {
            if (news->is_null()) return reply.fail(ErrorCode::kRequestFailed, why);
            if (!reads) return;
            (*news)["end"] = true;
            if (!why.empty()) (*news)["why"] = why;
            connection_->notify("$/redraft/prepare", *news);
          }};
  const Result<void> announced =
      workspace_.announce(document->uri(), document->version(), std::move(*request), observer);
  if (!announced) reply.fail(ErrorCode::kRequestFailed, announced.error().message());
}

void EditFeature::region(const PrepareParams& params, Reply reply) {
  std::optional<EditRequest> request = request_of(params.edit, reply);
  if (!request) return;
  if (!request->range) {
    return reply.fail(
        ErrorCode::kInvalidParams,
        "redraft/region requires a range: the selection, or an empty range at the cursor");
  }
  const Result<void> asked = workspace_.find_regions(
      params.edit.uri, request->document->version(), *request->range,
      [reply, encoding = client_.encoding](const Document& document,
                                           const Result<RegionChain>& chain) {
        if (!chain) return reply.fail(ErrorCode::kRequestFailed, chain.error().message());
        Json regions = Json::array();
        for (const Region& region : chain->regions)
          regions.push_back(region_json(document, region, encoding));
        reply({{"version", document.version()}, {"index", chain->chosen}, {"regions", regions}});
      });
  if (!asked) reply.fail(ErrorCode::kRequestFailed, asked.error().message());
}

void EditFeature::stop_preparing(const NoParams&) { workspace_.stop_reading_ahead(); }

void EditFeature::resolve_code_action(const CodeAction& action, Reply reply) {
  if (!action.json.contains("data")) return reply(action.json);  // its command is complete
  const std::optional<EditId> id = start(action.data, action.json["data"], reply);
  if (!id) return;
  reply.on_cancel([this, id = *id] { workspace_.cancel(id); });
  feed_.start(*id, {.reply = reply,
                    .action = action.json,
                    .progress = progress(std::nullopt, false),
                    .takes_doubtful = action.data.doubtful});
}

void EditFeature::edit_command(const ExecuteCommandParams& params, const Reply& reply) {
  with_argument<EditParams>(params, reply,
                            [&](const EditParams& wanted) { edit(wanted, params, reply); });
}

void EditFeature::apply_command(const ExecuteCommandParams& params, const Reply& reply) {
  with_argument<EditParams>(params, reply, [&](const EditParams& wanted) {
    if (is_blank_text(wanted.change, kAnyBlank)) {
      reply.fail(ErrorCode::kInvalidParams, "the change is empty. Copy some code first");
      return;
    }
    edit(wanted, params, reply);
  });
}

void EditFeature::cancel_command(const ExecuteCommandParams& params, const Reply& reply) {
  with_argument<EditIdParams>(params, reply, [&](const EditIdParams& which) {
    const bool runs = workspace_.cancel(which.edit_id);
    if (runs) logging::info("edit {}: cancellation requested", which.edit_id);
    reply({{"cancelled", runs}});
  });
}

void EditFeature::edit(const EditParams& params, const ExecuteCommandParams& command,
                       const Reply& reply) {
  if (!takes_commands()) {
    reply.fail(ErrorCode::kRequestFailed,
               "the client supports neither workspace.applyEdit nor streamed edits. Use the code "
               "actions instead");
    return;
  }
  const std::optional<EditId> id = start(params, command.argument, reply);
  if (!id) return;
  // This comes first, so that a client that is told of an edit is also told of its end, even after
  // a failure here.
  feed_.start(*id, {.reply = std::nullopt,
                    .action = {{"data", command.argument}},
                    .progress = progress(command.work_done_token, client_.streamed_edits),
                    .takes_doubtful = params.doubtful});
  reply({{"editId", *id}});
}

std::optional<EditRequest> EditFeature::request_of(const EditParams& params,
                                                   const Reply& reply) const {
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  if (document == nullptr) {
    reply.fail(ErrorCode::kInvalidParams,
               "the document is not open, or redraft cannot edit it: " + params.uri);
    return std::nullopt;
  }
  if (params.version && !versions_.is_current(*document, *params.version)) {
    reply.fail(ErrorCode::kContentModified,
               "the document is at version " + std::to_string(document->version()) +
                   ", but the request is for version " + std::to_string(*params.version));
    return std::nullopt;
  }
  Result<EditRequest> request = to_request(params, document, client_.encoding, workspace_,
                                           configuration_.settings().edit.max_tokens);
  if (!request) {
    reply.fail(ErrorCode::kInvalidParams, request.error().message());
    return std::nullopt;
  }
  return std::move(*request);
}

std::optional<EditId> EditFeature::start(const EditParams& params, const Json& argument,
                                         const Reply& reply) {
  if (is_blank_text(params.instruction, kAnyBlank) && params.change.empty() &&
      params.diagnostics.empty()) {
    reply.fail(ErrorCode::kInvalidParams, "the instruction is blank. Say what to change");
    return std::nullopt;
  }
  std::optional<EditRequest> request = request_of(params, reply);
  if (!request) return std::nullopt;
  const std::int64_t version = request->document->version();
  if (argument.contains(kCommentLine))
    request->document = with_comment_hidden(request->document, params, argument[kCommentLine]);
  const Result<EditId> id = workspace_.edit(params.uri, version, std::move(*request));
  if (!id) {
    reply.fail(ErrorCode::kRequestFailed, id.error().message());
    return std::nullopt;
  }
  return *id;
}

std::shared_ptr<WorkDoneProgress> EditFeature::progress(const std::optional<Json>& token,
                                                        bool streamed) {
  const WorkDoneProgress::Title title = {
      .text = "redraft: editing", .cancellable = true, .has_fraction = true};
  if (token) return WorkDoneProgress::on_token(connection_, *token, title);
  // A client that supports streamed edits shows its own progress.
  if (streamed || !client_.work_done_progress) return nullptr;
  return WorkDoneProgress::create(connection_, title);
}

void EditFeature::resolve_edit(const ResolveEditParams& params, Reply reply) {
  feed_.resolve(params, reply);
}

void EditFeature::cancel_progress(const ProgressCancelParams& params) {
  feed_.cancel_progress(params.token);
}

}  // namespace redraft::lsp
