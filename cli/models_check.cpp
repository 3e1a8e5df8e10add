// redraft models check: whether a model is loaded as its makers meant it.
#include "cli/models_check.h"

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cli/common/engine_check.h"
#include "cli/common/engine_loader.h"
#include "cli/common/interrupt.h"
#include "cli/common/report.h"
#include "cli/common/status_line.h"
#include "decoding/model/model_store.h"
#include "support/seconds_since.h"
#include "workspace/engine/model_check.h"

namespace redraft::cli {
namespace {

struct CheckOptions {
  CommonOptions common;  // its target is the model
  Format format = Format::kText;
};

nlohmann::ordered_json to_json(const ChatCheck& chat) {
  if (!chat.why_none.empty()) return {{"format", nullptr}, {"why_none", chat.why_none}};
  nlohmann::ordered_json control = nlohmann::ordered_json::array();
  for (const auto& [text, id] : chat.control) {
    const nlohmann::ordered_json known = id >= 0 ? nlohmann::ordered_json(id) : nullptr;
    control.push_back({{"text", text}, {"id", known}});
  }
  return {{"format", chat.format},
          {"prompt", chat.prompt},
          {"control_tokens", std::move(control)},
          {"complete", chat.is_complete()}};
}

nlohmann::ordered_json to_json(const SettingCheck& settings) {
  if (settings.tokens == 0) return nullptr;
  nlohmann::ordered_json others = nlohmann::ordered_json::array();
  for (const auto& [change, perplexity] : settings.others)
    others.push_back({{"change", change}, {"perplexity", perplexity}});
  return {{"tokens", settings.tokens},
          {"as_stated", settings.as_stated},
          {"others", std::move(others)}};
}

nlohmann::ordered_json to_json(const DraftCheck& drafts) {
  nlohmann::ordered_json json = {{"tokens", drafts.tokens},
                                 {"passes", drafts.passes},
                                 {"identical", !drafts.first_difference.has_value()}};
  if (drafts.first_difference) json["first_difference"] = *drafts.first_difference;
  return json;
}

nlohmann::ordered_json to_json(const ModelCheck& check) {
  return {{"tokenizer",
           {{"texts", check.tokenizer.texts},
            {"not_covered", check.tokenizer.not_covered},
            {"faults", check.tokenizer.faults}}},
          {"chat", to_json(check.chat)},
          {"perplexity",
           {{"code", check.predictions.code},
            {"shuffled", check.predictions.shuffled},
            {"tokens", check.predictions.tokens},
            {"max_plausible", kMaxPlausiblePerplexity}}},
          {"settings", to_json(check.settings)},
          {"drafts", to_json(check.drafts)},
          {"rows_per_second", {{"1", check.one_row}, {"8", check.eight_rows}}},
          {"faults", faults_of(check)}};
}

void print_row(const char* name, const std::string& value) {
  std::printf("%-12s%s\n", name, value.c_str());
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 100 ? "%.2f" : "%.0f", value);
  return text;
}

void print(const TokenizerCheck& tokenizer) {
  const auto changed = static_cast<int>(tokenizer.faults.size());
  const int same = tokenizer.texts - tokenizer.not_covered - changed;
  std::string text = std::to_string(same) + " of " + std::to_string(tokenizer.texts) +
                     " texts came back as they were";
  if (tokenizer.not_covered > 0) {
    text += ", " + std::to_string(tokenizer.not_covered) + " have bytes that the vocabulary lacks";
  }
  print_row("tokenizer", text);
}

void print(const ChatCheck& chat) {
  if (!chat.why_none.empty()) return print_row("chat", "none: " + chat.why_none);
  std::string tokens;
  for (const auto& [text, id] : chat.control) {
    tokens += (tokens.empty() ? "" : ", ") + text + " is " +
              (id >= 0 ? "token " + std::to_string(id) : "no token of this model");
  }
  print_row("chat", chat.format + ": " + (tokens.empty() ? "no control tokens" : tokens));
}

void print(const SettingCheck& settings) {
  if (settings.tokens == 0) return;
  std::string text = number(settings.as_stated) + " on " + std::to_string(settings.tokens) +
                     " tokens of code as the file states them";
  for (const auto& [change, perplexity] : settings.others)
    text += "; " + number(perplexity) + " with " + change;
  print_row("settings", text);
}

void print(const DraftCheck& drafts) {
  const std::string size =
      std::to_string(drafts.tokens) + " tokens in " + std::to_string(drafts.passes) + " passes, ";
  print_row("drafts",
            size + (drafts.first_difference ? "other text from token " +
                                                  std::to_string(*drafts.first_difference) + " on"
                                            : "identical to plain decoding"));
}

void print(const ModelCheck& check) {
  print(check.tokenizer);
  print(check.chat);
  const PredictionCheck& found = check.predictions;
  print_row("perplexity", number(found.code) + " on code, " + number(found.shuffled) +
                              " with its lines shuffled");
  print(check.settings);
  print(check.drafts);
  print_row("speed", number(check.one_row) + " rows/s in passes of 1 row, " +
                         number(check.eight_rows) + " in passes of 8");
  if (faults_of(check).empty()) print_row("verdict", "plausible: no fault of loading is known");
}

// Everything of a check. The parts that run the model show their progress and end when they are
// interrupted.
Result<ModelCheck> check(LocalEngine& engine, StatusLine& status, const InterruptWatch& watch) {
  const Result<DecoderName> drafting = parse_decoder_name("redraft");
  if (!drafting) return drafting.error();
  ModelCheck result{.tokenizer = check_tokenizer(engine.tokenizer()),
                    .chat = check_chat(engine.tokenizer())};
  const auto show = [&status](double fraction) {
    status.show(percent(fraction) + " · reading code");
  };
  const std::optional<PredictionCheck> predictions =
      check_predictions(engine.target(), engine.tokenizer(), show, watch.token());
  if (!predictions) return Error("interrupted");
  result.predictions = *predictions;
  const auto show_settings = [&status](double fraction) {
    status.show(percent(fraction) + " · reading code with other settings");
  };
  const std::optional<SettingCheck> settings =
      check_settings(engine.target(), engine.tokenizer(), show_settings, watch.token());
  if (!settings) return Error("interrupted");
  result.settings = *settings;
  status.show("writing with and without drafts");
  const Result<DraftCheck> drafts = check_drafts(engine, *drafting, watch.token());
  if (!drafts) return drafts.error();
  result.drafts = *drafts;
  status.show("timing passes");
  result.one_row = rows_per_second(engine.target(), 1);
  result.eight_rows = rows_per_second(engine.target(), 8);
  return result;
}

int report(const CheckOptions& options, const LocalEngine& engine, const ModelCheck& check,
           double seconds) {
  if (options.format == Format::kJson) {
    nlohmann::ordered_json json = {{"model", options.common.target},
                                   {"device", engine.device().text()}};
    json.update(to_json(check));
    json["seconds"] = seconds;
    std::cout << dump(json) << std::endl;
  } else {
    print(check);
    std::fflush(stdout);
  }
  const CheckVerdict verdict = verdict_of(check);
  if (verdict.fault.empty()) return kSuccess;
  const bool decoding = check.drafts.first_difference && faults_of(check).size() == 1;
  return fail(Error(
      options.common.target +
      (decoding ? " is loaded, but not decoded correctly. " : " is probably loaded wrongly. ") +
      verdict.fault + " " + advice_after_fault(check)));
}

int run_check(const CheckOptions& options) {
  if (const Result<void> applied = apply(options.common); !applied) return fail(applied.error());
  const Result<ModelLocation> location = locate_model(options.common.target);
  if (!location) return fail(location.error());
  const Result<DecoderName> decoder = parse_decoder_name("redraft");
  if (!decoder) return fail(decoder.error());
  const auto began = std::chrono::steady_clock::now();
  const std::unique_ptr<ThreadPool> pool = make_pool(options.common);
  const InterruptWatch watch;
  StatusLine status;
  const Result<std::unique_ptr<LocalEngine>> engine = load_engine(
      options.common, *decoder, *pool, shown_on(status, watch.token()), Fallback::kNone);
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!engine) return fail(engine.error());
  const Result<ModelCheck> result = check(**engine, status, watch);
  status.clear();
  if (watch.interrupted()) return kInterrupted;
  if (!result) return fail(result.error());
  remember_checks(**engine, *location);
  (*engine)->keep_check(verdict_of(*result));
  return report(options, **engine, *result, seconds_since(began));
}

}  // namespace

void add_models_check(CommandLine models, Command& chosen) {
  const CommandLine command = models.add_subcommand(
      "check", "Check that a model predicts, writes and reads text as a sound model does");
  const auto options = std::make_shared<CheckOptions>();
  command.add_option("NAME", options->common.target, "A model in the store, or a path").required();
  command.add_option("--format", options->format, "Output format").transform(text_or_json());
  add_machine_options(command, options->common);
  command.callback([&chosen, options] { chosen = [options] { return run_check(*options); }; });
}

}  // namespace redraft::cli
