#include "workspace/engine/model_check.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <span>
#include <string_view>

#include "decoding/draft_tree.h"
#include "decoding/model_powers.h"
#include "decoding/perplexity.h"
#include "support/seconds_since.h"
#include "text/chat_template.h"
#include "text/prompt_encoder.h"
#include "workspace/engine/check_text.h"

namespace redraft {
namespace {

constexpr int kDraftedTokens = 96;
constexpr std::size_t kShownBytes = 1500;  // of the code, in the prompt of the drafts
constexpr std::size_t kBegunBytes = 300;   // of these, in the answer, which the model continues
constexpr std::string_view kRewrite =
    "Rename the class Bed to Patch in this code and answer with the whole code.\n\n";
constexpr int kSpeedContext = 256;
constexpr int kMinTimings = 3;
constexpr double kTimingSeconds = 1;  // after which no further timing starts

// The control token by which each format is recognised.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFormats = {
    {{"<|im_start|>", "ChatML"},
     {"<|start_header_id|>", "Llama 3"},
     {"<|EOT|>", "DeepSeek Coder"}}};

// `text` as a model is given it, with at most `limit` tokens.
std::vector<TokenId> tokens_of(const Tokenizer& tokenizer, std::string_view text, int limit) {
  std::vector<TokenId> tokens = tokenizer.encode(text);
  if (tokenizer.begin_of_text() >= 0) tokens.insert(tokens.begin(), tokenizer.begin_of_text());
  if (std::ssize(tokens) > limit) tokens.resize(static_cast<std::size_t>(std::max(0, limit)));
  return tokens;
}

// Infinite if there is nothing to predict, or if a probability is no number.
double perplexity_of(std::span<const float> log_probabilities) {
  double sum = 0;
  for (const float each : log_probabilities) sum += each;
  const double value = std::exp(-sum / static_cast<double>(log_probabilities.size()));
  return std::isfinite(value) ? value : INFINITY;
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 1000 ? "%.2f" : "%.0f", value);
  return text;
}

std::string poor_prediction(double perplexity, double limit) {
  if (!std::isfinite(perplexity)) return "The model's predictions are not numbers.";
  return "The model does not predict ordinary code: its perplexity is " + rounded(perplexity) +
         ", and at most " + rounded(limit) + " is plausible.";
}

// A trial of a setting, as long as this lives.
class Tried {
 public:
  Tried(SettingTrying& trying, std::size_t trial) : trying_(trying) { trying.try_setting(trial); }
  ~Tried() { trying_.try_setting(std::nullopt); }
  Tried(const Tried&) = delete;
  Tried& operator=(const Tried&) = delete;

 private:
  SettingTrying& trying_;
};

// The other setting that predicts the code best, if it does so better than is plausible and as well
// as a sound model; a model that predicts nothing says nothing about its settings.
std::optional<std::pair<std::string, double>> better_setting(const SettingCheck& check) {
  const auto best =
      std::ranges::min_element(check.others, {}, &std::pair<std::string, double>::second);
  if (best == check.others.end() || best->second > kMaxPlausiblePerplexity ||
      best->second * kMaxPlausibleGain >= check.as_stated)
    return std::nullopt;
  return *best;
}

// A request to rewrite the built-in code, with that code as a prediction and the answer begun: even
// a small model then copies, so that much can be drafted.
Result<DecodeRequest> rewriting(const Engine& engine) {
  const Tokenizer& tokenizer = engine.tokenizer();
  const std::string code(check_code().substr(0, kShownBytes));
  Result<std::vector<PromptPart>> parts =
      chat_prompt(tokenizer, {{"user", std::string(kRewrite) + code}});
  if (!parts) parts = std::vector<PromptPart>{{code + "\n" + std::string(kRewrite), false}};
  parts->push_back({"```python\n" + code.substr(0, kBegunBytes), false});
  Result<std::vector<TokenId>> prompt = encode_prompt(tokenizer, *parts);
  // The vocabulary lacks a control token of the chat: check_chat() says so.
  if (!prompt) prompt = encode_prompt(tokenizer, {{code + "\n" + std::string(kRewrite), false}});
  if (!prompt) return prompt.error();
  DecodeRequest request;
  const auto room = static_cast<std::ptrdiff_t>(engine.context_length()) / 2;
  request.prompt.assign(prompt->end() - std::min(std::ssize(*prompt), room), prompt->end());
  request.original = tokenizer.encode(code);
  request.max_new_tokens = std::min(kDraftedTokens, engine.context_length() / 4);
  return request;  // without stop tokens: a faulty model may want to stop at once
}

}  // namespace

