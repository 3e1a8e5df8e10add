#include "lsp/features/completion_feed.h"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <utility>

#include "lsp/features/feature_registry.h"
#include "lsp/features/statistics_json.h"
#include "lsp/wire/convert.h"
#include "support/log/log.h"
#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

constexpr std::size_t kMaxLabelBytes = 72;
constexpr int kSnippetKind = 15;  // CompletionItemKind
constexpr int kPlainText = 1;     // InsertTextFormat
const Json kMenuOptions = {{"resolveProvider", true}};
// Sorts after the items of the language's own server.
constexpr const char* kSortedLast = "~~redraft";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::string_view trimmed_line(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, std::min(text.find_first_of("\r\n"), text.size()));
}

Json data_of(const CompletionAnswer& answer, std::int64_t id) {
  return {{"id", id},
          {"carried", answer.carried},
          {"statistics", answer.statistics ? statistics_json(*answer.statistics) : Json()}};
}

// `index` says which of the answer's texts was accepted.
Json accepted_command(std::int64_t id, std::int64_t index) {
  Json argument = {{"id", id}};
  if (index > 0) argument["index"] = index;
  return {{"title", "redraft: accepted"},
          {"command", kAcceptedCommand},
          {"arguments", Json::array({std::move(argument)})}};
}

std::optional<std::int64_t> number_of(const Json& argument, const char* key) {
  const Json value = argument.is_object() ? argument.value(key, Json()) : Json();
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

void log(const CompletionAnswer& answer, std::chrono::steady_clock::time_point asked) {
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
                        std::chrono::steady_clock::now() - asked)
                        .count();
  if (answer.carried) {
    logging::debug("completion in {} ms, reused from the previous one", took);
  } else if (answer.statistics) {
    const DecodeStatistics& run = *answer.statistics;
    logging::info("completion in {} ms: {} tokens in {} passes, {} of {} prompt tokens read", took,
                  run.new_tokens, run.passes, run.prefilled_tokens, run.prompt_tokens);
  } else {
    logging::debug("no completion: {}{}", answer.why_none, answer.error);
  }
}

std::string as_code_block(const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  std::string block = fence;
  block += '\n' + text + '\n' + fence;
  return block;
}

// A menu item replaces the word before the cursor, so that clients can filter the items while the
// user types.
class MenuItems {
 public:
  MenuItems(const Document& document, std::size_t offset, Encoding encoding) {
    const std::string& text = document.text();
    std::size_t begin = offset;
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    word_ = text.substr(begin, offset - begin);
    replaced_ = {begin, offset};
    range_ = to_range(document, {begin, offset}, encoding);
  }

  const std::string& word() const { return word_; }
  ByteRange replaced() const { return replaced_; }
  Json item(const std::string& text, const CompletionAnswer& answer, std::int64_t id,
            int index) const {
    const std::string whole = word_ + text;
    const std::string line(trimmed_line(whole));
    return {{"label", shortened(line, kMaxLabelBytes)},
            {"kind", kSnippetKind},
            {"detail", "redraft"},
            {"sortText", kSortedLast + std::to_string(index)},
            {"filterText", line},
            {"insertTextFormat", kPlainText},
            {"textEdit", {{"range", range_}, {"newText", whole}}},
            {"command", accepted_command(id, index)},
            {"data", data_of(answer, id)}};
  }

 private:
  std::string word_;
  ByteRange replaced_;
  Range range_;
};

}  // namespace

void CompletionFeed::begin(const InitializeParams& params, FeatureRegistry& registry) {
  client_ = params.capabilities;
  registry.on("textDocument/inlineCompletion", this, &CompletionFeed::inline_completion);
  if (client_.inline_completion) registry.announce("inlineCompletionProvider", Json::object());

  registry.on("textDocument/completion", this, &CompletionFeed::menu_completion);
  registry.on("completionItem/resolve", this, &CompletionFeed::resolve);
  menu_offered_ = wants_menu();
  if (menu_offered_) registry.announce("completionProvider", kMenuOptions);

  registry.on("redraft/expectCompletion", this, &CompletionFeed::expect);
  registry.announce("experimental", {{"redraft", {{"expectCompletion", true}}}});

  registry.on("textDocument/didShowCompletion", this, &CompletionFeed::shown);
  registry.on("textDocument/didPartiallyAcceptCompletion", this,
              &CompletionFeed::accepted_partially);
  registry.on_command(kAcceptedCommand, this, &CompletionFeed::accepted);
  registry.on_command(kRejectedCommand, this, &CompletionFeed::rejected);
}

void CompletionFeed::follow_settings() {
  if (menu_offered_ || !wants_menu() || !client_.completion_registration) return;
  menu_offered_ = true;
  const Json registration = {{"id", "redraft-completion"},
                             {"method", "textDocument/completion"},
                             {"registerOptions", kMenuOptions}};
  connection_->request("client/registerCapability",
                       {{"registrations", Json::array({registration})}}, [](const Json*) {});
}

// With both forms, every suggestion would appear twice.
bool CompletionFeed::wants_menu() const {
  return settings().menu == CompletionMenu::kAlways ||
         (settings().menu == CompletionMenu::kAuto && !client_.inline_completion);
}

