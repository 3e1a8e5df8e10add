#include "lsp/features/next_edit_feed.h"

#include <chrono>
#include <utility>

#include "lsp/features/feature_registry.h"
#include "lsp/features/statistics_json.h"
#include "lsp/wire/convert.h"
#include "support/log/log.h"

namespace redraft::lsp {
namespace {

using Clock = std::chrono::steady_clock;

void log(const NextEditAnswer& answer, Clock::time_point asked) {
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - asked).count();
  const DecodeStatistics& run = answer.statistics;
  if (answer.carried) {
    logging::debug("next edit in {} ms, reused from the previous answer", took);
  } else if (answer.by_tree) {
    logging::info("next edit in {} ms: {} edits by the syntax tree", took, answer.edits.size());
  } else if (answer.document && run.passes == 0) {
    logging::info("next edit in {} ms: without the model", took);
  } else if (run.passes > 0) {
    logging::info(
        "next edit in {} ms: {} edits, {} tokens in {} passes, {} of {} prompt tokens read", took,
        answer.edits.size(), run.new_tokens, run.passes, run.prefilled_tokens, run.prompt_tokens);
  } else {
    logging::debug("no next edit: {}{}", answer.why_none, answer.error);
  }
}

Json command(std::int64_t id, int index) {
  return {{"title", "redraft: accepted"},
          {"command", kNextEditAcceptedCommand},
          {"arguments", Json::array({{{"id", id}, {"index", index}}})}};
}

}  // namespace

void from_json(const Json& json, NextEditParams& params) {
  const Json& document = json.at("textDocument");
  params.uri = document.at("uri").get<std::string>();
  const auto version = document.find("version");
  if (version != document.end() && version->is_number_integer())
    params.version = version->get<std::int64_t>();
  const auto in_files = json.find("inFiles");
  params.in_files = in_files != json.end() && in_files->is_boolean() && in_files->get<bool>();
  const auto invoked = json.find("invoked");
  params.invoked = invoked != json.end() && invoked->is_boolean() && invoked->get<bool>();
  const auto position = json.find("position");
  if (position != json.end() && position->is_object()) params.line = position->get<Position>().line;
}

void NextEditFeed::begin(const InitializeParams& params, FeatureRegistry& registry) {
  encoding_ = params.capabilities.encoding;
  for (const char* method : {"redraft/nextEdit", "textDocument/copilotInlineEdit"})
    registry.on(method, this, &NextEditFeed::next_edit);
  registry.on_command(kNextEditAcceptedCommand, this, &NextEditFeed::accepted);
  registry.on_command(kNextEditRejectedCommand, this, &NextEditFeed::rejected);
}

void NextEditFeed::follow_settings() {
  const bool reads = configuration_.settings().read_ahead != ReadAheadWhen::kOff;
  const Settings::NextEdit& wanted = configuration_.settings().next_edit;
  workspace_.set_next_edits(wanted.format, wanted.min_probability);
  workspace_.expect_next_edits(expects_ && enabled() && reads);
}

void NextEditFeed::add_reasons(Reasons& reasons) const {
  if (!enabled()) reasons.push_back("Next edits are off (redraft.nextEdit.enabled).");
}

void NextEditFeed::next_edit(const NextEditParams& params, Reply reply) {
  if (!enabled()) {
    why_none_ = "next edits are off (redraft.nextEdit.enabled)";
    reply({{"edits", Json::array()}, {"whyNone", why_none_}});
    return;
  }
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  if (document && params.version && !versions_.is_current(*document, *params.version)) {
    reply.fail(ErrorCode::kContentModified,
               "the document is at version " + std::to_string(document->version()));
    return;
  }
  if (std::string why = why_not_now(params, document.get()); !why.empty()) {
    why_none_ = std::move(why);
    reply({{"edits", Json::array()}, {"whyNone", why_none_}});
    return;
  }
  const auto asked = Clock::now();
  const Result<NextEditId> id = workspace_.next_edit(
      params.uri, params.in_files, [this, reply, asked, params](NextEditAnswer answer) {
        log(answer, asked);
        if (answer.is_unsure) answer.why_none += " (redraft.nextEdit.minProbability)";
        leave_out_line_just_left(params, answer);
        decoder_.count(answer.statistics);
        why_none_ = answer.error.empty() ? answer.why_none : answer.error;
        if (!answer.error.empty()) {
          reply.fail(ErrorCode::kRequestFailed, answer.error);
        } else {
          reply(result_of(answer));
        }
      });
  if (!id) {
    reply.fail(ErrorCode::kInvalidParams, id.error().message());
    return;
  }
  usage_.count(UsageEvent::kNextEditAsked);
  expects_ = true;
  follow_settings();
  reply.on_cancel([this, id = *id] { workspace_.cancel_next_edit(id); });
}