TokenizerCheck check_tokenizer(const Tokenizer& tokenizer) {
  TokenizerCheck check;
  for (const std::string& text : round_trip_texts()) {
    const std::string which = "text " + std::to_string(++check.texts);
    const std::vector<TokenId> ids = tokenizer.encode(text);
    if (std::ranges::any_of(ids, [&](TokenId id) { return tokenizer.is_special(id); })) {
      check.faults.push_back(which + " became a control token");
    } else if (!tokenizer.covers(text)) {
      ++check.not_covered;
    } else if (tokenizer.decode(ids) != text) {
      check.faults.push_back(which + " came back as another");
    }
  }
  return check;
}

bool ChatCheck::is_complete() const {
  return std::ranges::all_of(control, [](const auto& token) { return token.second >= 0; });
}

ChatCheck check_chat(const Tokenizer& tokenizer) {
  ChatCheck check;
  const Result<std::vector<PromptPart>> parts = chat_prompt(tokenizer, {{"user", "Hello"}});
  if (!parts) {
    check.why_none = parts.error().message();
    return check;
  }
  check.format = "of its own";
  for (const PromptPart& part : *parts) check.prompt += part.text;
  for (const PromptPart& part : *parts) {
    if (!part.control) continue;
    const std::pair token(part.text, tokenizer.special(part.text));
    if (std::ranges::find(check.control, token) == check.control.end())
      check.control.push_back(token);
  }
  for (const auto& format : kFormats) {
    const auto has_mark = [&](const auto& token) { return token.first == format.first; };
    if (std::ranges::any_of(check.control, has_mark)) check.format = format.second;
  }
  if (check.prompt.starts_with("### Instruction:")) check.format = "DeepSeek Coder";
  return check;
}

std::optional<PredictionCheck> check_predictions(LanguageModel& model, const Tokenizer& tokenizer,
                                                 const OnCheckProgress& on_progress,
                                                 const std::stop_token& stop) {
  const int limit = model.context_length();
  const std::vector<TokenId> code = tokens_of(tokenizer, check_code(), limit);
  const std::vector<TokenId> shuffled =
      tokens_of(tokenizer, with_shuffled_lines(check_code()), limit);
  const auto whole = static_cast<double>(code.size() + shuffled.size());
  const auto score = [&](const std::vector<TokenId>& tokens, std::size_t before) {
    const auto tell = [&](std::span<const float> known) {
      if (on_progress) on_progress(static_cast<double>(before + known.size()) / whole);
    };
    return perplexity_of(token_log_probabilities(model, tokens, tell, stop));
  };
  PredictionCheck check{.tokens = static_cast<int>(code.size())};
  check.code = score(code, 0);
  check.shuffled = score(shuffled, code.size());
  if (stop.stop_requested()) return std::nullopt;
  return check;
}

std::optional<SettingCheck> check_settings(LanguageModel& model, const Tokenizer& tokenizer,
                                           const OnCheckProgress& on_progress,
                                           const std::stop_token& stop) {
  SettingTrying* const trying = model.setting_trying();
  if (trying == nullptr) return SettingCheck{};
  const std::vector<TokenId> code =
      tokens_of(tokenizer, check_code(), std::min(SettingTrying::kTokens, model.context_length()));
  const std::vector<std::string> changes = trying->trials();
  const auto whole = static_cast<double>((changes.size() + 1) * code.size());
  std::size_t before = 0;
  const auto perplexity = [&] {
    const auto tell = [&](std::span<const float> known) {
      if (on_progress) on_progress(static_cast<double>(before + known.size()) / whole);
    };
    const double value = perplexity_of(token_log_probabilities(model, code, tell, stop));
    before += code.size();
    return value;
  };
  SettingCheck check{.tokens = static_cast<int>(code.size()), .as_stated = perplexity()};
  for (std::size_t i = 0; i < changes.size() && !stop.stop_requested(); ++i) {
    const Tried tried(*trying, i);
    check.others.emplace_back(changes[i], perplexity());
  }
  if (stop.stop_requested()) return std::nullopt;
  return check;
}

Result<DraftCheck> check_drafts(Engine& engine, const DecoderName& drafting,
                                const std::stop_token& stop) {
  const Result<DecodeRequest> request = rewriting(engine);
  if (!request) return request.error();
  const Result<DecoderName> plain = DecoderName::parse("ar");
  if (!plain) return plain.error();
  const auto write = [&](const DecoderName& name) {
    return engine.decode(Purpose::kEdit, name, *request, {}, stop, Remembering::kNothing);
  };
  const Result<DecodeResult> without = write(*plain);
  if (!without) return without.error();
  const Result<DecodeResult> with = write(drafting);
  if (!with) return with.error();
  if (stop.stop_requested()) return Error("the check was stopped");
  DraftCheck check{.tokens = static_cast<int>(without->tokens.size()),
                   .passes = with->statistics.passes};
  const auto [left, right] = std::ranges::mismatch(without->tokens, with->tokens);
  if (left != without->tokens.end() || right != with->tokens.end())
    check.first_difference = static_cast<int>(left - without->tokens.begin());
  return check;
}