void CompletionFeed::add_reasons(Reasons& reasons) const {
  if (!settings().enabled) {
    reasons.push_back("Completion is off (redraft.completion.enabled).");
    return;
  }
  for (const auto& [language, on] : settings().languages) {
    if (on) continue;
    const std::string which = language == "*" ? "languages that are not listed" : language;
    reasons.push_back("Completion is off for " + which + " (redraft.completion.languages).");
  }
}

std::optional<CompletionFeed::AskedPlace> CompletionFeed::place_of(const std::string& uri,
                                                                   const Position& position,
                                                                   bool automatic,
                                                                   const Json& nothing,
                                                                   const Reply& reply) {
  std::shared_ptr<const Document> document = workspace_.document(uri);
  if (!settings().enabled) {
    set_why_none("completion is off (redraft.completion.enabled)");
  } else if (!document) {
    set_why_none("the file is not open, or redraft cannot edit it");
  } else if (!settings().enabled_for(document->language_id())) {
    set_why_none("completion is off for " + document->language_id() +
                 " (redraft.completion.languages)");
  } else if (std::string why = automatic ? quiet_.why_nothing(*document) : std::string();
             !why.empty()) {
    set_why_none(why);
  } else {
    const std::size_t offset =
        to_offset(document->text(), document->lines(), position, client_.encoding);
    return AskedPlace{std::move(document), offset};
  }
  reply(nothing);
  return std::nullopt;
}

void CompletionFeed::leave_out_rejected(const Target& target, CompletionAnswer& answer) const {
  if (!target.automatic || answer.texts.empty()) return;
  std::erase_if(answer.texts, [&](const std::string& text) {
    return offered_.is_rejected(*target.document, target.range, target.begin + text);
  });
  if (answer.texts.empty()) answer.why_none = "you rejected the same suggestion before";
}

void CompletionFeed::ask(Workspace::CompletionWish wish, Target target, const Reply& reply,
                         const Json& nothing,
                         std::function<Json(const CompletionAnswer&, std::int64_t)> to_result) {
  const auto asked = std::chrono::steady_clock::now();
  wish.max_new_tokens = settings().max_tokens;
  wish.context_tokens = settings().context_tokens;
  wish.in_comments = settings().in_comments;
  if (target.automatic) wish.min_probability = settings().min_probability;
  const auto on_answer = [this, reply, nothing, asked, target = std::move(target),
                          to_result = std::move(to_result)](CompletionAnswer answer) {
    log(answer, asked);
    leave_out_rejected(target, answer);
    if (answer.statistics) decoder_.count(*answer.statistics);
    count(answer);
    if (!answer.error.empty()) {
      reply.fail(ErrorCode::kRequestFailed, answer.error);
    } else if (answer.texts.empty()) {
      reply(nothing);
    } else {
      OfferedCompletions::Offer offer{.document = target.document, .range = target.range};
      for (const std::string& text : answer.texts) offer.texts.push_back(target.begin + text);
      reply(to_result(answer, offered_.add(std::move(offer))));
    }
  };
  const Result<CompletionId> id = workspace_.complete(wish, on_answer);
  if (!id) {
    reply.fail(ErrorCode::kInvalidParams, id.error().message());
    return;
  }
  reply.on_cancel([this, id = *id] { workspace_.cancel_completion(id); });
}

void CompletionFeed::expect(const CompletionParams& params) {
  const std::shared_ptr<const Document> document = workspace_.document(params.uri);
  if (!document || !settings().enabled || !settings().enabled_for(document->language_id()) ||
      configuration_.settings().read_ahead == ReadAheadWhen::kOff || quiet_.is_snoozed(*document))
    return;
  workspace_.expect_completion(
      {.uri = params.uri,
       .offset = to_offset(document->text(), document->lines(), params.position, client_.encoding),
       .context_tokens = settings().context_tokens,
       .in_comments = settings().in_comments});
}

void CompletionFeed::count(const CompletionAnswer& answer) {
  if (answer.superseded) return;
  if (answer.texts.empty()) {
    const char* setting = answer.is_unsure ? " (redraft.completion.minProbability)" : "";
    set_why_none(answer.error.empty() ? answer.why_none + setting : answer.error);
    return;
  }
  why_none_.clear();
  usage_.count(UsageEvent::kCompletionSuggested);
  if (answer.carried) usage_.count(UsageEvent::kCompletionCarried);
}

void CompletionFeed::set_why_none(const std::string& why) {
  why_none_ = why;
  if (!why.empty()) usage_.note_none(why, std::time(nullptr));
}