std::string NextEditFeed::why_not_now(const NextEditParams& params, const Document* document) {
  if (params.invoked || document == nullptr) return {};
  std::string why = quiet_.why_nothing(*document);
  if (!why.empty() && quiet_.is_snoozed(*document)) {
    expects_ = false;
    follow_settings();
  }
  return why;
}

// The user has just written that line and moved on. A correction at once would disturb.
void NextEditFeed::leave_out_line_just_left(const NextEditParams& params,
                                            NextEditAnswer& answer) const {
  if (params.invoked || !answer.document) return;
  const Document& document = *answer.document;
  const std::optional<int> left = quiet_.line_just_left(document.uri(), params.line);
  if (!left) return;
  const auto is_there = [&](const TextEdit& edit) {
    return document.lines().line_of(edit.range.begin) <= *left &&
           *left < document.lines().line_of(edit.range.end);
  };
  if (std::erase_if(answer.edits, is_there) == 0 || !answer.edits.empty()) return;
  answer.document = nullptr;
  answer.why_none = "the next edit is in the line that you just left";
}

Json NextEditFeed::result_of(const NextEditAnswer& answer) {
  Json edits = Json::array();
  if (answer.document) {
    usage_.count(UsageEvent::kNextEditShown);
    ++last_id_;
    last_ = answer;
    const bool is_open = workspace_.document(answer.document->uri()) != nullptr;
    const Json version = is_open ? versions_.of(*answer.document) : Json();
    for (const TextEdit& edit : answer.edits) {
      edits.push_back({{"text", edit.new_text},
                       {"range", to_range(*answer.document, edit.range, encoding_)},
                       {"textDocument", {{"uri", answer.document->uri()}, {"version", version}}},
                       {"command", command(last_id_, static_cast<int>(edits.size()))}});
    }
  }
  const bool ran = answer.statistics.passes > 0;
  return {{"edits", std::move(edits)},
          {"whyNone", answer.why_none.empty() ? Json() : Json(answer.why_none)},
          {"note", answer.note.empty() ? Json() : Json(answer.note)},
          {"carried", answer.carried},
          {"byTree", answer.by_tree},
          {"statistics", ran ? statistics_json(answer.statistics) : Json()}};
}

const TextEdit* NextEditFeed::edit_of(const Json& argument) const {
  const auto number = [&](const char* key) {
    const Json value = argument.is_object() ? argument.value(key, Json()) : Json();
    return value.is_number_integer() ? value.get<std::int64_t>() : -1;
  };
  const std::int64_t index = number("index");
  if (number("id") != last_id_ || index < 0 || index >= std::ssize(last_.edits)) return nullptr;
  return &last_.edits[static_cast<std::size_t>(index)];
}

void NextEditFeed::accepted(const ExecuteCommandParams& params, const Reply& reply) {
  reply(nullptr);
  const TextEdit* edit = edit_of(params.argument);
  if (edit == nullptr) return;
  usage_.count(UsageEvent::kNextEditAccepted);
  const std::shared_ptr<const Document> now = workspace_.document(last_.document->uri());
  if (now)
    taken_back_.watch({.event = UsageEvent::kNextEditTakenBack}, last_.document, {*edit}, *now);
}

void NextEditFeed::rejected(const ExecuteCommandParams& params, const Reply& reply) {
  if (const TextEdit* edit = edit_of(params.argument)) {
    usage_.count(UsageEvent::kNextEditRejected);
    quiet_.rejected();
    workspace_.reject_next_edit(*last_.document, *edit);
  }
  reply(nullptr);  // the quiet time of five seconds has started by now
}

void NextEditFeed::add_status(Json& status) const {
  status["nextEdit"] = {{"enabled", enabled()},
                        {"asked", usage_.of(UsageEvent::kNextEditAsked)},
                        {"proposed", usage_.of(UsageEvent::kNextEditShown)},
                        {"accepted", usage_.of(UsageEvent::kNextEditAccepted)},
                        {"rejected", usage_.of(UsageEvent::kNextEditRejected)},
                        {"takenBack", usage_.of(UsageEvent::kNextEditTakenBack)},
                        {"whyNone", why_none_.empty() ? Json() : Json(why_none_)}};
}

}  // namespace redraft::lsp