double rows_per_second(LanguageModel& model, int rows) {
  const int capacity = std::min(model.context_length(), kSpeedContext + rows);
  const int length = std::max(0, capacity - rows);
  const std::unique_ptr<KvCache> cache = model.filled_cache(capacity, length);
  cache->remember();  // each pass is cut off again
  // Different tokens, because equal ones would all use the same experts of a mixture.
  std::vector<TokenId> tokens(static_cast<std::size_t>(rows));
  for (int i = 0; i < rows; ++i) tokens[i] = (length + i) % model.vocabulary_size();
  const DraftTree draft = DraftTree::chain(std::span(tokens).subspan(1), DraftOrigin::kOther);
  double fastest = INFINITY, spent = 0;
  for (int i = 0; i < kMinTimings || spent < kTimingSeconds; ++i) {
    const auto began = std::chrono::steady_clock::now();
    model.forward(std::span(tokens).first(1), draft, *cache, PredictionNeeds{});
    const double seconds = seconds_since(began);
    cache->truncate(length);
    fastest = std::min(fastest, seconds);
    spent += seconds;
  }
  return rows / fastest;
}

std::vector<std::string> faults_of(const ModelCheck& check) {
  std::vector<std::string> faults;
  const PredictionCheck& found = check.predictions;
  if (found.code > kMaxPlausiblePerplexity)
    faults.push_back(poor_prediction(found.code, kMaxPlausiblePerplexity));
  if (found.code >= found.shuffled)
    faults.push_back(
        "The model predicts code no better than the same lines in random order: "
        "perplexity " +
        rounded(found.code) + " and " + rounded(found.shuffled) + ".");
  if (const auto better = better_setting(check.settings))
    faults.push_back("The model predicts the code better with " + better->first + ": perplexity " +
                     rounded(better->second) + " instead of " + rounded(check.settings.as_stated) +
                     ".");
  for (const auto& [text, id] : check.chat.control) {
    if (id < 0)
      faults.push_back("Its chat format needs " + text +
                       ", which is no control token of the file: "
                       "edits fail.");
  }
  for (const std::string& fault : check.tokenizer.faults)
    faults.push_back("The tokenizer changes text: " + fault + ".");
  if (const std::optional<int> at = check.drafts.first_difference)
    faults.push_back("Drafts changed what the model writes, from token " + std::to_string(*at) +
                     " on. They must never do that.");
  return faults;
}

std::string advice_after_fault(const ModelCheck& check) {
  const std::string report = "report the output of `redraft models check NAME --format json`";
  if (check.drafts.first_difference && faults_of(check).size() == 1)
    return "This is an error of redraft or of the machine, not of the file: " + report;
  return "The file is damaged, it was converted wrongly, redraft reads it wrongly, or the model "
         "was "
         "not trained on code. Do not trust its edits. Compare the SHA-256 of the file with that "
         "of its publisher, or take another conversion. If another program runs this file well, " +
         report;
}

CheckVerdict verdict_of(const ModelCheck& check) {
  CheckVerdict verdict{.perplexity = check.predictions.code};
  for (const std::string& fault : faults_of(check))
    verdict.fault += (verdict.fault.empty() ? "" : " ") + fault;
  return verdict;
}

std::optional<CheckVerdict> check_quickly(LanguageModel& model, const Tokenizer& tokenizer,
                                          const std::function<bool()>& go_on) {
  const std::vector<TokenId> tokens =
      tokens_of(tokenizer, check_code(), std::min(kQuickTokens, model.context_length()));
  std::stop_source ended;
  const auto after_pass = [&](std::span<const float>) {
    if (!go_on()) ended.request_stop();
  };
  const std::vector<float> scores =
      token_log_probabilities(model, tokens, after_pass, ended.get_token());
  if (ended.stop_requested()) return std::nullopt;
  CheckVerdict verdict{.perplexity = perplexity_of(scores)};
  if (verdict.perplexity > kMaxPlausibleQuickPerplexity)
    verdict.fault = poor_prediction(verdict.perplexity, kMaxPlausibleQuickPerplexity);
  return verdict;
}

}  // namespace redraft