void CompletionFeed::inline_completion(const InlineCompletionParams& params, Reply reply) {
  const Json nothing = {{"items", Json::array()}};
  const std::optional<AskedPlace> place =
      place_of(params.uri, params.position, params.automatic, nothing, reply);
  if (!place) return;
  Workspace::CompletionWish wish{.uri = params.uri, .offset = place->offset};
  wish.alternatives = params.automatic ? 1 : settings().alternatives;
  wish.blocks = params.automatic ? 1 : kBlocksWhenInvoked;
  if (params.automatic) wish.delay = std::chrono::milliseconds(settings().delay);
  Target target{.document = place->document,
                .range = {place->offset, place->offset},
                .automatic = params.automatic};
  Range range = to_range(*place->document, {place->offset, place->offset}, client_.encoding);
  if (params.selected) {
    wish.selected = target.begin = params.selected->text;
    wish.selected_range = target.range =
        to_bytes(*place->document, params.selected->range, client_.encoding);
    range = params.selected->range;
  }
  const auto to_result = [before = target.begin, range](const CompletionAnswer& answer,
                                                        std::int64_t id) {
    Json items = Json::array();
    for (const std::string& text : answer.texts) {
      items.push_back({{"insertText", before + text},
                       {"range", range},
                       {"command", accepted_command(id, std::ssize(items))},
                       {"data", data_of(answer, id)}});
    }
    return Json{{"items", std::move(items)}};
  };
  ask(std::move(wish), std::move(target), reply, nothing, to_result);
}

void CompletionFeed::menu_completion(const CompletionParams& params, Reply reply) {
  const Json nothing = {{"isIncomplete", true}, {"items", Json::array()}};
  if (!wants_menu()) {
    set_why_none("completions in the menu are off (redraft.completion.menu)");
    reply(nothing);
    return;
  }
  const std::optional<AskedPlace> place =
      place_of(params.uri, params.position, true, nothing, reply);
  if (!place) return;
  const Workspace::CompletionWish wish{.uri = params.uri,
                                       .offset = place->offset,
                                       .delay = std::chrono::milliseconds(settings().delay)};
  const MenuItems menu(*place->document, place->offset, client_.encoding);
  Target target{.document = place->document, .range = menu.replaced(), .begin = menu.word()};
  ask(wish, std::move(target), reply, nothing,
      [menu](const CompletionAnswer& answer, std::int64_t id) {
        Json items = Json::array();
        for (const std::string& text : answer.texts)
          items.push_back(menu.item(text, answer, id, static_cast<int>(items.size())));
        return Json{{"isIncomplete", true}, {"items", std::move(items)}};
      });
}

void CompletionFeed::resolve(const CompletionItemParams& params, Reply reply) {
  Json item = params.json;
  const Json* edit = item.contains("textEdit") ? &item["textEdit"] : nullptr;
  if (edit && edit->is_object() && edit->contains("newText") && (*edit)["newText"].is_string()) {
    std::string text = (*edit)["newText"].get<std::string>();
    if (client_.markdown_documentation) {
      item["documentation"] = {{"kind", "markdown"}, {"value", as_code_block(text)}};
    } else {
      item["documentation"] = std::move(text);
    }
  }
  reply(std::move(item));
}

void CompletionFeed::shown(const CompletionNews& news) {
  if (news.id > 0) usage_.count(UsageEvent::kCompletionShown);
}

void CompletionFeed::accepted(const ExecuteCommandParams& params, const Reply& reply) {
  reply(nullptr);
  const std::int64_t id = number_of(params.argument, "id").value_or(0);
  if (id < 1 || id > offered_.last_id()) return;
  usage_.count(UsageEvent::kCompletionAccepted);
  logging::debug("completion {} accepted", id);
  const OfferedCompletions::Offer* offer = offered_.find(id);
  const auto index = static_cast<std::size_t>(number_of(params.argument, "index").value_or(0));
  if (offer == nullptr || index >= offer->texts.size()) return;
  const std::shared_ptr<const Document> now = workspace_.document(offer->document->uri());
  if (now == nullptr) return;
  taken_back_.watch({.event = UsageEvent::kCompletionTakenBack}, offer->document,
                    {{offer->range, offer->texts[index]}}, *now);
}

void CompletionFeed::rejected(const ExecuteCommandParams& params, const Reply& reply) {
  const std::int64_t id = number_of(params.argument, "id").value_or(0);
  if (const OfferedCompletions::Offer* offer = offered_.find(id)) {
    usage_.count(UsageEvent::kCompletionRejected);
    offered_.reject(*offer);
    quiet_.rejected();
  }
  reply(nullptr);  // the quiet time of five seconds has started by now
}

void CompletionFeed::accepted_partially(const CompletionNews& news) {
  if (news.id > 0) usage_.count(UsageEvent::kCompletionAcceptedPartially);
}

void CompletionFeed::add_status(Json& status) const {
  status["completion"] = {
      {"suggested", usage_.of(UsageEvent::kCompletionSuggested)},
      {"carried", usage_.of(UsageEvent::kCompletionCarried)},
      {"shown", usage_.of(UsageEvent::kCompletionShown)},
      {"accepted", usage_.of(UsageEvent::kCompletionAccepted)},
      {"acceptedPartially", usage_.of(UsageEvent::kCompletionAcceptedPartially)},
      {"rejected", usage_.of(UsageEvent::kCompletionRejected)},
      {"takenBack", usage_.of(UsageEvent::kCompletionTakenBack)},
      {"whyNone", why_none_.empty() ? Json() : Json(why_none_)}};
}

}  // namespace redraft::lsp
